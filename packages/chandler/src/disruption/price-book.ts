/**
 * Prices of existing nodes and of launches that a plan allows. Overlays apply as in the planner. Only what can be launched
 * now has a launch price; an existing node has its price also when its offering is sold out.
 */
import { CapacityType, KarpenterLabel, KubernetesLabel, normalizeLabel } from '../api/index.ts';
import {
  Algebra,
  applyOverlays,
  type CheapestOffering,
  type InstanceType,
  type LabelRequirement,
  type Offering,
  type PlannedClaim,
  type PoolInput,
  type Requirement,
  readOverlays,
  readTemplate,
  type SchedulingInput,
} from '../scheduling/index.ts';

/** An instance type of a claim, with the prices at which it may be launched. */
export interface LaunchOption {
  readonly type: InstanceType;
  readonly cheapest: CheapestOffering;
  /** The highest price of the capacity type that the cloud tries first: reserved, then spot, then on-demand. */
  readonly worst: number;
}

export class PriceBook {
  readonly #algebra = new Algebra();
  readonly #types = new Map<string, ReadonlyMap<string, InstanceType>>();
  readonly #offerings = new WeakMap<Offering, readonly Requirement[]>();
  readonly #priced = new Map<string, PricedTypes>();
  /** Labels of offerings, by NodePool. */
  readonly #keys = new Map<string, ReadonlySet<string>>();

  constructor(pools: readonly PoolInput[], { catalogues, overlays = [] }: SchedulingInput) {
    const read = readOverlays(this.#algebra, overlays, []);
    for (const { nodePool, instanceTypes } of pools) {
      const listed = typeof instanceTypes === 'string' ? catalogues?.[instanceTypes] : instanceTypes;
      if (listed === undefined || listed.length === 0) continue;
      const name = nodePool.metadata.name ?? '';
      const template = readTemplate(this.#algebra, nodePool, name, []);
      // A pool whose template is invalid launches nothing; its nodes have their price all the same.
      const types =
        template === undefined ? listed : applyOverlays(this.#algebra, read, listed, template.set, []).types;
      this.#types.set(name, new Map(types.map((type) => [type.name, type])));
    }
  }

  /** By name; undefined if none is known. */
  typesOf(nodePool: string): ReadonlyMap<string, InstanceType> | undefined {
    return this.#types.get(nodePool);
  }

  /** Per hour; undefined if it is not known. */
  nodePrice(nodePool: string, labels: Readonly<Record<string, string>>): number | undefined {
    const type = this.#types.get(nodePool)?.get(labels[KubernetesLabel.instanceType] ?? '');
    const zone = labels[KubernetesLabel.zone];
    const sameCapacity = (type?.offerings ?? []).filter(
      (offering) =>
        singleValue(offering, KarpenterLabel.capacityType) === labels[KarpenterLabel.capacityType],
    );
    const found =
      sameCapacity.find((offering) => singleValue(offering, KubernetesLabel.zone) === zone) ??
      sameCapacity.find(({ regional }) => regional === true);
    return found === undefined || !Number.isFinite(found.price) ? undefined : found.price;
  }

  /** The types of the claim that can be launched, cheapest first. */
  launchOptions(
    {
      nodePool,
      instanceTypes,
      requirements,
    }: Pick<PlannedClaim, 'nodePool' | 'instanceTypes' | 'requirements'>,
    capacityType?: string,
  ): LaunchOption[] {
    const known = this.#types.get(nodePool);
    const priced = this.#pricedFor(nodePool, requirements, capacityType);
    return instanceTypes
      .flatMap((name) => {
        let option = priced.options.get(name);
        if (option === undefined) {
          option = this.#optionFor(known?.get(name), priced.required, capacityType);
          priced.options.set(name, option);
        }
        return option ?? [];
      })
      .sort(
        (one, other) =>
          one.cheapest.price - other.cheapest.price || (one.type.name < other.type.name ? -1 : 1),
      );
  }

  /**
   * Whether every offering of the template is a reservation without capacity, and the reservations that are still offered.
   * Any other offering counts as a way out, also one that is not available now.
   */
  templateReservations(
    nodePool: string,
    requirements: readonly LabelRequirement[],
  ): { readonly full: boolean; readonly offered: ReadonlySet<string> } {
    const { required } = this.#pricedFor(nodePool, requirements, undefined);
    const offerings = this.#typesOfTemplate(nodePool, requirements).flatMap((type) =>
      type.offerings.filter((offering) => this.#allows(required, offering)),
    );
    const full =
      offerings.length > 0 &&
      offerings.every(
        (offering) =>
          singleValue(offering, KarpenterLabel.capacityType) === CapacityType.reserved &&
          !isLaunchable(offering),
      );
    const offered = offerings.flatMap(({ available, reservation }) =>
      available === false || reservation === undefined ? [] : [reservation.id],
    );
    return { full, offered: new Set(full ? offered : []) };
  }

  /** A node of a static NodePool, launched from its template: its cheapest types. None if nothing can be launched. */
  templateOptions(nodePool: string, requirements: readonly LabelRequirement[]): LaunchOption[] {
    const instanceTypes = this.#typesOfTemplate(nodePool, requirements).map(({ name }) => name);
    return this.launchOptions({ nodePool, instanceTypes, requirements });
  }

  #typesOfTemplate(nodePool: string, requirements: readonly LabelRequirement[]): readonly InstanceType[] {
    const template = this.#algebra.set(this.#read(requirements)).items;
    return [...(this.#types.get(nodePool)?.values() ?? [])].filter((type) => {
      const own = this.#algebra.set([
        ...this.#read(type.requirements),
        this.#algebra.label(KubernetesLabel.instanceType, type.name),
      ]);
      const byKey = new Map(own.items.map((item) => [item.key, item]));
      return template.every((item) => {
        const other = byKey.get(item.key);
        return other === undefined || this.#algebra.intersects(item, other);
      });
    });
  }

