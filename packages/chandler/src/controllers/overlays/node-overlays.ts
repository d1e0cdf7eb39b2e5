/**
 * Validates NodeOverlays, alone and against each other, and writes the result to their conditions. The scheduler
 * applies overlays itself and ignores invalid ones by the same rules.
 */
import type { Stored } from '@chandler/kube';
import { Controller, onceSource, type Reflector, type StoreChange, storeSource } from '@chandler/kube';
import { conditionsOf, NODE_OVERLAYS, type NodeOverlay, writeStatus } from '../../api/index.ts';
import { isCloudError } from '../../cloud/index.ts';
import { type InputError, type Overlay, type PoolInput, solve } from '../../scheduling/index.ts';
import { byKey } from '../../state/index.ts';

import { type ControllerContext, type ReconcileScope, scopeOf } from '../context.ts';

type OverlayObject = Stored<NodeOverlay>;
const OVERLAYS = NODE_OVERLAYS;
const PERIOD_MS = 6 * 60 * 60_000;
/** While the instance types of some pool cannot be read. */
const RETRY_MS = 60_000;
const CONFLICT = 'conflict with another overlay';

export function nodeOverlays(context: ControllerContext): Controller {
  const { world, stores } = context;
  const all = { keys: () => [''], filter: specChanged };
  return new Controller({
    name: 'nodeoverlay.controller',
    world,
    sources: [
      onceSource(),
      ...(stores.overlays === undefined ? [] : [storeSource(stores.overlays, all)]),
      storeSource(stores.pools, all),
      ...[...stores.nodeClasses.values()].map((reflector: Reflector) => storeSource(reflector, all)),
    ],
    async reconcile(_, run) {
      const scope = scopeOf(context, run);
      const overlays = [...(stores.overlays?.store.values() ?? [])].sort(byKey);
      if (overlays.length === 0) return {};
      const found = await validate(scope, overlays);
      let refused: unknown;
      for (const overlay of overlays)
        await report(scope, overlay, found).catch((error: unknown) => {
          scope.signal.throwIfAborted();
          // One overlay that cannot be written does not hide the others.
          refused ??= error;
        });
      if (refused !== undefined) throw refused;
      return { requeueAfterMs: found.isComplete ? PERIOD_MS : RETRY_MS };
    },
  });
}

// ---------------------------------------------------------------------------------------------------

function specChanged({ type, object, before }: StoreChange): boolean {
  return type !== 'updated' || object.metadata.generation !== before?.metadata.generation;
}

interface Validation {
  readonly errors: readonly InputError[];
  /** False: the instance types of some pool are not known, and overlays may be in conflict there. */
  readonly isComplete: boolean;
}

/** A plan without pods validates every overlay against the types of every pool. */
async function validate(context: ReconcileScope, overlays: readonly OverlayObject[]): Promise<Validation> {
  const pools: PoolInput[] = [];
  let isComplete = true;
  for (const nodePool of [...context.stores.pools.store.values()].sort(byKey)) {
    const nodeClass = context.stores.nodeClass(nodePool.spec.template.spec.nodeClassRef);
    if (nodeClass === undefined) continue;
    try {
      const instanceTypes = await context.cloud.instanceTypes({ nodePool, nodeClass }, context.signal);
      pools.push({ nodePool, instanceTypes });
    } catch (error) {
      context.signal.throwIfAborted();
      if (!isCloudError(error)) throw error;
      isComplete = false;
    }
  }
  const { cloud } = context;
  const input = { pools, pods: [], overlays: overlays as readonly Overlay[] };
  const { inputErrors: errors } = solve({ ...input, wellKnownLabels: cloud.wellKnownLabels });
  return { errors, isComplete };
}

async function report(
  { client, world }: ReconcileScope,
  overlay: OverlayObject,
  { errors, isComplete }: Validation,
): Promise<void> {
  const own = errors.filter(({ object }) => object === `NodeOverlay/${overlay.metadata.name}`);
  // What was known before is better than what was found without some pools.
  if (own.length === 0 && !isComplete) return;
  const unsound = own.filter(({ conflict }) => conflict !== true);
  const conditions = conditionsOf('NodeOverlay', overlay, world.clock.now());
  if (unsound.length > 0) {
    const text = unsound.map(({ field, problem }) => `${field}: ${problem}`).join('; ');
    conditions.setFalse('ValidationSucceeded', 'RuntimeValidation', text);
  } else if (own.length > 0) conditions.setFalse('ValidationSucceeded', 'Conflict', CONFLICT);
  else conditions.setTrue('ValidationSucceeded');
  await writeStatus(client, OVERLAYS, overlay, conditions);
}
