import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CONDITIONS, type ConditionedKind, type ConditionState } from './conditions.table.ts';
import { renderConditionsDoc } from './conditions-doc.ts';
import { allowedTransition, knownReason, statesOf } from './transitions.ts';

const tables = Object.entries(CONDITIONS) as [ConditionedKind, (typeof CONDITIONS)[ConditionedKind]][];

describe('a condition may change as its table says', () => {
  test.each([
    ['NodeClaim', 'Launched', 'Unknown', 'True', true],
    ['NodeClaim', 'Launched', 'True', 'Unknown', false],
    ['NodeClaim', 'Launched', 'Unknown', 'False', false],
    ['NodeClaim', 'Launched', 'absent', 'True', true],
    ['NodeClaim', 'Launched', 'Unknown', 'absent', false],
    ['NodeClaim', 'Registered', 'False', 'True', false],
    ['NodeClaim', 'Drifted', 'absent', 'True', true],
    ['NodeClaim', 'Drifted', 'True', 'absent', true],
    ['NodeClaim', 'Drifted', 'True', 'False', false],
    ['NodeClaim', 'Drifted', 'absent', 'absent', true],
    ['NodeClaim', 'Drifted', 'False', 'False', false],
    ['NodeClaim', 'CSEProvisioned', 'Unknown', 'False', true],
    ['NodeClaim', 'InstanceTerminating', 'True', 'absent', false],
    ['NodePool', 'Ready', 'absent', 'False', true],
    ['NodePool', 'NodeRegistrationHealthy', 'True', 'Unknown', true],
    ['AKSNodeClass', 'KubernetesVersionReady', 'Unknown', 'False', false],
    ['AKSNodeClass', 'ImagesReady', 'True', 'False', true],
    ['EC2NodeClass', 'ValidationSucceeded', 'True', 'Unknown', true],
    ['CapacityBuffer', 'LimitedByQuotas', 'absent', 'True', false],
    ['NodeOverlay', 'NoSuchCondition', 'Unknown', 'True', false],
  ] as [ConditionedKind, string, ConditionState, ConditionState, boolean][])(
    '%s %s from %s to %s: %s',
    (kind, type, from, to, allowed) => {
      expect(allowedTransition(kind, type, from, to)).toBe(allowed);
    },
  );
});

describe('a reason is known', () => {
  test('when it is listed, or when someone else gives it', () => {
    expect(knownReason('NodeClaim', 'Initialized', 'Unknown', 'NodeNotReady')).toBe(true);
    expect(knownReason('NodeClaim', 'Initialized', 'Unknown', 'Whatever')).toBe(false);
    expect(knownReason('NodeClaim', 'Launched', 'Unknown', 'QuotaExceeded')).toBe(true);
    expect(knownReason('NodeClaim', 'Launched', 'True', 'QuotaExceeded')).toBe(false);
    expect(knownReason('NodeClaim', 'NoSuchCondition', 'True', 'x')).toBe(false);
  });
});

describe.each(tables)('the table of %s', (_, table) => {
  test('moves only between states that have reasons, and every state can be reached', () => {
    for (const row of table.rows) {
      const states = statesOf(row);
      for (const move of row.moves) {
        for (const state of move.split('>'))
          expect([row.type, states.has(state as ConditionState)]).toEqual([row.type, true]);
      }
      const reached = new Set(row.moves.map((move) => move.split('>')[1]));
      for (const state of states) {
        const start =
          state === 'absent' || (state === 'Unknown' && (row.dependent || row.type === table.root));
        expect([row.type, state, start || reached.has(state)]).toEqual([row.type, state, true]);
      }
    }
  });

  test('names no condition twice', () => {
    const types = table.rows.map((row) => row.type);
    expect(new Set(types).size).toBe(types.length);
  });
});

test('docs/conditions.md is what the table says', () => {
  const written = readFileSync(new URL('../../../../../docs/conditions.md', import.meta.url), 'utf8');
  expect(written).toBe(renderConditionsDoc());
});
