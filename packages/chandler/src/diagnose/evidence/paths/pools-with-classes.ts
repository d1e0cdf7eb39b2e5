/** All NodePools with their node classes: what a plan for a pod needs. */
import { NODE_POOLS } from '../../../api/index.ts';
import { isFound, wholeFailure } from '../../../causes/index.ts';

import type { GatherContext } from '../gather-context.ts';
import { ALL_POOLS } from '../plan-basis.ts';
import type { PoolWithClass } from '../plan-input.ts';
import { type ClassRef, classResource } from '../pools.ts';
import type { PoolShape } from '../shapes.ts';

/** Undefined: they may not be read, which is not the same as none. That some are missing in a dump is recorded as well. */
export async function poolsWithClasses(
  context: GatherContext,
): Promise<readonly PoolWithClass[] | undefined> {
  const looked = await context.reader.list(NODE_POOLS);
  const failure = wholeFailure(looked);
  if (failure !== undefined) context.recorder.addUnread('nodePool', ALL_POOLS, failure);
  if (!isFound(looked)) return undefined;
  const pools = looked.found as readonly PoolShape[];
  // Most NodePools share a node class.
  const read = new Map<string, ReturnType<typeof readClass>>();
  return Promise.all(
    pools.map(async (pool) => {
      const ref = pool.spec.template.spec.nodeClassRef;
      const key = `${ref.group} ${ref.kind} ${ref.name}`;
      const reading = read.get(key) ?? readClass(context, ref);
      read.set(key, reading);
      return { pool, ...(await reading) };
    }),
  );
}

// ---------------------------------------------------------------------------------------------------

async function readClass(context: GatherContext, ref: ClassRef): Promise<Omit<PoolWithClass, 'pool'>> {
  const resource = classResource(context, ref);
  if (resource === undefined) return { nodeClass: undefined };
  const looked = await context.reader.get(resource, { name: ref.name });
  if (isFound(looked)) return { nodeClass: looked.found };
  if (looked.why === 'notFound') return { nodeClass: undefined };
  context.recorder.addUnread('nodeClass', `${ref.kind} ${ref.name}`, looked);
  return { nodeClass: undefined, isClassUnread: true };
}
