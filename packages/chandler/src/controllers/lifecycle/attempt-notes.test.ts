import { describe, expect, test } from 'vitest';
import { isAttemptNote } from './attempt-notes.ts';
import type { Claim } from './claim-patch.ts';

function aClaim(over: { metadata?: object; launched?: object; conditions?: readonly object[] } = {}): Claim {
  const launched = { type: 'Launched', status: 'Unknown', reason: 'SubnetFull', ...over.launched };
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      name: 'a-x1y2z',
      uid: 'u1',
      resourceVersion: '1',
      generation: 1,
      finalizers: ['karpenter.sh/termination'],
      annotations: { 'chandler.sh/journey': '[1]', team: 'x' },
      ...over.metadata,
    },
    spec: {
      nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'one' },
      requirements: [],
    },
    status: { conditions: [launched, ...(over.conditions ?? [])] },
  } as unknown as Claim;
}

const becomes = (over: Parameters<typeof aClaim>[0]) =>
  isAttemptNote({ before: aClaim(), object: aClaim(over) });

describe('a claim whose launch is tried again', () => {
  test('triggers no reconcile when only its journey and its launch condition changed', () => {
    const annotations = { 'chandler.sh/journey': '[2]', team: 'x' };
    expect(becomes({ metadata: { resourceVersion: '2', annotations } })).toBe(true);
    expect(becomes({ launched: { reason: 'CloudUnreachable', message: 'no answer' } })).toBe(true);
  });

  test('triggers a reconcile when it was launched, is deleted, or was changed by another writer', () => {
    expect(becomes({ launched: { status: 'True', reason: 'Launched' } })).toBe(false);
    expect(becomes({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })).toBe(false);
    expect(becomes({ metadata: { annotations: { 'chandler.sh/journey': '[1]', team: 'y' } } })).toBe(false);
    expect(becomes({ metadata: { finalizers: [] } })).toBe(false);
    expect(becomes({ conditions: [{ type: 'Registered', status: 'Unknown' }] })).toBe(false);
  });

  test('triggers a reconcile when it is new', () => {
    expect(isAttemptNote({ object: aClaim() })).toBe(false);
    const fresh = { ...aClaim(), status: {} } as Claim;
    expect(isAttemptNote({ before: fresh, object: aClaim() })).toBe(false);
  });
});
