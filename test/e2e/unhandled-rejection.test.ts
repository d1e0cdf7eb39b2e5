/** An unhandled rejection: the controller logs its origin, releases its lease and exits. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { controllerEnvironment, writeControllerFiles } from '@chandler/cloudsim/azure';
import { fetchTransport, KubeClient, LEASES } from '@chandler/kube';
import { realTimeWorld } from '@chandler/kube/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { LEASE_NAME } from '../../packages/chandler/src/api/index.ts';
import { startPlayground } from '../../packages/chandler/src/playground/index.ts';

import { FEW_SIZES } from '../operator/azure-stage.ts';
import { startController } from './controller-process.ts';
import { accountKubeconfig, accountToken, roleObjects } from './roles.ts';

test('a rejected promise that nobody handles is reported with its origin, and the lease is released', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-rejection-'));
  const playground = await startPlayground({
    world: realTimeWorld(1),
    systemNodes: 0,
    azure: { azure: { catalogue: FEW_SIZES } },
  });
  onTestFinished(async () => {
    await playground.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const { server, azure, url } = playground;
  const admin = new KubeClient({ transport: fetchTransport(server.adminFetch) });
  for (const [resource, object] of roleObjects(azure!.bootstrapToken)) await admin.create(resource, object);
  const kubeconfig = join(folder, 'kubeconfig');
  const text = accountKubeconfig({ server: url!, caPem: server.caPem, token: await accountToken(admin) });
  writeFileSync(kubeconfig, text, { mode: 0o600 });
  const around = { azure: azure!, serverUrl: url!, kubeconfig };
  const files = await writeControllerFiles(folder, around);
  const env = { ...controllerEnvironment(around, files), METRICS_PORT: '0', HEALTH_PROBE_PORT: '0' };
  // Not a part of the program: loaded beside it, it rejects when the process gets SIGUSR2.
  const bug = join(folder, 'bug.mjs');
  writeFileSync(bug, `process.on('SIGUSR2', () => { void Promise.reject(new Error('a lost promise')); });\n`);
  const controller = startController(env, [], undefined, ['--import', bug]);
  onTestFinished(async () => {
    await controller.signal('SIGKILL');
  });
  const lease = async () =>
    (await admin.list(LEASES)).items.find(({ metadata }) => metadata.name === LEASE_NAME)?.['spec'];
  const held = { holderIdentity: expect.stringMatching(/./) };
  await vi.waitFor(async () => expect(await lease()).toMatchObject(held), { timeout: 60_000, interval: 100 });
  process.kill(controller.pid, 'SIGUSR2');
  expect(await controller.ended).toBe(1);
  expect(controller.errors.join('\n')).toMatch(
    /a rejected promise was not handled: Error: a lost promise\n\s+at .*bug\.mjs/,
  );
  expect(await lease()).not.toMatchObject(held);
}, 120_000);
