import type { Pod, Stored } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import { MovedWorkloads } from './moved-workloads.ts';

const MINUTE_MS = 60_000;

function podOf(owner: string, nodeName?: string): Stored<Pod> {
  const ownerReferences = [
    { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: owner, controller: true },
  ];
  return {
    metadata: {
      name: `${owner}-1`,
      namespace: 'default',
      uid: `${owner}-1`,
      resourceVersion: '1',
      ownerReferences,
    },
    spec: { containers: [], ...(nodeName === undefined ? {} : { nodeName }) },
  } as unknown as Stored<Pod>;
}

function stage() {
  let nowMs = 0;
  const moves = new MovedWorkloads({ monotonic: () => nowMs });
  return {
    moves,
    pass: (ms: number) => {
      nowMs += ms;
    },
    holds: () =>
      Object.fromEntries([...moves.holds(nowMs)].map(([name, hold]) => [name, hold.untilMs - nowMs])),
  };
}

describe('a consolidation whose pods need a new node', () => {
  test('holds its NodePool, twice as long each time', () => {
    const { moves, pass, holds } = stage();
    const lengths: number[] = [];
    for (let round = 0; round < 6; round++) {
      moves.moved(`c${round}`, [podOf('web'), podOf('db')], ['general', 'general']);
      pass(MINUTE_MS);
      expect(moves.launched([podOf('other')])).toEqual([]);
      expect(holds()).toEqual({});
      expect(moves.launched([podOf('web')])).toEqual(['general']);
      // Once for a command, however many nodes are launched.
      expect(moves.launched([podOf('db')])).toEqual([]);
      lengths.push(holds()['general']! / MINUTE_MS);
      pass(holds()['general']!);
    }
    expect(lengths).toEqual([10, 20, 40, 80, 120, 120]);
  });

  test('is forgotten when no other follows', () => {
    const { moves, pass, holds } = stage();
    moves.moved('c', [podOf('web')], ['general']);
    moves.launched([podOf('web')]);
    pass(4 * 60 * MINUTE_MS);
    moves.moved('d', [podOf('web')], ['general']);
    moves.launched([podOf('web')]);
    expect(holds()).toEqual({ general: 10 * MINUTE_MS });
  });

  test('is one incident with others of the same workload, however many ran', () => {
    const { moves, pass, holds } = stage();
    for (let each = 0; each < 6; each++) {
      moves.moved(`c${each}`, [podOf('web', `n${each}`)], ['general']);
      pass(20_000);
    }
    moves.moved('later', [podOf('db', 'n9')], ['general']);
    expect(moves.launched([podOf('web')])).toEqual(['general']);
    expect(moves.launched([podOf('db')])).toEqual([]);
    expect(holds()).toEqual({ general: 10 * MINUTE_MS });
  });

  test('is none if its pods leave another node, or if it was not carried out', () => {
    const { moves } = stage();
    moves.moved('c', [podOf('web', 'n1')], ['general']);
    expect(moves.launched([podOf('web', 'interrupted')])).toEqual([]);
    moves.moved('d', [podOf('db', 'n2')], ['general']);
    moves.forget('d');
    expect(moves.launched([podOf('db')])).toEqual([]);
    expect(moves.launched([podOf('web', 'n1')])).toEqual(['general']);
  });

  test('is none if the workload lost pods on another node, and is one if only on its own', () => {
    const { moves, pass } = stage();
    moves.moved('c', [podOf('web', 'n1'), podOf('db', 'n1')], ['general']);
    moves.evicted('n1', [podOf('db', 'n1')]);
    moves.evicted('interrupted', [podOf('web', 'interrupted')]);
    pass(MINUTE_MS);
    expect(moves.launched([podOf('web')])).toEqual([]);
    expect(moves.launched([podOf('db')])).toEqual(['general']);
  });

  test('is none if the workload lost pods on a node that a given up consolidation would have removed', () => {
    const { moves, pass } = stage();
    moves.moved('given up', [podOf('web', 'n1')], ['general']);
    moves.forget('given up');
    moves.moved('c', [podOf('web', 'n2')], ['general']);
    moves.evicted('n1', [podOf('web', 'n1')]);
    pass(MINUTE_MS);
    expect(moves.launched([podOf('web')])).toEqual([]);
  });

  test('is one for a pod that still is on its node, whatever the workload lost elsewhere', () => {
    const { moves } = stage();
    moves.evicted('drifted', [podOf('web', 'drifted')]);
    moves.moved('c', [podOf('web', 'n1')], ['general']);
    expect(moves.launched([podOf('web', 'n1')])).toEqual(['general']);
  });

  test('does not explain the next one: pods that leave its node were lost to it alone', () => {
    const { moves, pass, holds } = stage();
    moves.moved('c1', [podOf('web', 'n1')], ['general']);
    expect(moves.launched([podOf('web', 'n1')])).toEqual(['general']);
    moves.evicted('n1', [podOf('web', 'n1')]);
    pass(holds()['general']! - MINUTE_MS);
    moves.evicted('n1', [podOf('web', 'n1')]);
    pass(MINUTE_MS);
    moves.moved('c2', [podOf('web', 'n2')], ['general']);
    expect(moves.launched([podOf('web')])).toEqual(['general']);
  });

  test('is one only within five minutes', () => {
    const { moves, pass, holds } = stage();
    moves.moved('c', [podOf('web')], ['general']);
    pass(5 * MINUTE_MS + 1);
    expect(moves.launched([podOf('web')])).toEqual([]);
    expect(holds()).toEqual({});
  });
});
