import { expect, test } from 'vitest';
import { claimPhase } from './claim-phase.ts';

const claimWith = (...conditions: readonly [type: string, status: string, reason: string][]) => ({
  metadata: {},
  status: { conditions: conditions.map(([type, status, reason]) => ({ type, status, reason })) },
});

test('a claim whose bootstrap failed does not look like one that boots', () => {
  const claim = claimWith(
    ['Launched', 'True', 'Launched'],
    ['Registered', 'Unknown', 'NodeNotFound'],
    ['CSEProvisioned', 'False', 'CSEFailed'],
  );
  expect(claimPhase(claim, undefined)).toEqual({ phase: 'CSEFailed', warning: true });
});

test('the outcome of the bootstrap says nothing once the node has registered', () => {
  const claim = claimWith(
    ['Launched', 'True', 'Launched'],
    ['Registered', 'True', 'Registered'],
    ['CSEProvisioned', 'False', 'CSEFailed'],
  );
  expect(claimPhase(claim, 'False')).toEqual({ phase: 'registered', warning: false });
});
