import { expect, test } from 'vitest';
import { aClaim, aPod, handmade } from '../state/testing.ts';
import { claimsOfOthersFor } from './observer.ts';

const at = (minute: string) => `2026-01-01T00:${minute}:00Z`;
const pendingSince = (minute: string) =>
  aPod(`since-${minute}`, {
    status: {
      phase: 'Pending',
      conditions: [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'Unschedulable',
          lastTransitionTime: at(minute),
        },
      ],
    },
  });

test('claims that were created after the first pod became unschedulable belong to another controller, however many pods are pending', () => {
  const { stores, cluster, put } = handmade();
  for (const [name, minute] of [
    ['before', '01'],
    ['after', '03'],
  ] as const) {
    const { metadata, ...claim } = aClaim(name);
    put(stores.claims, { ...claim, metadata: { ...metadata, creationTimestamp: at(minute) } });
  }
  const first = put(stores.pods, pendingSince('02'));
  const later = put(stores.pods, pendingSince('04'));
  const pods = [...Array.from({ length: 200_000 }, () => later), first];
  const found = claimsOfOthersFor(pods, { cluster });
  expect(found.map(({ claim }) => claim?.metadata.name)).toEqual(['after']);
  expect(claimsOfOthersFor([], { cluster })).toEqual([]);
});
