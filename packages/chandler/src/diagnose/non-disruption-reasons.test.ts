import { expect, test } from 'vitest';
import { aClaim, aNode, condition, events, evidence, NOW_MS } from '../causes/testing.ts';
import { nonDisruptionReasons } from './non-disruption-reasons.ts';

const MINUTE_MS = 60_000;
const ready = [
  condition('Launched', 'True'),
  condition('Registered', 'True'),
  condition('Initialized', 'True'),
];
const consolidatable = condition('Consolidatable', 'True');
const drifted = condition('Drifted', 'True', 'NodePoolDrifted');
const said = (reason: string, message: string, agoMinutes: number, object = 'Node/aks-default-x7k2p') => ({
  object,
  reason,
  message,
  lastMs: NOW_MS - agoMinutes * MINUTE_MS,
});

function textsOf(conditions: Parameters<typeof aClaim>[0], ...told: readonly ReturnType<typeof said>[]) {
  const set = evidence([aClaim(conditions), aNode(), events(...told)]);
  return nonDisruptionReasons({ kind: 'node', name: 'aks-default-x7k2p' }, set).map(({ text }) => text);
}

const PDB = 'Pdb prevents pod evictions (PodDisruptionBudget=[shop/web])';
const PRICE = "Can't replace with a cheaper node";

test('all that the controller said lately, the newest first, each once, also where Node and NodeClaim have it', () => {
  expect(
    textsOf(
      { conditions: [...ready, consolidatable] },
      said('Unconsolidatable', PRICE, 9),
      said('DisruptionBlocked', PDB, 3),
      said('DisruptionBlocked', PDB, 4, 'NodeClaim/default-x7k2p'),
      said('DisruptionBlocked', 'Node is nominated for a pending pod', 40),
    ),
  ).toEqual([PDB, PRICE]);
});

test('what was said before the node was there, or held for a moment, is left out', () => {
  expect(
    textsOf(
      { conditions: [...ready, consolidatable] },
      said('DisruptionBlocked', 'Nodeclaim does not have an associated node', 9),
      said('DisruptionBlocked', "Node isn't initialized nor registered", 8),
      said('DisruptionBlocked', 'Node is nominated for a pending pod', 7),
      said('DisruptionBlocked', PDB, 3),
    ),
  ).toEqual([PDB]);
  expect(
    textsOf(
      { conditions: [...ready, consolidatable] },
      said('DisruptionBlocked', 'Node is nominated for a pending pod', 1),
    ),
  ).toEqual(['Node is nominated for a pending pod']);
});

test('a drifted node says so first, then what keeps it, then that it is not consolidated either', () => {
  expect(textsOf({ conditions: [...ready, drifted] }, said('DisruptionBlocked', PDB, 3))).toEqual([
    'it is drifted (NodePoolDrifted) and is not replaced yet',
    PDB,
    expect.stringContaining('it is not Consolidatable'),
  ]);
});

test('a drifted node without events still says that it is drifted', () => {
  expect(textsOf({ conditions: [...ready, consolidatable, drifted] })).toEqual([
    'it is drifted (NodePoolDrifted) and is not replaced yet',
  ]);
});
