import { turnsOf } from '@chandler/kube';
import { describe, expect, test, vi } from 'vitest';
import { aClaim, aPod, handmade } from '../../state/testing.ts';
import type { ControllerContext } from '../context.ts';
import { PodTimes } from '../metrics/pod-times.ts';
import { triggers } from './triggers.ts';

const DELETED = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['karpenter.sh/termination'] };
const running = (name: string) =>
  aPod(name, { spec: { nodeName: 'n', containers: [] }, status: { phase: 'Running' } });

/** Stores that are filled by hand, and what opened a batch. */
function started(before: readonly object[] = []) {
  const made = handmade();
  const { world, stores, put } = made;
  for (const pod of before) put(stores.pods, pod);
  const opened: string[] = [];
  const context = { world, stores, podTimes: new PodTimes(world) } as unknown as ControllerContext;
  const source = triggers(
    context,
    (key) => opened.push(key),
    () => undefined,
  );
  // It feeds a batcher in place of the queue.
  source.start(undefined as never, world.log, turnsOf(world.clock));
  const reads = vi.spyOn(stores.pods.store, 'values');
  /** The names of the claims that get a deletion timestamp, one after the other. */
  const deleteClaims = (names: readonly string[]) => {
    for (const name of names) put(stores.claims, aClaim(name));
    for (const name of names) {
      const claim = aClaim(name);
      put(stores.claims, { ...claim, metadata: { ...claim.metadata, ...DELETED } });
    }
  };
  return { ...made, opened, reads, deleteClaims };
}

describe('the deletion of many NodeClaims', () => {
  test('reads no list of all pods for each of them, while pods are pending and while none is', () => {
    const { reads, deleteClaims, put, stores } = started([running('a')]);
    deleteClaims(['one', 'two', 'three']);
    put(stores.pods, aPod('pending'));
    deleteClaims(['four', 'five']);
    expect(reads).not.toHaveBeenCalled();
  });

  test('opens a batch while a pod is pending, and no longer when it is bound, deleted or created again', () => {
    const { opened, deleteClaims, put, remove, stores } = started([aPod('early')]);
    const batches = (name: string) => {
      opened.length = 0;
      deleteClaims([name]);
      return opened.length;
    };
    expect(batches('one')).toBe(1);
    put(stores.pods, running('early'));
    expect(batches('two')).toBe(0);
    const late = put(stores.pods, aPod('late'));
    expect(batches('three')).toBe(1);
    remove(stores.pods, late);
    expect(batches('four')).toBe(0);
    put(stores.pods, aPod('again', { metadata: { name: 'again', namespace: 'default', uid: 'first' } }));
    put(stores.pods, {
      ...running('again'),
      metadata: { name: 'again', namespace: 'default', uid: 'second' },
    });
    expect(batches('five')).toBe(0);
  });
});
