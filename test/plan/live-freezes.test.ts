/** Which ConfigMaps stop disruption, for `chandler plan` and `chandler why` on a live cluster. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONFIG_MAPS, fetchTransport, KubeClient, type KubeObject, type World } from '@chandler/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWorld } from '../../packages/chandler/src/cli/testing.ts';
import { type Playground, startPlayground } from '../../packages/chandler/src/playground/index.ts';
import { ADMIN, deployController, fill, planned, staying } from './live-cluster.ts';

let folder: string;
let world: World;
let running: Playground;
let client: KubeClient;

/** @param user not an administrator, but one who may read this much. */
async function kubeconfigOf(user?: string): Promise<string> {
  const path = join(folder, user ?? 'admin');
  const { kubeconfig } = running.server;
  await writeFile(
    path,
    user === undefined ? kubeconfig : kubeconfig.replace(/^( *)token: .*$/m, `$&\n$1as: ${user}`),
  );
  return path;
}

async function freeze(namespace: string): Promise<void> {
  const metadata = { name: 'chandler-freeze', namespace };
  await client.create(CONFIG_MAPS, { metadata, data: { freeze: 'true', by: 'ops' } } as KubeObject);
}

async function thaw(...namespaces: string[]): Promise<void> {
  for (const namespace of namespaces)
    await client.delete(CONFIG_MAPS, { name: 'chandler-freeze', namespace });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plan-freezes-'));
  world = await createWorld();
  running = await startPlayground({ world, standins: false });
  client = new KubeClient({ transport: fetchTransport(running.server.fetchAs(ADMIN)) });
  await fill(client);
  await deployController(client, []);
});

afterAll(async () => {
  await running.stop();
  await rm(folder, { recursive: true });
});

const WOULD_GO = 'it would be disrupted now: delete: [node-b]';
const FROZEN = 'disruption is frozen by ops (ConfigMap kube-system/chandler-freeze)';

describe('a freeze in another namespace than that of the controller', () => {
  const note =
    'ConfigMap default/chandler-freeze is not in the namespace of the controller, kube-system, and stops nothing.';

  test('stops nothing, and plan says so', async () => {
    const kubeconfig = await kubeconfigOf();
    await freeze('default');
    const report = await planned(kubeconfig, world);
    expect(report).toMatchObject({ commands: [{ text: 'delete: [node-b]' }], freezes: [], unread: [] });
    expect(report.notes).toContain(note);
    expect(await staying('node/node-b', kubeconfig, world)).toEqual([WOULD_GO]);
    await freeze('kube-system');
    const both = await planned(kubeconfig, world);
    expect(both).toMatchObject({ commands: [], freezes: [{ text: FROZEN }] });
    expect(both.notes).toContain(note);
    expect(await staying('node/node-b', kubeconfig, world)).toEqual([FROZEN]);
    await thaw('default', 'kube-system');
  });
});
