/** The global-settings ConfigMap on a real wire: read by the command line, and watched while a controller runs. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApiServer } from '@chandler/apiserver';
import { CONFIG_MAPS, fetchTransport, KubeClient, Reflector, Store } from '@chandler/kube';
import { realTimeWorld } from '@chandler/kube/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { controller, run } from '../../packages/chandler/src/cli/testing.ts';
import { GOOD_ENV, resolveAzure } from '../../packages/chandler/src/cloud/azure/testing.ts';
import {
  type ConfigMapObject,
  GLOBAL_SETTINGS_NAME,
  GlobalSettings,
  type SettingsChange,
} from '../../packages/chandler/src/settings/index.ts';

const world = realTimeWorld();
const server = await startApiServer({ world, port: 0 });
const folder = mkdtempSync(join(tmpdir(), 'chandler-settings-'));
const kubeconfig = join(folder, 'kubeconfig');
writeFileSync(kubeconfig, server.kubeconfig);
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.close();
});

const client = new KubeClient({ transport: fetchTransport(server.adminFetch) });
/** Where the controller looks with a kubeconfig that names no namespace, as this one. */
const key = { namespace: 'kube-system', name: GLOBAL_SETTINGS_NAME };

const configMap = (data: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { ...key },
  data,
});

async function printOptions(extra: readonly string[] = []) {
  let [out, err] = ['', ''];
  const code = await run([controller], {
    args: ['controller', '--print-options', '--kubeconfig', kubeconfig, ...extra],
    env: GOOD_ENV,
    terminal: { out: (text) => (out += text), err: (text) => (err += text), color: false },
    interrupted: new AbortController().signal,
    world: async () => world,
  });
  return { code, out, err };
}

describe('the ConfigMap karpenter-global-settings', () => {
  test('[001] is a layer of its own in --print-options, and its absence is no error', async () => {
    const before = await printOptions();
    expect(before.code).toBe(0);
    expect(before.out).not.toContain('(settings ');
    await client.create(CONFIG_MAPS, configMap({ 'azure.bootDiagnostics': 'false', 'azure.unknown': '1' }));
    const { out, err } = await printOptions();
    expect(out).toMatch(
      /bootDiagnostics +false {2}\(settings karpenter-global-settings\/data\/azure\.bootDiagnostics\)/,
    );
    expect(err).toContain('azure.unknown: is not a known setting');
    expect((await printOptions(['--system-namespace=default'])).out).not.toContain('(settings ');
    await client.delete(CONFIG_MAPS, key);
  });

  test('is watched: what may change does, the rest waits for a restart, and deleting it brings the defaults back', async () => {
    const settings = new GlobalSettings(resolveAzure());
    const changes: SettingsChange[] = [];
    settings.onChange((change) => changes.push(change));
    const store = new Store({ resource: CONFIG_MAPS });
    const fieldSelector = `metadata.name=${GLOBAL_SETTINGS_NAME}`;
    const { namespace } = key;
    const reflector = new Reflector({ client, store, world, namespace, fieldSelector });
    store.subscribe(({ object, type }) => {
      settings.update(type === 'deleted' ? undefined : (object as ConfigMapObject));
    });
    reflector.start();
    await reflector.synced;
    const until = async (done: () => boolean) => {
      while (!done()) await world.clock.sleep(5);
    };
    await client.create(CONFIG_MAPS, configMap({ 'azure.additionalTags': 'team=a', metricsPort: '9000' }));
    await until(() => changes.length > 0);
    expect(settings.values.additionalTags).toMatchObject({ value: { team: 'a' }, source: 'settings' });
    expect(settings.needRestart).toMatchObject([{ name: 'metricsPort' }]);
    await client.delete(CONFIG_MAPS, key);
    await until(() => settings.values.additionalTags.source === 'hardcoded');
    expect(settings.needRestart).toEqual([]);
    await reflector.stop();
  });
});
