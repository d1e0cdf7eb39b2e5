import { stored } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import type { NodeClaim } from '../../api/index.ts';
import { QuestionError } from '../../dashboard/index.ts';
import { encodeJourney } from '../../journey/testing.ts';
import { ClaimAnswers, claimRow } from './claims-answer.ts';
import type { Explainer } from './explainer.ts';

const START_MS = Date.UTC(2026, 0, 1);
const at = (seconds: number) => new Date(START_MS + seconds * 1000).toISOString();

function aClaim(name: string, registeredAfter: number | undefined, more: object = {}) {
  const journey = encodeJourney([
    {
      name: 'offering',
      atMs: START_MS + 1_000,
      outcome: 'ok',
      facts: { size: { value: 'D4', source: 'NodePool' } },
    },
    { name: 'networkInterface', atMs: START_MS + 5_000, outcome: 'ok' },
    {
      name: 'vmOperation',
      atMs: START_MS + 9_000,
      outcome: registeredAfter === undefined ? 'waiting' : 'ok',
    },
  ]);
  const done =
    registeredAfter === undefined
      ? []
      : ['Registered', 'Initialized'].map((type, index) => ({
          type,
          status: 'True',
          lastTransitionTime: at(registeredAfter + index * 10),
        }));
  return stored({
    metadata: {
      name,
      labels: { 'karpenter.sh/nodepool': 'general', 'node.kubernetes.io/instance-type': 'D4' },
      creationTimestamp: at(0),
      annotations: { 'chandler.sh/journey': journey },
      ...more,
    },
    spec: { nodeClassRef: { group: 'g', kind: 'Class', name: 'default' }, requirements: [] },
    status: { conditions: done },
  } as unknown as NodeClaim & { metadata: { name: string } });
}

test('a claim is a waterfall: every stage begins where the one before has ended', () => {
  const { stages, outcome, type } = claimRow(aClaim('a', 40));
  expect([outcome, type]).toEqual(['succeeded', 'D4']);
  const seconds = stages.map(({ stage, text, startMs, endMs }) => [
    stage,
    text,
    (startMs - START_MS) / 1000,
    endMs === null ? null : (endMs - START_MS) / 1000,
  ]);
  expect(seconds).toEqual([
    ['offering', 'Offering', 0, 1],
    ['networkInterface', 'Network interface', 1, 5],
    ['vmOperation', 'VM operation', 5, 9],
    ['registered', 'Registered', 9, 40],
    ['initialized', 'Initialized', 40, 50],
  ]);
  expect(stages[0]?.detail).toBe('size D4 (NodePool)');
});

test('a stage in progress has no end', () => {
  const { stages, outcome } = claimRow(aClaim('a', undefined));
  expect(outcome).toBe('under-way');
  expect(stages.at(-1)).toMatchObject({ stage: 'vmOperation', endMs: null, outcome: 'waiting' });
});

test('what was awaited is over when something came after it', () => {
  const journey = encodeJourney([
    { name: 'networkInterface', atMs: START_MS + 2_000, outcome: 'waiting' },
    { name: 'vmObject', atMs: START_MS + 6_000, outcome: 'ok' },
    { name: 'extension', atMs: START_MS + 9_000, outcome: 'waiting' },
  ]);
  const { stages } = claimRow(aClaim('a', undefined, { annotations: { 'chandler.sh/journey': journey } }));
  expect(stages.map(({ stage, outcome, endMs }) => [stage, outcome, endMs && endMs - START_MS])).toEqual([
    ['networkInterface', 'ok', 6_000],
    ['vmObject', 'ok', 6_000],
    ['extension', 'waiting', null],
  ]);
});

test('medians are by NodePool and for all, over those that succeeded', async () => {
  const answers = new ClaimAnswers({} as Explainer);
  const claims = [aClaim('a', 20), aClaim('b', 40), aClaim('c', 90), aClaim('d', undefined)];
  const { medians, claims: rows } = await answers.answer(claims, [], START_MS + 100_000);
  expect(medians['*']).toMatchObject({ offering: 1, registered: 40, initialized: 50 });
  expect(medians['general']).toEqual(medians['*']);
  expect(rows).toHaveLength(4);
});

test('those that failed are there when they are gone, each with its cause, which is asked for once', async () => {
  let asked = 0;
  const explainer = {
    explain: async () => {
      asked += 1;
      return { cause: { id: 'quota' } };
    },
  } as unknown as Explainer;
  const answers = new ClaimAnswers(explainer);
  const kept = [{ atMs: START_MS + 60_000, claim: aClaim('gone', undefined) }];
  for (let time = 0; time < 2; time++) {
    const { claims } = await answers.answer([aClaim('a', 20)], kept as never, START_MS + 100_000);
    expect(claims.map(({ name, outcome, cause }) => [name, outcome, cause])).toContainEqual([
      'gone',
      'failed',
      { id: 'quota' },
    ]);
  }
  expect(asked).toBe(1);
});

test('a cause that could not be read is asked for again', async () => {
  let isDown = true;
  const explainer = {
    explain: async () => {
      if (isDown) throw new QuestionError(503, 'no answer');
      return { cause: { id: 'quota' } };
    },
  } as unknown as Explainer;
  const answers = new ClaimAnswers(explainer);
  const kept = [{ atMs: START_MS + 60_000, claim: aClaim('gone', undefined) }] as never;
  const causes = async () =>
    (await answers.answer([], kept, START_MS + 100_000)).claims.map(({ cause }) => cause);
  expect(await causes()).toEqual([null]);
  isDown = false;
  expect(await causes()).toEqual([{ id: 'quota' }]);
});

test('what a claim was waiting for when it failed ends with the failure', () => {
  const waiting = {
    type: 'Registered',
    status: 'Unknown',
    reason: 'NodeNotFound',
    lastTransitionTime: at(10),
  };
  const claim = { ...aClaim('a', undefined), status: { conditions: [waiting] } };
  const { stages, outcome } = claimRow(claim as never, START_MS + 30_000);
  expect(outcome).toBe('failed');
  expect(stages.filter(({ endMs }) => endMs === null)).toEqual([]);
  expect(Math.max(...stages.map(({ endMs }) => endMs ?? 0))).toBe(START_MS + 30_000);
});

test('after a stage that failed no other one is waited for', () => {
  const journey = encodeJourney([
    { name: 'offering', atMs: START_MS + 1_000, outcome: 'ok' },
    { name: 'vmOperation', atMs: START_MS + 9_000, outcome: 'failed', message: 'no capacity' },
  ]);
  const waiting = {
    type: 'Registered',
    status: 'Unknown',
    reason: 'NodeNotFound',
    lastTransitionTime: at(10),
  };
  const given = aClaim('a', undefined, { annotations: { 'chandler.sh/journey': journey } });
  const { stages } = claimRow({ ...given, status: { conditions: [waiting] } } as never, START_MS + 30_000);
  expect(stages.map(({ stage, endMs }) => [stage, ((endMs ?? 0) - START_MS) / 1000])).toEqual([
    ['offering', 1],
    ['vmOperation', 9],
  ]);
});
