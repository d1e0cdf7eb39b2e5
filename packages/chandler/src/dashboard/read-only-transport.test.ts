import { CONFIG_MAPS, isApiError, KubeClient, NODES, PODS, type TransportRequest } from '@chandler/kube';
import { expect, test } from 'vitest';
import { readOnly } from './read-only-transport.ts';

const SECRETS = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true } as const;

function client() {
  const sent: TransportRequest[] = [];
  const answer = { metadata: { name: 'x', namespace: 'a', uid: 'u', resourceVersion: '1' }, items: [] };
  const transport = readOnly(async (request) => {
    sent.push(request);
    return {
      status: 200,
      headers: {},
      text: async () => JSON.stringify(answer),
      async *chunks() {},
      cancel: () => undefined,
    };
  });
  return { sent, client: new KubeClient({ transport }) };
}

const named = (name: string) => ({ fieldSelector: `metadata.name=${name}` });

test.each<[string, (kube: KubeClient) => Promise<unknown>]>([
  ['a Secret', (kube) => kube.get(SECRETS, { namespace: 'a', name: 'b' })],
  ['Secrets', (kube) => kube.list(SECRETS)],
  ['all ConfigMaps', (kube) => kube.list(CONFIG_MAPS)],
  ['a ConfigMap of others', (kube) => kube.get(CONFIG_MAPS, { namespace: 'a', name: 'passwords' })],
  ['ConfigMaps of another name', (kube) => kube.list(CONFIG_MAPS, named('passwords'))],
  [
    'ConfigMaps by two fields',
    (kube) => kube.list(CONFIG_MAPS, { fieldSelector: 'metadata.name=chandler-freeze,metadata.name=x' }),
  ],
  ['a creation', (kube) => kube.create(PODS, { metadata: { name: 'x', namespace: 'a' } } as never)],
  ['a deletion', (kube) => kube.delete(NODES, { name: 'x' })],
  ['a patch', (kube) => kube.patch(NODES, { name: 'x' }, { type: 'merge', patch: {} })],
  ['a proxy to a node', (kube) => kube.raw('/api/v1/nodes/x/proxy')],
])('%s is refused before it is sent', async (_, ask) => {
  const { client: kube, sent } = client();
  const error = await ask(kube).catch((refused: unknown) => refused);
  expect(isApiError(error, 'forbidden')).toBe(true);
  expect(sent).toEqual([]);
});

test.each<[string, (kube: KubeClient) => Promise<unknown>]>([
  ['nodes', (kube) => kube.list(NODES)],
  [
    'pods of a namespace with a misleading name',
    (kube) => kube.get(PODS, { namespace: 'secrets', name: 'x' }),
  ],
  ['the ConfigMaps of freezes', (kube) => kube.list(CONFIG_MAPS, named('chandler-freeze'))],
  ['the commands', (kube) => kube.list(CONFIG_MAPS, named('chandler-disruption-history'))],
  ['journeys', (kube) => kube.get(CONFIG_MAPS, { namespace: 'a', name: 'chandler-failed-journeys' })],
])('%s are read', async (_, ask) => {
  const { client: kube, sent } = client();
  await ask(kube);
  expect(sent).toHaveLength(1);
});
