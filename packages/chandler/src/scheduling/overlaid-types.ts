/**
 * The instance types of one pool as the planner sees them: with NodeOverlays applied. For everybody who does not plan.
 * Every launch asks for the same few lists, and clouds keep the types that did not change: what was computed for a type
 * is kept with it. Pools for which the same overlays count share one list, so that what is read of a list is read once.
 */
import { agree, applyOverlays, type ReadOverlay, readOverlays } from './catalogue/overlays.ts';
import { readTemplate } from './engine/pools.ts';
import type { InstanceType, Overlay, PoolObject } from './model.ts';
import { Algebra, type RequirementSet } from './requirements/algebra.ts';

/**
 * In the order of the types, the same object where no overlay applies, and the same list where none applies to any of them.
 * Invalid and conflicting overlays apply nowhere.
 */
export function overlaidTypes<T extends InstanceType>(
  types: readonly T[],
  nodePool: PoolObject,
  overlays: readonly Overlay[],
): readonly T[] {
  if (overlays.length === 0) return types;
  const version = versionOf(overlays);
  const adjustment = adjustmentFor(version, nodePool);
  // An invalid template: nothing is launched from it.
  if (adjustment === undefined) return types;
  const before = adjustment.lists.get(types);
  if (before !== undefined) return before as readonly T[];
  const adjusted = types.map((type) => adjustedType(type, version.algebra, adjustment));
  const result = adjusted.some((type, at) => type !== types[at]) ? adjusted : types;
  adjustment.lists.set(types, result);
  return result;
}

// ---------------------------------------------------------------------------------------------------------------

/** Some overlays, as they were at one time. */
interface OverlaysVersion {
  readonly algebra: Algebra;
  readonly overlays: readonly ReadOverlay[];
  /** By pool and its template. */
  readonly ofPools: Map<string, Adjustment | undefined>;
  /** By the overlays that agree with the template. */
  readonly adjustments: Map<string, Adjustment>;
}

/** What pools have in common whose templates agree with the same overlays. */
interface Adjustment {
  readonly overlays: readonly ReadOverlay[];
  /** One of theirs: it makes no further difference, because overlays are compared with it and with the type one by one. */
  readonly template: RequirementSet;
  readonly types: WeakMap<InstanceType, InstanceType>;
  readonly lists: WeakMap<readonly InstanceType[], readonly InstanceType[]>;
}

/** The oldest is dropped. */
const MAX_VERSIONS = 8;
const MAX_POOLS = 512;
const versions = new Map<string, OverlaysVersion>();

function versionOf(overlays: readonly Overlay[]): OverlaysVersion {
  const key = JSON.stringify(overlays.map(({ metadata, spec }) => [metadata.name, spec]));
  const known = versions.get(key);
  if (known !== undefined) return known;
  const algebra = new Algebra();
  const version: OverlaysVersion = {
    algebra,
    overlays: readOverlays(algebra, overlays, []),
    ofPools: new Map(),
    adjustments: new Map(),
  };
  setBounded(versions, key, version, MAX_VERSIONS);
  return version;
}

function adjustmentFor(version: OverlaysVersion, nodePool: PoolObject): Adjustment | undefined {
  const name = nodePool.metadata.name ?? '';
  const key = JSON.stringify([name, nodePool.spec.template]);
  if (version.ofPools.has(key)) return version.ofPools.get(key);
  const template = readTemplate(version.algebra, nodePool, name, [])?.set;
  const adjustment = template === undefined ? undefined : adjustmentOf(version, template);
  setBounded(version.ofPools, key, adjustment, MAX_POOLS);
  return adjustment;
}

function adjustmentOf(
  { algebra, overlays: all, adjustments }: OverlaysVersion,
  template: RequirementSet,
): Adjustment {
  const overlays = all.filter(({ requirements }) => agree(algebra, template.items, requirements));
  const key = JSON.stringify(overlays.map(({ name }) => name));
  const adjustment = adjustments.get(key) ?? {
    overlays,
    template,
    types: new WeakMap(),
    lists: new WeakMap(),
  };
  setBounded(adjustments, key, adjustment, MAX_POOLS);
  return adjustment;
}

/** No type depends on another one. */
function adjustedType<T extends InstanceType>(
  type: T,
  algebra: Algebra,
  { overlays, template, types }: Adjustment,
): T {
  const before = types.get(type);
  if (before !== undefined) return before as T;
  const adjusted = applyOverlays(algebra, overlays, [type], template, []).types[0] ?? type;
  types.set(type, adjusted);
  return adjusted;
}

function setBounded<V>(map: Map<string, V>, key: string, value: V, max: number): void {
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > max && oldest !== undefined) map.delete(oldest);
}
