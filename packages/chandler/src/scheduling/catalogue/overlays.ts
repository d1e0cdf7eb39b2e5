/**
 * NodeOverlays: adjustments of prices and extended resources, computed once per pool. The overlay with the
 * highest weight wins. Overlays of equal weight that set different values on the same offering or resource
 * conflict: neither applies and both are reported, as in upstream.
 */
import { KubernetesLabel } from '../../api/index.ts';
import type { InstanceType, Offering, Overlay } from '../model.ts';
import type { InputError } from '../refusal.ts';
import type { Algebra, Requirement, RequirementSet } from '../requirements/algebra.ts';
import { byCodeUnit } from '../requirements/algebra.ts';
import { readRequirements } from './read-type.ts';

export interface ReadOverlay {
  readonly name: string;
  readonly weight: number;
  readonly requirements: readonly Requirement[];
  readonly reprice: ((price: number) => number) | undefined;
  readonly capacity: Readonly<Record<string, string | number>> | undefined;
}

export interface Overlaid<T extends InstanceType = InstanceType> {
  readonly types: readonly T[];
  readonly repriced: ReadonlySet<string>;
  readonly enlarged: ReadonlySet<string>;
}

export function readOverlays(
  algebra: Algebra,
  overlays: readonly Overlay[],
  errors: InputError[],
): ReadOverlay[] {
  const result: ReadOverlay[] = [];
  for (const { metadata, spec } of overlays) {
    const object = `NodeOverlay/${metadata.name}`;
    const requirements = readRequirements(
      algebra,
      spec.requirements ?? [],
      object,
      'spec.requirements',
      errors,
    );
    const reprice = repricing(spec.price, spec.priceAdjustment);
    if (reprice === null)
      errors.push({ object, field: 'spec.price', problem: 'must be a price or a price adjustment' });
    if (requirements === undefined || reprice === null) continue;
    const weight = spec.weight ?? 0;
    result.push({ name: metadata.name ?? '', weight, requirements, reprice, capacity: spec.capacity });
  }
  return result.sort((first, second) => second.weight - first.weight || byCodeUnit(second.name, first.name));
}

/** The same list when no overlay applies, so that pools keep sharing it. */
export function applyOverlays<T extends InstanceType>(
  algebra: Algebra,
  overlays: readonly ReadOverlay[],
  types: readonly T[],
  template: RequirementSet,
  errors: InputError[],
): Overlaid<T> {
  const repriced = new Set<string>();
  const enlarged = new Set<string>();
  if (overlays.length === 0) return { types, repriced, enlarged };
  const result = types.map((type) => {
    const base = requirementsOf(algebra, type, template);
    if (base === undefined) return type;
    const candidates = overlays.filter((overlay) => agree(algebra, base, overlay.requirements));
    if (candidates.length === 0) return type;
    const given = type.offerings ?? [];
    const offerings = given.map((offering) => reprice(algebra, candidates, offering, type, errors));
    const capacity = enlarge(candidates, type, errors);
    if (offerings.some((offering, index) => offering !== given[index])) repriced.add(type.name);
    if (capacity !== type.capacity) enlarged.add(type.name);
    return repriced.has(type.name) || enlarged.has(type.name) ? { ...type, offerings, capacity } : type;
  });
  return repriced.size + enlarged.size === 0
    ? { types, repriced, enlarged }
    : { types: result, repriced, enlarged };
}

// ---------------------------------------------------------------------------------------------------------------

function repricing(
  price: string | undefined,
  adjustment: string | undefined,
): ((price: number) => number) | undefined | null {
  if (price !== undefined) {
    const fixed = Number(price);
    return Number.isFinite(fixed) && fixed >= 0 ? () => fixed : null;
  }
  if (adjustment === undefined) return undefined;
  const percent = adjustment.endsWith('%');
  const amount = Number(percent ? adjustment.slice(0, -1) : adjustment);
  if (!Number.isFinite(amount)) return null;
  return (old) => Math.max(0, percent ? old * (1 + amount / 100) : old + amount);
}

function requirementsOf(
  algebra: Algebra,
  type: InstanceType,
  template: RequirementSet,
): Requirement[] | undefined {
  const own = readRequirements(algebra, type.requirements ?? [], '', '', []);
  const named = algebra.label(KubernetesLabel.instanceType, type.name);
  return own === undefined ? undefined : [...template.items, ...own, named];
}

/** Labels that the type does not have are ignored: the overlay may select labels of the offering. */
export function agree(
  algebra: Algebra,
  base: readonly Requirement[],
  wanted: readonly Requirement[],
): boolean {
  return wanted.every((requirement) =>
    base.every((own) => own.key !== requirement.key || algebra.overlaps(own, requirement)),
  );
}

function reprice(
  algebra: Algebra,
  candidates: readonly ReadOverlay[],
  offering: Offering,
  type: InstanceType,
  errors: InputError[],
): Offering {
  const own = readRequirements(algebra, offering.requirements ?? [], '', '', []);
  if (own === undefined) return offering;
  const pricing = candidates.filter(
    (overlay) => overlay.reprice !== undefined && agree(algebra, own, overlay.requirements),
  );
  const winner = heaviest(pricing, (overlay) => overlay.reprice!(offering.price), type, 'price', errors);
  return winner === undefined ? offering : { ...offering, price: winner };
}

function enlarge(
  candidates: readonly ReadOverlay[],
  type: InstanceType,
  errors: InputError[],
): InstanceType['capacity'] {
  const names = new Set(candidates.flatMap((overlay) => Object.keys(overlay.capacity ?? {})));
  let capacity = type.capacity;
  for (const name of [...names].sort()) {
    const having = candidates.filter((overlay) => overlay.capacity?.[name] !== undefined);
    const amount = heaviest(having, (overlay) => overlay.capacity![name]!, type, `capacity.${name}`, errors);
    if (amount !== undefined) capacity = { ...capacity, [name]: amount };
  }
  return capacity;
}

function heaviest<T>(
  overlays: readonly ReadOverlay[],
  readValue: (overlay: ReadOverlay) => T,
  type: InstanceType,
  field: string,
  errors: InputError[],
): T | undefined {
  const top = overlays.filter((overlay) => overlay.weight === overlays[0]!.weight);
  if (top.length === 0) return undefined;
  const values = new Set(top.map(readValue));
  if (values.size === 1) return readValue(top[0]!);
  const problem = `conflicts with another overlay on instance type ${type.name}`;
  for (const overlay of top) {
    const object = `NodeOverlay/${overlay.name}`;
    if (!errors.some((error) => error.object === object && error.field === `spec.${field}`)) {
      errors.push({ object, field: `spec.${field}`, problem, conflict: true });
    }
  }
  return undefined;
}
