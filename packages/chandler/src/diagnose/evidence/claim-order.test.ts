import { describe, expect, test } from 'vitest';
import { ChandlerAnnotation } from '../../api/index.ts';
import { appendStages } from '../../journey/index.ts';
import { oldestFirst, urgentFirst } from './claim-order.ts';
import type { ClaimShape } from './shapes.ts';

const NOW_MS = Date.parse('2026-06-01T09:00:00Z');

/** With conditions as `Launched=False:Refused`. */
function aClaim(name: string, minutes: number, conditions: readonly string[] = [], failedStage = false) {
  const annotations = failedStage
    ? {
        [ChandlerAnnotation.journey]: appendStages(undefined, [
          { name: 'extension', atMs: 0, outcome: 'failed', message: 'no' },
        ]),
      }
    : {};
  return {
    metadata: {
      name,
      creationTimestamp: new Date(NOW_MS - minutes * 60_000).toISOString(),
      annotations,
    },
    status: {
      conditions: conditions.map((text) => {
        const [, type, status, reason] = /^(\w+)=(\w+):?(\w*)$/.exec(text)!;
        return { type, status, reason };
      }),
    },
  } as unknown as ClaimShape;
}

const namesOf = (claims: readonly ClaimShape[]) => claims.map(({ metadata }) => metadata.name);

describe('NodeClaims in the order in which they are looked at', () => {
  test.each([
    ['whose bootstrap failed', aClaim('it', 9, ['Launched=True', 'CSEProvisioned=False:CSEFailed'])],
    ['whose launch is refused', aClaim('it', 9, ['Launched=Unknown:DiskEncryptionSetRBACMissing'])],
    ['whose launch failed', aClaim('it', 9, ['Launched=False:LaunchFailed'])],
    ['with a failed stage in its launch record', aClaim('it', 9, ['Launched=True'], true)],
    ['that is no node after more than a quarter of an hour', aClaim('it', 16, ['Launched=True'])],
  ])('one %s comes before newer ones in progress', (_, failing) => {
    const others = Array.from({ length: 20 }, (_each, index) =>
      aClaim(`new-${index}`, 1, ['Launched=Unknown:AwaitingReconciliation']),
    );
    expect(namesOf(urgentFirst([...others, failing], NOW_MS))[0]).toBe('it');
  });

  test('those that fail, the newest first; those that are late, the oldest first; the rest, the newest first', () => {
    const claims = [
      aClaim('late', 20),
      aClaim('young', 1),
      aClaim('failed', 30, ['Launched=False:No']),
      aClaim('later', 60),
      aClaim('failed-now', 2, ['Launched=False:No']),
      aClaim('older', 5),
    ];
    const expected = ['failed-now', 'failed', 'later', 'late', 'young', 'older'];
    expect(namesOf(urgentFirst(claims, NOW_MS))).toEqual(expected);
    expect(namesOf(urgentFirst(claims.toReversed(), NOW_MS))).toEqual(expected);
  });

  test('one that is a node is not late, and fails only where its node does', () => {
    const node = aClaim('node', 600, ['Launched=True', 'Registered=True', 'Initialized=True']);
    const young = aClaim('young', 1);
    expect(namesOf(urgentFirst([node, young], NOW_MS))).toEqual(['young', 'node']);
    expect(namesOf(urgentFirst([young, node], NOW_MS, (claim) => claim === node))).toEqual(['node', 'young']);
  });

  test('of the same age, by name', () => {
    expect(namesOf(urgentFirst([aClaim('b', 1), aClaim('a', 1)], NOW_MS))).toEqual(['a', 'b']);
  });
});

test('the longest in progress come first, and of the same age those whose names do', () => {
  expect(namesOf(oldestFirst([aClaim('b', 1), aClaim('d', 3), aClaim('a', 1)]))).toEqual(['d', 'a', 'b']);
  expect(namesOf(oldestFirst([aClaim('b', 1), aClaim('a', 3), aClaim('c', 2)]))).toEqual(['a', 'c', 'b']);
});
