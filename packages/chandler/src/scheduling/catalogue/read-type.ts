/**
 * Reads one instance type: labels, offerings, and allocatable resources after kubelet and system
 * reservations. Invalid input is reported and skipped: an invalid offering alone, an invalid type as a whole.
 */
import { CapacityType, KarpenterLabel, KubernetesLabel } from '../../api/index.ts';
import type { InstanceType, LabelRequirement, Offering, Overhead } from '../model.ts';
import type { InputError } from '../refusal.ts';
import type { Algebra, Requirement, RequirementSet } from '../requirements/algebra.ts';
import { addAmounts, MEMORY, ResourceProblem, type Resources, subtractAmounts } from '../resources.ts';

export interface ReadType {
  readonly name: string;
  readonly requirements: RequirementSet;
  readonly shapes: readonly Shape[];
  readonly source: InstanceType;
}

/** Offerings that share one set of allocatable resources. */
export interface Shape {
  readonly allocatable: readonly number[];
  readonly capacity: readonly number[];
  readonly offerings: readonly ReadOffering[];
}

export interface ReadOffering {
  readonly requirements: RequirementSet;
  readonly price: number;
  readonly available: boolean;
  /** A launch would succeed now; otherwise it is no price to reckon with. */
  readonly launchable: boolean;
  readonly reservation: { readonly id: string; readonly capacity: number } | undefined;
  readonly zone: string | null;
  readonly regional: boolean;
  readonly capacityType: string | null;
}

export function readInstanceType(
  algebra: Algebra,
  resources: Resources,
  type: InstanceType,
  errors: InputError[],
): ReadType | undefined {
  const object = `InstanceType/${type.name}`;
  const requirements = readRequirements(algebra, type.requirements ?? [], object, 'requirements', errors);
  if (requirements === undefined) return undefined;
  const offerings = (type.offerings ?? []).map((offering, index) => ({
    offering,
    read: readOffering(algebra, offering, object, `offerings[${index}]`, errors),
  }));
  const usable = offerings.filter((entry) => entry.read !== undefined) as {
    offering: Offering;
    read: ReadOffering;
  }[];
  try {
    const shapes = shapesOf(resources, type, usable);
    const named = algebra.label(KubernetesLabel.instanceType, type.name);
    return { name: type.name, requirements: algebra.set([...requirements, named]), shapes, source: type };
  } catch (error) {
    if (!(error instanceof ResourceProblem)) throw error;
    errors.push({ object, field: `capacity.${error.resource}`, problem: error.message });
    return undefined;
  }
}

/** The requirements; undefined when one of them is invalid, which is reported. */
export function readRequirements(
  algebra: Algebra,
  list: readonly LabelRequirement[],
  object: string,
  field: string,
  errors: InputError[],
): Requirement[] | undefined {
  const result: Requirement[] = [];
  for (const [index, { key, operator, values, minValues }] of list.entries()) {
    const parsed = algebra.parse(key, operator, values ?? [], minValues);
    if ('problem' in parsed) {
      errors.push({ object, field: `${field}[${index}]`, problem: `${key}: ${parsed.problem}` });
      return undefined;
    }
    result.push(parsed);
  }
  return result;
}

// ---------------------------------------------------------------------------------------------------------------

function readOffering(
  algebra: Algebra,
  offering: Offering,
  object: string,
  field: string,
  errors: InputError[],
): ReadOffering | undefined {
  const price = offering.price;
  if (typeof price !== 'number' || !Number.isFinite(price) || price < 0) {
    errors.push({ object, field: `${field}.price`, problem: `${price} is not a valid price` });
    return undefined;
  }
  const requirements = readRequirements(
    algebra,
    offering.requirements ?? [],
    object,
    `${field}.requirements`,
    errors,
  );
  if (requirements === undefined) return undefined;
  const capacityType = singleValue(offering, KarpenterLabel.capacityType);
  const reserved = capacityType === CapacityType.reserved && offering.reservation !== undefined;
  return {
    requirements: algebra.set(requirements),
    price,
    available: offering.available !== false,
    launchable: offering.launchable ?? (offering.available !== false && !isFull(offering)),
    reservation: reserved ? offering.reservation : undefined,
    zone: singleValue(offering, KubernetesLabel.zone),
    regional: offering.regional === true,
    capacityType,
  };
}

function isFull({ reservation }: Offering): boolean {
  return reservation !== undefined && reservation.capacity <= 0;
}

function singleValue(offering: Offering, key: string): string | null {
  const found = (offering.requirements ?? []).find((requirement) => requirement.key === key);
  return found?.operator === 'In' && found.values?.length === 1 ? found.values[0]! : null;
}

function shapesOf(
  resources: Resources,
  type: InstanceType,
  offerings: readonly { offering: Offering; read: ReadOffering }[],
): Shape[] {
  const groups = new Map<string, { sample: Offering | undefined; offerings: ReadOffering[] }>();
  groups.set(NO_OVERRIDE, { sample: undefined, offerings: [] });
  for (const { offering, read } of offerings) {
    const { capacityOverride, overheadOverride } = offering;
    const key =
      capacityOverride === undefined && overheadOverride === undefined
        ? NO_OVERRIDE
        : JSON.stringify([capacityOverride ?? null, overheadOverride ?? null]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { sample: offering, offerings: [read] });
    else group.offerings.push(read);
  }
  const used = [...groups.values()].filter((group) => group.offerings.length > 0 || groups.size === 1);
  return used.map(({ sample, offerings: own }) => {
    const capacity = resources.offered({ ...type.capacity, ...sample?.capacityOverride });
    const overhead = overheadOf(resources, sample?.overheadOverride ?? type.overhead);
    return { capacity, allocatable: allocatableOf(resources, capacity, overhead), offerings: own };
  });
}

const NO_OVERRIDE = '';

function overheadOf(resources: Resources, overhead: Overhead | undefined): number[] {
  const parts = [overhead?.kubeReserved, overhead?.systemReserved, overhead?.evictionThreshold];
  return parts.map((part) => resources.wanted(part)).reduce(addAmounts, []);
}

/** Huge pages reduce the memory that is available to pods. */
function allocatableOf(
  resources: Resources,
  capacity: readonly number[],
  overhead: readonly number[],
): number[] {
  const allocatable = subtractAmounts(capacity, overhead);
  let hugePages = 0;
  capacity.forEach((amount, slot) => {
    if (resources.name(slot).startsWith('hugepages-')) hugePages += amount;
  });
  if (hugePages > 0) allocatable[MEMORY] = Math.max(0, (allocatable[MEMORY] ?? 0) - hugePages);
  return allocatable;
}
