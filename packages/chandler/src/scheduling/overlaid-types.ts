/**
 * The instance types of one pool as the planner sees them: with NodeOverlays applied. For everybody who does not plan.
 * Every launch asks for the same few lists, and clouds keep the types that did not change: what was computed for a type
 * is kept with it.
 */
import { applyOverlays, type ReadOverlay, readOverlays } from './catalogue/overlays.ts';
import { readTemplate } from './engine/pools.ts';
import type { InstanceType, Overlay, PoolObject } from './model.ts';
import { Algebra, type RequirementSet } from './requirements/algebra.ts';

/** In the order of the types, the same object where no overlay applies. Invalid and conflicting overlays apply nowhere. */
export function overlaidTypes<T extends InstanceType>(
  types: readonly T[],
  nodePool: PoolObject,
  overlays: readonly Overlay[],
): readonly T[] {
  if (overlays.length === 0) return types;
  const adjustment = adjustmentFor(nodePool, overlays);
  return types.map((type) => adjustedType(type, adjustment));
}

// ---------------------------------------------------------------------------------------------------------------

interface Adjustment {
  readonly algebra: Algebra;
  readonly overlays: readonly ReadOverlay[];
  /** Undefined: the template is invalid, and nothing is launched from it. */
  readonly template: RequirementSet | undefined;
  readonly known: WeakMap<InstanceType, InstanceType>;
}

/** Pools and versions of their overlays; the oldest is dropped. */
const MAX_ADJUSTMENTS = 64;
const adjustments = new Map<string, Adjustment>();

function adjustmentFor(nodePool: PoolObject, overlays: readonly Overlay[]): Adjustment {
  const name = nodePool.metadata.name ?? '';
  const specs = overlays.map(({ metadata, spec }) => [metadata.name, spec]);
  const key = JSON.stringify([name, nodePool.spec.template, specs]);
  const known = adjustments.get(key);
  if (known !== undefined) return known;
  const algebra = new Algebra();
  const adjustment: Adjustment = {
    algebra,
    overlays: readOverlays(algebra, overlays, []),
    template: readTemplate(algebra, nodePool, name, [])?.set,
    known: new WeakMap(),
  };
  adjustments.set(key, adjustment);
  const [oldest] = adjustments.keys();
  if (adjustments.size > MAX_ADJUSTMENTS && oldest !== undefined) adjustments.delete(oldest);
  return adjustment;
}

/** No type depends on another one. */
function adjustedType<T extends InstanceType>(
  type: T,
  { algebra, overlays, template, known }: Adjustment,
): T {
  if (template === undefined) return type;
  const before = known.get(type);
  if (before !== undefined) return before as T;
  const adjusted = applyOverlays(algebra, overlays, [type], template, []).types[0] ?? type;
  known.set(type, adjusted);
  return adjusted;
}