  /** Claims of a plan differ in their pods and types; few of them differ in what they require of an offering. */
  #pricedFor(
    nodePool: string,
    requirements: readonly LabelRequirement[],
    capacityType: string | undefined,
  ): PricedTypes {
    const asked = requirements.filter(({ key }) => this.#offeringKeys(nodePool).has(normalizeLabel(key)));
    const key = JSON.stringify([
      nodePool,
      capacityType ?? null,
      asked.map(({ key: label, operator, values }) => [label, operator, values ?? []]),
    ]);
    let priced = this.#priced.get(key);
    if (priced === undefined) {
      const { items } = this.#algebra.set(this.#read(asked));
      priced = { required: new Map(items.map((item) => [item.key, item])), options: new Map() };
      this.#priced.set(key, priced);
    }
    return priced;
  }

  #offeringKeys(nodePool: string): ReadonlySet<string> {
    let keys = this.#keys.get(nodePool);
    if (keys === undefined) {
      const types = [...(this.#types.get(nodePool)?.values() ?? [])];
      const offerings = types.flatMap((type) => type.offerings);
      keys = new Set(
        offerings.flatMap(({ requirements }) => requirements.map(({ key }) => normalizeLabel(key))),
      );
      this.#keys.set(nodePool, keys);
    }
    return keys;
  }

  #optionFor(
    type: InstanceType | undefined,
    required: ReadonlyMap<number, Requirement>,
    capacityType: string | undefined,
  ): LaunchOption | null {
    const usable = (type?.offerings ?? []).filter(
      (offering) =>
        isLaunchable(offering) &&
        (capacityType === undefined || singleValue(offering, KarpenterLabel.capacityType) === capacityType) &&
        this.#allows(required, offering),
    );
    return type === undefined || usable.length === 0 ? null : optionOf(type, usable);
  }

  #allows(required: ReadonlyMap<number, Requirement>, offering: Offering): boolean {
    let own = this.#offerings.get(offering);
    if (own === undefined) {
      own = this.#read(offering.requirements);
      this.#offerings.set(offering, own);
    }
    return own.every((requirement) => {
      const other = required.get(requirement.key);
      return other === undefined || this.#algebra.intersects(other, requirement);
    });
  }

  /** The planner has reported invalid requirements; here they are left out. */
  #read(list: readonly LabelRequirement[]): Requirement[] {
    return list.flatMap(({ key, operator, values }) => {
      const parsed = this.#algebra.parse(normalizeLabel(key), operator, values ?? []);
      return 'problem' in parsed ? [] : [parsed];
    });
  }
}

// ---------------------------------------------------------------------------------------------------

interface PricedTypes {
  readonly required: ReadonlyMap<number, Requirement>;
  /** By type; null: nothing of it can be launched. */
  readonly options: Map<string, LaunchOption | null>;
}

/** In the order in which a cloud tries them. */
const LAUNCH_ORDER: readonly string[] = [CapacityType.reserved, CapacityType.spot, CapacityType.onDemand];

function isLaunchable({ available, launchable, reservation }: Offering): boolean {
  if (reservation !== undefined && reservation.capacity <= 0) return false;
  return launchable ?? available !== false;
}

function singleValue({ requirements }: Offering, key: string): string | undefined {
  const found = requirements.find((requirement) => requirement.key === key);
  return found?.operator === 'In' && found.values?.length === 1 ? found.values[0] : undefined;
}

function optionOf(type: InstanceType, usable: readonly Offering[]): LaunchOption {
  const cheapest = usable.reduce((best, offering) => (offering.price < best.price ? offering : best));
  const first = LAUNCH_ORDER.map((capacityType) =>
    usable.filter((offering) => singleValue(offering, KarpenterLabel.capacityType) === capacityType),
  ).find((offerings) => offerings.length > 0);
  return {
    type,
    cheapest: {
      instanceType: type.name,
      price: cheapest.price,
      zone: singleValue(cheapest, KubernetesLabel.zone) ?? null,
      capacityType: singleValue(cheapest, KarpenterLabel.capacityType) ?? null,
    },
    worst: Math.max(...(first ?? usable).map(({ price }) => price)),
  };
}
