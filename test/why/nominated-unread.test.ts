/**
 * A developer may read the pods of a namespace and their events, and no NodeClaims or NodePools: these are not absent, and what
 * the events say of them is in the answer.
 */
import { describe, expect, test } from 'vitest';
import { azureDiagnosis } from '../../packages/chandler/src/cloud/azure/index.ts';
import {
  dumpReader,
  encodeDump,
  openDump,
  walkChecklist,
} from '../../packages/chandler/src/diagnose/index.ts';

import { askThrough } from './ask.fixture.ts';
import { aClass, aController, aPool } from './cluster-objects.ts';
import { dumpWith } from './corpus.ts';
import { aNode, anEvent, aPod, type PodWords } from './objects.ts';
import { without } from './part-reader.ts';

const CLAIMS = ['nodeclaims.karpenter.sh'];
const POOLS = ['nodepools.karpenter.sh'];
const OF_CLUSTER = [...CLAIMS, ...POOLS, 'nodes', 'namespaces', 'deployments.apps', 'daemonsets.apps'];

const nominated = (ago: string) => ({
  on: 'Pod/shop/web',
  reason: 'Nominated',
  by: 'karpenter',
  message: 'Pod should schedule on: nodeclaim/default-abcde',
  ago,
});
const REFUSED = {
  on: 'Pod/shop/web',
  reason: 'FailedScheduling',
  by: 'default-scheduler',
  message: '0/9 nodes are available: 9 Insufficient cpu.',
  ago: '1m',
};

async function asked(
  forbidden: readonly string[],
  events: readonly Parameters<typeof anEvent>[0][] = [],
  pod: PodWords = {},
) {
  const objects = [
    ...aController(),
    aClass(),
    aPool(),
    aNode(),
    aPod({ age: '1h', ...pod }),
    ...events.map(anEvent),
  ];
  const reader = dumpReader(openDump(encodeDump(dumpWith(objects, {}, []), false)));
  const answer = await askThrough(without(reader, forbidden), 'pod/shop/web', azureDiagnosis());
  const layers = answer.layers.map(({ state, detail }) => `${state}: ${detail}`);
  return { ...answer, layers, ids: [answer.cause?.id, ...answer.also.map(({ id }) => id)] };
}

describe('a pod that was nominated to a NodeClaim that may not be read', () => {
  test.each([
    ['', [nominated('50m')]],
    [', after the scheduler has refused it', [nominated('50m'), REFUSED]],
  ])('is said to be that%s', async (_, events) => {
    const { cause, verdict } = await asked(OF_CLUSTER, events);
    expect([verdict, cause?.id]).toEqual(['broken', 'scheduling.unexplained']);
    expect(cause?.summary).toBe(
      'shop/web has been Pending for 60 minutes. The controller nominated it 50 min ago to NodeClaim default-abcde, which could not be read (see "Not read" below).',
    );
    expect(cause?.fix).toContain('get nodeclaims');
    expect(cause?.confirm).toContain('kubectl get nodeclaim default-abcde');
  });

  test('may be in time: a launch takes minutes', async () => {
    const { cause, also } = await asked(OF_CLUSTER, [nominated('2m')]);
    expect(cause).toBeUndefined();
    expect(also.map(({ id }) => id)).toEqual(['scheduling.unexplained']);
  });

  test('and one that is gone is not what could not be read', async () => {
    const { also, cause } = await asked([], [nominated('1m')]);
    expect([cause, ...also].map((each) => each?.summary ?? '').join()).not.toContain('default-abcde');
  });
});

describe('the layers of a NodeClaim', () => {
  const UNREAD = 'unknown: no NodeClaim could be read';

  test.each([[[nominated('50m')]], [[]]])(
    'are not known where it may not be read (case %#)',
    async (events) => {
      const { layers } = await asked(CLAIMS, events);
      expect(layers.slice(1, 4)).toEqual([UNREAD, UNREAD, UNREAD]);
      expect(layers[4]).toBe(UNREAD);
    },
  );

  test('are not reached where there is none', async () => {
    const { layers } = await asked([]);
    expect(layers[1]).toBe('notReached: no NodeClaim');
  });
});

test('that no NodePool was read is not that they were', async () => {
  const message =
    'Failed to schedule pod, incompatible with nodepool "default", incompatible requirements, label "team" does not have known values';
  const event = { ...REFUSED, by: 'karpenter', message };
  const { layers, ids } = await asked(POOLS, [event], { spec: { nodeSelector: { team: 'a' } } });
  expect(ids).toContain('L6.4');
  expect(layers[0]).toBe('unknown: no NodePool could be read');
});

test('a checklist does not say that there is no NodeClaim where it may not read them', async () => {
  const cloud = azureDiagnosis();
  const reader = dumpReader(openDump(encodeDump(dumpWith([aClass(), aPool()], {}, []), false)));
  const walked = async (forbidden: readonly string[]) =>
    JSON.stringify(await walkChecklist(cloud.checklists[0]!, { cloud, reader: without(reader, forbidden) }));
  expect(await walked([])).toContain('there is no NodeClaim yet');
  const unread = await walked(CLAIMS);
  expect(unread).not.toContain('there is no NodeClaim yet');
  expect(unread).toContain('no NodeClaim could be read');
});
