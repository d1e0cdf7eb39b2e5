/**
 * Validates NodeOverlays, alone and against each other, and writes the result to their conditions. The scheduler
 * applies overlays itself and ignores invalid ones by the same rules. In a cluster with NodePools of two clouds each
 * process judges by its own instance types: a conflict names the kind of node class, and only who found it ends it.
 */
import type { Stored } from '@chandler/kube';
import { Controller, onceSource, type Reflector, type StoreChange, storeSource } from '@chandler/kube';
import { conditionsOf, NODE_OVERLAYS, type NodeOverlay, writeStatus } from '../../api/index.ts';
import { isCloudError } from '../../cloud/index.ts';
import { type InputError, type Overlay, type PoolInput, solve } from '../../scheduling/index.ts';
import { byKey, conditionOf } from '../../state/index.ts';

import { type ControllerContext, type ReconcileScope, scopeOf } from '../context.ts';

type OverlayObject = Stored<NodeOverlay>;
const OVERLAYS = NODE_OVERLAYS;
const PERIOD_MS = 6 * 60 * 60_000;
/** While the instance types of some pool cannot be read. */
const RETRY_MS = 60_000;
const CONFLICT = 'conflict with another overlay';
const IN_POOLS_OF = ' in NodePools of ';

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
  /** Other NodePools belong to another process. */
  readonly isShared: boolean;
}

/** A plan without pods validates every overlay against the types of every pool. */
async function validate(context: ReconcileScope, overlays: readonly OverlayObject[]): Promise<Validation> {
  const pools: PoolInput[] = [];
  let isComplete = true;
  let isShared = false;
  for (const nodePool of [...context.stores.pools.store.values()].sort(byKey)) {
    const reference = nodePool.spec.template.spec.nodeClassRef;
    isShared ||= !context.stores.runs(reference);
    const nodeClass = context.stores.nodeClass(reference);
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
  return { errors, isComplete, isShared };
}

async function report(
  { client, world, stores }: ReconcileScope,
  overlay: OverlayObject,
  { errors, isComplete, isShared }: Validation,
): Promise<void> {
  const own = errors.filter(({ object }) => object === `NodeOverlay/${overlay.metadata.name}`);
  // What was known before is better than what was found without some pools.
  if (own.length === 0 && !isComplete) return;
  const kinds = [...stores.nodeClasses.keys()].map((key) => key.slice(key.indexOf('/') + 1));
  if (own.length === 0 && isShared && isOthersConflict(overlay, kinds)) return;
  const unsound = own.filter(({ conflict }) => conflict !== true);
  const conditions = conditionsOf('NodeOverlay', overlay, world.clock.now());
  if (unsound.length > 0) {
    const text = unsound.map(({ field, problem }) => `${field}: ${problem}`).join('; ');
    conditions.setFalse('ValidationSucceeded', 'RuntimeValidation', text);
  } else if (own.length > 0) {
    const text = isShared ? `${CONFLICT}${IN_POOLS_OF}${kinds.join(', ')}` : CONFLICT;
    conditions.setFalse('ValidationSucceeded', 'Conflict', text);
  } else conditions.setTrue('ValidationSucceeded');
  await writeStatus(client, OVERLAYS, overlay, conditions);
}

/** Found by the process of another cloud, for the overlay as it is. */
function isOthersConflict(overlay: OverlayObject, kinds: readonly string[]): boolean {
  const { reason, message = '', observedGeneration } = conditionOf(overlay, 'ValidationSucceeded') ?? {};
  const [, finders] = message.split(IN_POOLS_OF);
  return (
    reason === 'Conflict' &&
    observedGeneration === overlay.metadata.generation &&
    finders !== undefined &&
    !finders.split(', ').some((kind) => kinds.includes(kind))
  );
}
