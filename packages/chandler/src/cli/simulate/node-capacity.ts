/** The capacity of the nodes of a report: what an offering leaves for pods, and what is used on existing nodes. */
import {
  Algebra,
  addAmounts,
  type CheapestOffering,
  type InstanceType,
  type PlannedClaim,
  podRequests,
  ResourceProblem,
  Resources,
  readInstanceType,
  type SchedulingInput,
} from '../../scheduling/index.ts';

export type Amounts = Readonly<Record<string, number>>;

/** Cores instead of thousandths; everything else as it is. */
export function inUnits(resources: Resources, amounts: readonly number[]): Amounts {
  const result: Record<string, number> = {};
  amounts.forEach((amount, slot) => {
    if (amount !== 0) result[resources.name(slot)] = slot === 0 ? amount / 1000 : amount;
  });
  return result;
}

/** The capacity of offerings for pods and daemons; each is computed once. */
export class Offered {
  readonly #pools: ReadonlyMap<string, ReadonlyMap<string, InstanceType>>;
  readonly #capacities = new Map<string, Amounts>();

  constructor({ pools, catalogues }: SchedulingInput) {
    const lists = new Map<string | readonly InstanceType[], Map<string, InstanceType>>();
    const named = (listed: string | readonly InstanceType[]) => {
      const types = typeof listed === 'string' ? (catalogues?.[listed] ?? []) : listed;
      const known = lists.get(listed) ?? new Map(types.map((type) => [type.name, type]));
      lists.set(listed, known);
      return known;
    };
    this.#pools = new Map(
      pools.map(({ nodePool, instanceTypes }) => [nodePool.metadata.name ?? '', named(instanceTypes)]),
    );
  }

  /** Of the claim's cheapest offering. */
  capacity({ nodePool, cheapest }: PlannedClaim): Amounts {
    const key = JSON.stringify([nodePool, cheapest]);
    const known = this.#capacities.get(key);
    if (known !== undefined) return known;
    const type = this.#pools.get(nodePool)?.get(cheapest.instanceType);
    const capacity = type === undefined ? {} : capacityOf(type, cheapest);
    this.#capacities.set(key, capacity);
    return capacity;
  }
}

export interface NodeCapacity {
  readonly allocatable: Amounts;
  readonly used: Amounts;
}

export function capacityOfNodes(input: SchedulingInput): Map<string, NodeCapacity> {
  const resources = new Resources();
  const used = new Map<string, readonly number[]>();
  for (const pod of input.boundPods ?? []) {
    const node = pod.spec.nodeName ?? '';
    used.set(
      node,
      addAmounts(
        used.get(node) ?? [],
        readable(() => podRequests(resources, pod)),
      ),
    );
  }
  return new Map(
    (input.nodes ?? []).map(({ name, allocatable }) => [
      name,
      {
        allocatable: inUnits(
          resources,
          readable(() => resources.offered(allocatable)),
        ),
        used: inUnits(resources, used.get(name) ?? []),
      },
    ]),
  );
}

// ---------------------------------------------------------------------------------------------------------------

function capacityOf(type: InstanceType, cheapest: CheapestOffering): Amounts {
  const resources = new Resources();
  const shapes = readInstanceType(new Algebra(), resources, type, [])?.shapes ?? [];
  const launched = shapes.find(({ offerings }) =>
    offerings.some(
      ({ zone, capacityType }) => zone === cheapest.zone && capacityType === cheapest.capacityType,
    ),
  );
  const shape = launched ?? shapes[0];
  return shape === undefined ? {} : inUnits(resources, shape.allocatable);
}

function readable(read: () => number[]): number[] {
  try {
    return read();
  } catch (error) {
    if (error instanceof ResourceProblem) return [];
    throw error;
  }
}
