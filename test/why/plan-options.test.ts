/** A pending pod in a cluster whose controller has options that change what it plans: `why` plans with them. */
import { describe, expect, test } from 'vitest';
import { dumpReader, encodeDump, openDump } from '../../packages/chandler/src/diagnose/index.ts';

import { askThrough } from './ask.fixture.ts';
import { type CorpusCase, dumpOf } from './corpus.ts';
import { without } from './part-reader.ts';

const ZONE = 'topology.kubernetes.io/zone';
const HOST = 'kubernetes.io/hostname';
const spreadOver = (topologyKey: string, whenUnsatisfiable = 'DoNotSchedule') =>
  JSON.stringify({
    podTopologySpread: { defaultConstraints: [{ maxSkew: 1, topologyKey, whenUnsatisfiable }] },
  });

const LABELS = { app: 'web' };
const SERVICE = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { selector: LABELS },
};
const inZone = (zone: string) => ({ metadata: { labels: { [ZONE]: zone, [HOST]: 'aks-default-x7k2p' } } });

/** A NodePool of one zone, in which a pod of the Service is; another zone has a node, and none of these pods. */
async function answer(schedulerConfig: string, more: object = {}, forbidden: readonly string[] = []) {
  const dump = dumpOf({
    file: 'here',
    title: '',
    ask: 'pod/shop/web',
    expect: {},
    controller: { env: { SCHEDULER_CONFIG: schedulerConfig } },
    pool: {
      spec: {
        template: { spec: { requirements: [{ key: ZONE, operator: 'In', values: ['westeurope-1'] }] } },
      },
    },
    claims: [{}],
    nodes: [inZone('westeurope-1'), { name: 'system-1', claim: null, ...inZone('westeurope-2') }],
    pods: [
      { age: '1h', metadata: { labels: LABELS } },
      { name: 'web-2', node: 'aks-default-x7k2p', metadata: { labels: LABELS } },
    ],
    objects: [SERVICE],
    ...more,
  } as unknown as CorpusCase);
  const reader = without(dumpReader(openDump(encodeDump(dump, false))), forbidden);
  const { cause, also, unread } = await askThrough(reader, 'pod/shop/web');
  return { ids: [cause?.id, ...also.map(({ id }) => id)], unread };
}

const TAKEN = [undefined, 'scheduling.not-launched'];

describe('the default spread of --scheduler-config', () => {
  test('holds for a pod without a spread of its own, by the selector of its Service', async () => {
    expect((await answer('')).ids).toEqual(TAKEN);
    expect((await answer(spreadOver(ZONE))).ids).toEqual(['scheduling.topology']);
  });

  test('that is only preferred keeps no pod from a node', async () => {
    expect((await answer(spreadOver(ZONE, 'ScheduleAnyway'))).ids).toEqual(TAKEN);
  });

  test('does not hold for a pod that nothing selects', async () => {
    expect((await answer(spreadOver(ZONE), { objects: [] })).ids).toEqual(TAKEN);
  });

  test('is not known where Services may not be read', async () => {
    const { ids, unread } = await answer(spreadOver(ZONE), {}, ['services']);
    expect(ids).toEqual(['scheduling.unexplained']);
    expect(unread).toContainEqual(
      expect.objectContaining({ kind: 'plan', what: 'services in namespace shop', why: 'forbidden' }),
    );
  });
});

describe('the policy for minValues', () => {
  const wanting = {
    pool: {
      spec: {
        template: {
          spec: {
            requirements: [
              {
                key: 'node.kubernetes.io/instance-type',
                operator: 'In',
                values: ['Standard_D8s_v5', 'Standard_D4s_v5'],
                minValues: 3,
              },
            ],
          },
        },
      },
    },
  };
  const withPolicy = async (policy: string) =>
    (await answer('', { ...wanting, controller: { env: { MIN_VALUES_POLICY: policy } } })).ids;

  test('is that of the controller', async () => {
    expect(await withPolicy('Strict')).toEqual(['scheduling.min-values']);
    expect(await withPolicy('BestEffort')).toEqual(TAKEN);
  });
});
