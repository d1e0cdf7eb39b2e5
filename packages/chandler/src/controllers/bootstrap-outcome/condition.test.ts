import { expect, test } from 'vitest';
import { ChandlerAnnotation } from '../../api/index.ts';
import { type Claim, ClaimPatch } from '../lifecycle/claim-patch.ts';
import { noteBootstrap } from './condition.ts';

const { bootstrapFailure, bootstrapLog } = ChandlerAnnotation;

function annotationsAfter(registered: 'True' | 'Unknown'): readonly string[] {
  const at = { lastTransitionTime: '2026-11-17T10:00:00Z', observedGeneration: 1, message: '' };
  const claim = {
    metadata: {
      name: 'a',
      generation: 1,
      annotations: { [bootstrapFailure]: '50 ERR_OUTBOUND_CONN_FAIL', [bootstrapLog]: '+ exit 50' },
    },
    status: {
      conditions: [
        { ...at, type: 'Launched', status: 'True', reason: 'Launched' },
        { ...at, type: 'CSEProvisioned', status: 'False', reason: 'CSEFailed' },
        { ...at, type: 'Registered', status: registered, reason: 'Registered' },
      ],
    },
  } as unknown as Claim;
  const claimPatch = new ClaimPatch(claim, 0);
  noteBootstrap({ cloud: { bootstrap: {} } } as never, claimPatch, false);
  return Object.keys(claimPatch.annotations);
}

test('a claim that registered after all no longer shows a failed bootstrap', () => {
  expect(annotationsAfter('Unknown')).toEqual([bootstrapFailure, bootstrapLog]);
  expect(annotationsAfter('True')).toEqual([]);
});
