import type { KubeObject } from '@chandler/kube';
import { HIDDEN } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import type { ReadObject } from '../../causes/index.ts';
import { azureDiagnosis } from '../../cloud/azure/index.ts';
import { KEPT_JOURNEYS_NAME, keptText, readKept } from '../kept-journeys.ts';
import { scrubber } from './scrub.ts';

const scrubbed = scrubber(azureDiagnosis().options.table);

const SECRET = 'hunter2';

/** As lists of the API server have it: without its kind. */
function anObject(fields: object, name = 'a'): ReadObject {
  return { metadata: { name }, ...fields } as KubeObject as ReadObject;
}

describe('a dump has of ConfigMaps', () => {
  const settings = {
    AZURE_CLIENT_SECRET: SECRET,
    'azure.azureClientSecret': SECRET,
    'azure.clusterName': 'blue',
    batchMaxDuration: '10s',
    note: SECRET,
  };

  test.each(['karpenter-global-settings', 'another'])('%s only options that are no secrets', (name) => {
    const kept = scrubbed(anObject({ data: settings, binaryData: { note: btoa(SECRET) } }, name));
    expect(kept['data']).toEqual({
      AZURE_CLIENT_SECRET: HIDDEN,
      'azure.azureClientSecret': HIDDEN,
      'azure.clusterName': 'blue',
      batchMaxDuration: '10s',
      note: HIDDEN,
    });
    expect(kept['binaryData']).toEqual({ note: HIDDEN });
  });

  test('failed claims, whatever their name, and nothing that is no claim', () => {
    const claim = {
      metadata: { name: 'secret-token-x7k2p', uid: 'u', creationTimestamp: '2026-06-01T09:00:00Z' },
      spec: { nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' } },
      status: { providerID: 'azure:///vm', conditions: [] },
    } as unknown as Parameters<typeof keptText>[0];
    const text = keptText(claim, Date.UTC(2026, 5, 1));
    const data = { 'secret-token-x7k2p': text, note: SECRET };
    const kept = scrubbed(anObject({ data }, KEPT_JOURNEYS_NAME))['data'] as Record<string, string>;
    expect(readKept(kept['secret-token-x7k2p'])).toEqual(readKept(text));
    expect(kept['note']).toBe(HIDDEN);
  });
});

describe('a dump has no value of a field with the name of a secret', () => {
  test.each([
    ['a PersistentVolume', { spec: { csi: { volumeAttributes: { storageAccountKey: SECRET } } } }],
    ['a PersistentVolume', { spec: { flexVolume: { options: { 'api-key': SECRET } } } }],
    ['a StorageClass', { parameters: { clientSecret: SECRET } }],
    ['a pod', { spec: { volumes: [{ csi: { volumeAttributes: { sasToken: SECRET } } }] } }],
    ['a pod template', { spec: { template: { spec: { volumes: [{ options: { password: SECRET } }] } } } }],
    ['a node class', { spec: { tags: { 'connection-string': SECRET }, userData: SECRET } }],
    ['a list', { spec: { tokens: [SECRET] } }],
    ['an address', { spec: { tokenUrl: `https://joe:${SECRET}@x.example/a` } }],
    ['the query of an address', { spec: { tokenEndpoint: `https://x.example/a?api_key=${SECRET}&b=c` } }],
    ['an annotation of ours', { metadata: { name: 'a', annotations: { 'karpenter.sh/token': SECRET } } }],
  ])('of %s, row %#', (_, fields) => {
    expect(JSON.stringify(scrubbed(anObject(fields)))).not.toContain(SECRET);
  });

  test('and keeps what only has such a name: references, keys of taints, labels, quantities', () => {
    const spec = {
      taints: [{ key: 'dedicated', value: 'x', effect: 'NoSchedule' }],
      requirements: [{ key: 'tokens', operator: 'In', values: ['a'] }],
      nodeSelector: { token: 'a' },
      selector: { matchLabels: { secret: 'b' } },
      volumes: [{ secret: { secretName: 's' }, csi: { nodePublishSecretRef: { name: 's' } } }],
      projected: { sources: [{ serviceAccountToken: { path: 'token', expirationSeconds: 3600 } }] },
      automountServiceAccountToken: false,
      metadataOptions: { httpTokens: 'required', httpEndpoint: 'enabled' },
      csi: { volumeAttributes: { secretProviderClass: 'azure-kv' } },
      parameters: { authorizationMode: 'Webhook' },
      resources: { requests: { 'example.com/tokens': '2' }, limits: { 'example.com/tokens': '2' } },
      env: [{ name: 'X', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }],
    };
    const metadata = { name: 'a', labels: { token: 'a', 'example.com/secret': 'b' } };
    const status = { capacity: { 'example.com/tokens': '2' }, allocatable: { 'example.com/tokens': '2' } };
    expect(scrubbed(anObject({ metadata, spec, status }))).toEqual({ metadata, spec, status });
  });
});

test.each([
  ['an event', { reason: 'Failed', message: `started with AZURE_CLIENT_SECRET=${SECRET}` }],
  ['an event of the other API', { note: `"clientSecret": "${SECRET}"` }],
  ['a condition', { status: { conditions: [{ type: 'Ready', message: `password=${SECRET}` }] } }],
  ['an argument in one word', { spec: { containers: [{ args: [`--password ${SECRET}`] }] } }],
  ['an argument in one word', { spec: { containers: [{ args: [`--login ${SECRET} --a=b`] }] } }],
])('the text of %s has no secret, row %#', (_, fields) => {
  expect(JSON.stringify(scrubbed(anObject(fields)))).not.toContain(SECRET);
});

test('the revision of a ReplicaSet is kept: it says which one is current', () => {
  const annotations = { 'deployment.kubernetes.io/revision': '3', 'example.com/last-applied': SECRET };
  const { metadata } = scrubbed(anObject({ metadata: { name: 'web-5d4', annotations } }));
  expect(metadata.annotations).toEqual({ ...annotations, 'example.com/last-applied': HIDDEN });
});

test('a node as the API server lists it, without its kind, has no list of its images', () => {
  const kept = scrubbed(anObject({ status: { images: [{ names: ['x'] }], phase: 'p' } }));
  expect(kept['status']).toEqual({ phase: 'p' });
});

test.each([[[null, 'A=b', { name: 'X', value: SECRET }]], [null], ['x']])(
  'lists with what belongs in none are copied: %j',
  (env) => {
    const object = anObject({ spec: { containers: [{ env, args: env }] } });
    expect(JSON.stringify(scrubbed(object))).not.toContain(SECRET);
  },
);
