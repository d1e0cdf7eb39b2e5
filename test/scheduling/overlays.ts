/**
 * The effect of NodeOverlays on a catalogue, computed naively: for each offering, the matching overlay with
 * the highest weight sets the price; for each resource, the one with the highest weight sets the amount. Two
 * of equal weight cancel each other.
 */
import type {
  InstanceType,
  LabelRequirement,
  Offering,
  Overlay,
  PoolInput,
} from '../../packages/chandler/src/scheduling/index.ts';
import { admits } from './admits.ts';
import { POOL } from './shorthand.ts';

export function withOverlays(
  types: readonly InstanceType[],
  pool: PoolInput,
  overlays: readonly Overlay[],
): readonly InstanceType[] {
  if (overlays.length === 0) return types;
  return types.map((type) => ({
    ...type,
    capacity: { ...type.capacity, ...capacityOf(type, pool, overlays) },
    offerings: type.offerings.map((offering) => ({
      ...offering,
      price: priceOf(type, offering, pool, overlays),
    })),
  }));
}

// ---------------------------------------------------------------------------------------------------

function priceOf(
  type: InstanceType,
  offering: Offering,
  pool: PoolInput,
  overlays: readonly Overlay[],
): number {
  const matching = overlays.filter(
    ({ spec }) => (spec.price ?? spec.priceAdjustment) !== undefined && matches(spec, type, offering, pool),
  );
  const overlay = heaviest(matching);
  if (!overlay) return offering.price;
  const { price, priceAdjustment = '' } = overlay.spec;
  if (price !== undefined) return Number(price);
  const amount = Number(priceAdjustment.replace('%', ''));
  return Math.max(
    0,
    priceAdjustment.endsWith('%') ? offering.price * (1 + amount / 100) : offering.price + amount,
  );
}

function capacityOf(
  type: InstanceType,
  pool: PoolInput,
  overlays: readonly Overlay[],
): Record<string, string> {
  const added: Record<string, string> = {};
  const names = new Set(overlays.flatMap(({ spec }) => Object.keys(spec.capacity ?? {})));
  for (const name of names) {
    const overlay = heaviest(
      overlays.filter(
        ({ spec }) =>
          spec.capacity?.[name] !== undefined &&
          type.offerings.some((offering) => matches(spec, type, offering, pool)),
      ),
    );
    if (overlay) added[name] = String(overlay.spec.capacity![name]);
  }
  return added;
}

function heaviest(overlays: readonly Overlay[]): Overlay | undefined {
  const top = Math.max(...overlays.map(({ spec }) => spec.weight ?? 0));
  const winners = overlays.filter(({ spec }) => (spec.weight ?? 0) === top);
  return winners.length === 1 ? winners[0] : undefined;
}

function matches(spec: Overlay['spec'], type: InstanceType, offering: Offering, pool: PoolInput): boolean {
  const labels: Record<string, readonly string[]> = { [POOL]: [pool.nodePool.metadata.name ?? ''] };
  for (const { key, operator, values = [] } of [...type.requirements, ...offering.requirements]) {
    if (operator === 'In') labels[key] = values;
  }
  // A pool that keeps the label to other values is out of reach of the overlay.
  const ofPool: readonly LabelRequirement[] = pool.nodePool.spec.template.spec.requirements;
  for (const requirement of ofPool) {
    const values = labels[requirement.key];
    if (values) labels[requirement.key] = values.filter((value) => admits(requirement, value));
  }
  return (spec.requirements ?? []).every(({ key, operator, values = [] }) => {
    const has = labels[key] ?? [];
    if (operator === 'In') return has.some((value) => values.includes(value));
    if (operator === 'NotIn') return !has.some((value) => values.includes(value));
    return operator === 'Exists' ? has.length > 0 : has.length === 0;
  });
}
