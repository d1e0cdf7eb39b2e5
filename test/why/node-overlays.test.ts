/** A pending pod in a cluster with NodeOverlays: the plan of `why` is made with them as that of the controller is. */
import { describe, expect, test } from 'vitest';
import { azureDiagnosis } from '../../packages/chandler/src/cloud/azure/index.ts';
import {
  type Dump,
  dumpReader,
  encodeDump,
  makeDump,
  openDump,
} from '../../packages/chandler/src/diagnose/index.ts';

import { askThrough } from './ask.fixture.ts';
import { type CorpusCase, dumpOf } from './corpus.ts';
import { without } from './part-reader.ts';

const FUSE = 'example.com/fuse';
const KIND = 'nodeoverlays.karpenter.sh';
const requesting = (amount: string) => {
  const amounts = { cpu: '1', [FUSE]: amount };
  const resources = { requests: amounts, limits: amounts };
  return [{ age: '1h', spec: { containers: [{ name: 'app', image: 'i', resources }] } }];
};
const overlay = (more: object = {}, requirements: readonly object[] = []) => ({
  apiVersion: 'karpenter.sh/v1alpha1',
  kind: 'NodeOverlay',
  metadata: { name: 'fuse' },
  spec: { requirements, capacity: { [FUSE]: '2' } },
  ...more,
});
const gates = (text: string | null) => ({ env: { FEATURE_GATES: text } });
const ON = gates('NodeOverlay=true');
const LOOKED_AT = { status: { conditions: [{ type: 'Ready', status: 'True', reason: 'Ready' }] } };

function clusterOf(objects: readonly object[], controller: object = ON, amount = '1'): Dump {
  return dumpOf({
    file: 'here',
    title: '',
    ask: 'pod/shop/web',
    expect: {},
    controller,
    claims: [{}],
    nodes: [{ metadata: { labels: { 'topology.kubernetes.io/zone': 'westeurope-1' } } }],
    pods: requesting(amount),
    objects,
  } as unknown as CorpusCase);
}

async function idsOf(dump: Dump, forbidden: readonly string[] = [], ask = 'pod/shop/web') {
  const reader = without(dumpReader(openDump(encodeDump(dump, false))), forbidden);
  const { cause, also, unread } = await askThrough(reader, ask);
  return { ids: [cause?.id, ...also.map(({ id }) => id)], unread };
}

/** The NodePool would take the pod. */
const TAKEN = [undefined, 'scheduling.not-launched'];
const REFUSED = ['scheduling.resource-unknown'];

describe('a resource that only a NodeOverlay adds', () => {
  test('is one that nodes have, and without the overlay none', async () => {
    expect((await idsOf(clusterOf([overlay()]))).ids).toEqual(TAKEN);
    expect((await idsOf(clusterOf([]))).ids).toEqual(REFUSED);
  });

  test('in the amount that it has', async () => {
    expect((await idsOf(clusterOf([overlay()], ON, '3'))).ids).toEqual(['L6.3']);
  });

  test('of a size that is the only one with it', async () => {
    const key = 'node.kubernetes.io/instance-type';
    const ofSize = overlay({}, [{ key, operator: 'In', values: ['Standard_D8s_v5'] }]);
    expect((await idsOf(clusterOf([ofSize]))).ids).toEqual(TAKEN);
    const ofOther = overlay({}, [{ key: 'karpenter.sh/nodepool', operator: 'In', values: ['other'] }]);
    expect((await idsOf(clusterOf([ofOther]))).ids).toEqual(REFUSED);
  });

  test('is the answer to its NodePool as well', async () => {
    const { ids } = await idsOf(clusterOf([]), [], 'nodepool/default');
    expect(ids).not.toContain('scheduling.not-launched');
    expect((await idsOf(clusterOf([overlay()]), [], 'nodepool/default')).ids).toContain(
      'scheduling.not-launched',
    );
  });
});

describe('the feature gate NodeOverlay of the controller', () => {
  test.each([
    ['is off', gates('NodeOverlay=false'), overlay(LOOKED_AT), REFUSED],
    ['is not set', gates('StaticCapacity=true'), overlay(LOOKED_AT), REFUSED],
    ['cannot be seen, and a controller has judged the overlay', gates(null), overlay(LOOKED_AT), TAKEN],
    ['cannot be seen, and none has', gates(null), overlay(), REFUSED],
    ['is that of a controller that cannot be seen', { hosting: 'none' }, overlay(LOOKED_AT), TAKEN],
  ])('%s', async (_, controller, object, expected) => {
    expect((await idsOf(clusterOf([object], controller))).ids).toEqual(expected);
  });
});

describe('NodeOverlays that may not be read', () => {
  test('may add what the pod requests: the answer does not say that nothing has it', async () => {
    const { ids, unread } = await idsOf(clusterOf([overlay()]), [KIND]);
    expect(ids).toEqual(['scheduling.unexplained']);
    expect(unread).toContainEqual({
      kind: 'plan',
      what: 'NodeOverlays',
      why: 'forbidden',
      permission: 'list nodeoverlays',
    });
  });

  test('do not matter while the gate is off', async () => {
    const { ids, unread } = await idsOf(clusterOf([overlay()], gates('NodeOverlay=false')), [KIND]);
    expect([ids, unread]).toEqual([
      REFUSED,
      expect.not.arrayContaining([expect.objectContaining({ why: 'forbidden' })]),
    ]);
  });

  test('do not matter to a pod that requests only what every node has', async () => {
    const plain = dumpOf({
      file: 'here',
      title: '',
      ask: 'pod/shop/web',
      expect: {},
      controller: ON,
      claims: [{}],
      nodes: [{}],
      pods: [{ age: '1h' }],
    } as unknown as CorpusCase);
    const { ids, unread } = await idsOf(plain, [KIND]);
    expect([ids, unread.some(({ what }) => what === 'NodeOverlays')]).toEqual([TAKEN, false]);
  });

  test('in a cluster without the kind there are none', async () => {
    const reader = dumpReader(openDump(encodeDump(clusterOf([]), false)));
    const { cause } = await askThrough(
      {
        ...reader,
        list: async (resource, filter) =>
          resource.plural === 'nodeoverlays'
            ? { why: 'notFound', message: 'the server could not find the requested resource' }
            : reader.list(resource, filter),
      },
      'pod/shop/web',
    );
    expect(cause?.id).toBe('scheduling.resource-unknown');
  });
});

test('a dump has the NodeOverlays of the cluster', async () => {
  const reader = dumpReader(clusterOf([overlay()]));
  const dump = await makeDump({ reader, cloud: azureDiagnosis(), madeBy: 'test' });
  expect(dump.kinds[KIND]).toMatchObject({ complete: true, objects: [{ metadata: { name: 'fuse' } }] });
  expect((await idsOf(dump)).ids).toEqual(TAKEN);
});
