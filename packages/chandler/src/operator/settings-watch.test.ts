import { type EventRecorder, fetchTransport, KubeClient } from '@chandler/kube';
import { settle, TinyServer, virtualWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import { resolveAzure } from '../cloud/azure/testing.ts';
import { GlobalSettings } from '../settings/index.ts';
import type { OperatorSettings } from './operator-options.ts';
import { RELOAD_MS, SettingsWatch } from './settings-watch.ts';

const PATH = '/api/v1/namespaces/kube-system/configmaps';
const configMap = (batchIdleDuration: string) => ({
  metadata: { name: 'karpenter-global-settings', namespace: 'kube-system' },
  data: { batchIdleDuration },
});

/** An operator that read 3s from the ConfigMap when it started. */
async function watching(before: (server: TinyServer) => void) {
  const world = virtualWorld();
  const server = new TinyServer();
  before(server);
  const settings = new GlobalSettings(resolveAzure({ configMap: { batchIdleDuration: '3s' } }));
  const watch = new SettingsWatch({
    world,
    client: new KubeClient({ transport: fetchTransport(server.fetch) }),
    namespace: 'kube-system',
    settings: settings as unknown as OperatorSettings,
    events: () => undefined,
  });
  const stop = new AbortController();
  const running = watch.run(stop.signal);
  await settle();
  const value = settings.values.batchIdleDuration.value;
  stop.abort();
  await running;
  return value;
}

test('a ConfigMap that is deleted during the start is no longer in force', async () => {
  expect(await watching(() => undefined)).toBe(1000);
});

test('a ConfigMap that is unchanged since the start stays in force', async () => {
  expect(await watching((server) => server.put(`${PATH}/karpenter-global-settings`, configMap('3s')))).toBe(
    3000,
  );
});

test('an invalid value is reported again with each reload, so that its event does not expire', async () => {
  const world = virtualWorld();
  const server = new TinyServer();
  server.put(`${PATH}/karpenter-global-settings`, configMap('soon'));
  const published: string[] = [];
  const watch = new SettingsWatch({
    world,
    client: new KubeClient({ transport: fetchTransport(server.fetch) }),
    namespace: 'kube-system',
    settings: new GlobalSettings(resolveAzure()) as unknown as OperatorSettings,
    events: () =>
      ({ publish: ({ reason }: { reason: string }) => published.push(reason) }) as unknown as EventRecorder,
  });
  const stop = new AbortController();
  const running = watch.run(stop.signal);
  await settle();
  expect(published).toEqual(['SettingsBadValue']);
  await world.clock.advance(2 * RELOAD_MS);
  expect(published).toEqual(['SettingsBadValue', 'SettingsBadValue', 'SettingsBadValue']);
  stop.abort();
  await running;
});
