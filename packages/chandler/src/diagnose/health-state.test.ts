import { describe, expect, test } from 'vitest';
import { findCauses } from '../causes/index.ts';
import {
  aClaim,
  aFailingPod,
  aNode,
  aVm,
  condition,
  evidence,
  MINUTE_MS,
  NOW_MS,
} from '../causes/testing.ts';
import { azureDiagnosis } from '../cloud/azure/index.ts';
import { TABLES } from './causes/verdict.fixture.ts';
import { healthStateOf } from './health-state.ts';
import { proofOf } from './layer-proofs.ts';

const POD = { kind: 'pod', namespace: 'shop', name: 'web-1' } as const;

test('a pod that was Ready for long is late only if it has not been Ready for long', () => {
  const createdAtMs = NOW_MS - 3 * 24 * 60 * MINUTE_MS;
  const stateOf = (minutesAgo: number, restarts = 0, runsMinutes?: number) => {
    const runningSinceMs = runsMinutes === undefined ? undefined : NOW_MS - runsMinutes * MINUTE_MS;
    const conditions = [condition('Ready', 'False', 'ContainersNotReady', '', minutesAgo)];
    return healthStateOf(
      POD,
      evidence([aFailingPod({ restarts, runningSinceMs }, { createdAtMs, conditions })]),
    ).state;
  };
  expect([stateOf(1), stateOf(11)]).toEqual(['soon', 'late']);
  // A container that is restarted again and again is Ready in between.
  expect([stateOf(1, 3), stateOf(1, 3, 2)]).toEqual(['late', 'late']);
});

test('a restart days ago does not make a pod late that was Ready until a minute ago', () => {
  const createdAtMs = NOW_MS - 3 * 24 * 60 * MINUTE_MS;
  const conditions = [condition('Ready', 'False', 'ContainersNotReady', '', 1)];
  const running = { restarts: 1, runningSinceMs: createdAtMs + MINUTE_MS };
  expect(healthStateOf(POD, evidence([aFailingPod(running, { createdAtMs, conditions })])).state).toBe(
    'soon',
  );
});

test.each([
  ['nodeclaim', 'default-x7k2p'],
  ['node', 'aks-default-x7k2p'],
] as const)('a %s that has been terminating for long is late', (kind, name) => {
  const stateOf = (minutes: number) => {
    const deletingSinceMs = NOW_MS - minutes * MINUTE_MS;
    return healthStateOf({ kind, name }, evidence([aClaim({ deletingSinceMs }), aNode({ deletingSinceMs })]));
  };
  expect(stateOf(14)).toMatchObject({ state: 'soon' });
  expect(stateOf(16)).toMatchObject({
    state: 'late',
    text: expect.stringContaining('has been terminating for 16 min.'),
  });
});

describe('a NodeClaim that is Initialized', () => {
  const subject = { kind: 'nodeclaim', name: 'default-x7k2p' } as const;
  const initialized = (minutes: number) =>
    aClaim({
      conditions: [
        condition('Launched', 'True'),
        condition('Registered', 'True'),
        condition('Initialized', 'True', 'Initialized', '', minutes),
      ],
    });
  const gone = { kind: 'node', what: 'Node aks-default-x7k2p', why: 'notFound' } as const;

  test('is not well without its node', () => {
    expect(healthStateOf(subject, evidence([initialized(30)], [gone]))).toEqual({
      state: 'late',
      text: 'The NodeClaim is Initialized, but its node aks-default-x7k2p does not exist.',
    });
    expect(findCauses(TABLES, evidence([initialized(30)], [gone]))[0]).toMatchObject({
      id: 'nodes.node-missing',
      weight: 'broken',
    });
  });

  test('is given a minute for it', () => {
    expect(healthStateOf(subject, evidence([initialized(0.5)], [gone])).state).toBe('soon');
    expect(findCauses(TABLES, evidence([initialized(0.5)], [gone]))).toEqual([]);
  });

  test('is not well if its VM no longer exists, and that is named first', () => {
    const all = findCauses(TABLES, evidence([initialized(30), aVm({ found: false })], [gone]));
    expect(all.map(({ id }) => id)).toEqual(['cloud.machine-gone']);
  });

  test('is not well while its node is not Ready', () => {
    const unready = (minutes: number) =>
      aNode({ conditions: [condition('Ready', 'Unknown', 'NodeStatusUnknown', '', minutes)] });
    const stateOf = (minutes: number) =>
      healthStateOf(subject, evidence([initialized(30), unready(minutes)])).state;
    expect([stateOf(1), stateOf(3)]).toEqual(['soon', 'late']);
    expect(healthStateOf(subject, evidence([initialized(30), aNode()])).state).toBe('well');
  });

  test('says so if it names no node', () => {
    const nameless = { ...initialized(30), nodeName: undefined };
    expect(healthStateOf(subject, evidence([nameless])).text).toBe(
      'The NodeClaim is Initialized, but it names no node.',
    );
  });

  test('has not passed the last layer while its node is not Ready', () => {
    const unready = aNode({ conditions: [condition('Ready', 'False', 'KubeletNotReady', '', 1)] });
    const proof = (node: ReturnType<typeof aNode>) =>
      proofOf('scheduling', subject, evidence([initialized(30), node]), azureDiagnosis());
    expect(proof(unready)).toEqual({ state: 'unknown', detail: 'node aks-default-x7k2p is not Ready' });
    expect(proof(aNode()).state).toBe('ok');
  });
});
