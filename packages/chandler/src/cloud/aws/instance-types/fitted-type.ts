/** What a type means to a node class: labels, capacity and overhead. How it can be bought, `offerings/` knows. */
import { parseQuantity, type Quantity } from '@chandler/kube';
import type { ResourceList } from '../../../api/index.ts';
import type { LabelRequirement, Overhead } from '../../../scheduling/index.ts';

import { CloudError } from '../../index.ts';

import { capacityOf, guestMemoryMiB } from './capacity.ts';
import { architectureOf, type UsableInstanceType } from './instance-type-info.ts';
import type { KubeletSettings } from './kubelet-settings.ts';
import { nodeClassRequirements, typeRequirements } from './labels.ts';
import type { CapacityReservation, Parameters } from './parameters.ts';
import { overheadOf } from './reserved.ts';
import { resolvedKubelet } from './resolved-kubelet.ts';

/** Available or not: computed once per set of parameters. */
export interface FittedType {
  readonly name: string;
  readonly info: UsableInstanceType;
  readonly requirements: readonly LabelRequirement[];
  readonly capacity: ResourceList;
  readonly overhead: Required<Overhead>;
  /** Capacity without all that is reserved. */
  readonly allocatable: ResourceList;
  /** Of the class, for this type. */
  readonly reservations: readonly CapacityReservation[];
  /** The reservations of the class's `kubelet`, where expressions decide them; absent where they are the same for all types. */
  readonly kubelet?: Pick<KubeletSettings, 'kubeReserved' | 'systemReserved'>;
}

export interface FitRequest {
  readonly parameters: Parameters;
  readonly region: string;
  /** The zones that sell a type. */
  readonly zonesOf: (instanceType: string) => ReadonlySet<string>;
  /** Memory that nodes of the type reported, in bytes. */
  readonly observedMemory: (instanceType: string) => number | undefined;
}

/** Fits types to one set of parameters. */
export function typeFitter(request: FitRequest): (info: UsableInstanceType) => FittedType {
  const { parameters: shared, region, observedMemory } = request;
  const reservations = new Map<string, CapacityReservation[]>();
  for (const reservation of shared.capacityReservations) {
    const own = reservations.get(reservation.instanceType) ?? [];
    reservations.set(reservation.instanceType, [...own, reservation]);
  }
  const classRequirements = sharedRequirements(request);
  const parse = rememberedQuantities();
  return (info) => {
    const name = info.InstanceType;
    const own = reservations.get(name) ?? NONE;
    const { parameters, failures } = resolvedKubelet(info, shared);
    const unusable = failures.find(({ field }) => field === 'maxPods');
    if (unusable !== undefined) throw withoutPods(name, unusable.message);
    const computed = capacityOf(info, parameters);
    const overhead = overheadOf(info, parameters, {
      memoryMiB: guestMemoryMiB(info, parameters.memoryOverheadPercent),
      ephemeralStorage: String(computed['ephemeral-storage']),
    });
    const observed = observedMemory(name);
    const capacity = observed === undefined ? computed : { ...computed, memory: String(observed) };
    return {
      name,
      info,
      reservations: own,
      ...(parameters === shared ? {} : { kubelet: reservedOf(parameters) }),
      requirements: typeRequirements(info, region).concat(classRequirements(info, own)),
      capacity,
      overhead,
      allocatable: allocatableOf(capacity, overhead, parse),
    };
  };
}

// ---------------------------------------------------------------------------------------------------------------

const NONE: readonly CapacityReservation[] = [];

/** Most types of a class have the same labels of it: they are made once for each combination. */
function sharedRequirements({ parameters, zonesOf }: FitRequest) {
  const lists = new Map<string, readonly LabelRequirement[]>();
  return (info: UsableInstanceType, reservations: readonly CapacityReservation[]) => {
    const zones = zonesOf(info.InstanceType);
    if (reservations.length > 0) return nodeClassRequirements(info, zones, reservations, parameters);
    const inZones = parameters.zones.map(({ zone }) => (zones.has(zone) ? 1 : 0)).join('');
    const key = `${architectureOf(info)} ${info.SupportedUsageClasses?.join()} ${inZones}`;
    const known = lists.get(key) ?? nodeClassRequirements(info, zones, reservations, parameters);
    lists.set(key, known);
    return known;
  };
}

function reservedOf({ kubelet: { kubeReserved, systemReserved } }: Parameters) {
  return { kubeReserved, systemReserved };
}

function withoutPods(type: string, message: string): CloudError {
  return new CloudError('NodeClassNotReady', `spec.kubelet.maxPods: ${message}, for ${type}`, {
    reason: 'KubeletExpressionEvaluationFailed',
  });
}

type ParseQuantity = typeof parseQuantity;

/** The same amounts are reserved on many types. */
function rememberedQuantities(): ParseQuantity {
  const known = new Map<string | number, Quantity>();
  return (text) => {
    const quantity = known.get(text) ?? parseQuantity(text);
    known.set(text, quantity);
    return quantity;
  };
}

function allocatableOf(
  capacity: ResourceList,
  { kubeReserved, systemReserved, evictionThreshold }: Required<Overhead>,
  parse: ParseQuantity,
): ResourceList {
  const result: Record<string, string | number> = { ...capacity };
  for (const name of Object.keys(capacity)) {
    let left: Quantity | undefined;
    for (const part of [kubeReserved, systemReserved, evictionThreshold]) {
      const amount = part[name];
      if (amount !== undefined) left = (left ?? parse(capacity[name]!)).sub(parse(amount));
    }
    if (left !== undefined) result[name] = left.toString();
  }
  return result as ResourceList;
}
