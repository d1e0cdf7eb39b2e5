import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { ReadObject } from '../../../causes/index.ts';
import type { GatherContext } from '../gather-context.ts';
import { readCreated, type WorkloadShape } from './workload-shapes.ts';

const PAGES = 20;
const JOB = { kind: 'Job', metadata: { name: 'mine', namespace: 'batch', uid: 'uid-mine' } };

function podOf(owner: string, name: string): ReadObject {
  const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'Job', name: owner, uid: `uid-${owner}` }];
  return { kind: 'Pod', metadata: { name, namespace: 'batch', ownerReferences } } as unknown as ReadObject;
}

test('of the pages of a namespace only what the workload owns is kept', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const others: WeakRef<ReadObject>[] = [];
  let kept = -1;
  async function* pages() {
    for (let page = 0; page < PAGES; page++) {
      const other = podOf('other', `other-${page}`);
      others.push(new WeakRef(other));
      yield { found: [other, podOf('mine', `mine-${page}`)] };
    }
    // What was made in this turn is kept until it ends.
    await sleep(0);
    collect();
    kept = others.filter((each) => each.deref() !== undefined).length;
  }
  const context = { reader: { pages }, recorder: {} } as unknown as GatherContext;
  const { pods, isWhole } = await readCreated(context, JOB as unknown as WorkloadShape);
  expect(isWhole).toBe(true);
  expect(pods).toHaveLength(PAGES);
  // The page that was read last may still be on the stack.
  expect(kept).toBeLessThan(3);
});
