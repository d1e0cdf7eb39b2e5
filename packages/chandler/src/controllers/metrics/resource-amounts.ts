/** Amounts of resources as metrics show them: cores and plain units, under valid Prometheus names. */
import { parseQuantity } from '@chandler/kube';
import type { ResourceList } from '../../api/index.ts';
import {
  type Container,
  CPU,
  PODS,
  type Pod,
  type PodSpec,
  podRequests,
  ResourceProblem,
  Resources,
} from '../../scheduling/index.ts';

/** By slot of `PodAmounts`; zero and absent are the same. */
export type Amounts = readonly number[];

/** `ephemeral-storage` becomes `ephemeral_storage`. */
export function resourceLabel(resource: string): string {
  return resource.toLowerCase().replaceAll('-', '_');
}

/** By name: cores, and plain units of the rest. */
export function amountsOf(list: ResourceList | undefined): ReadonlyMap<string, number> {
  const amounts = new Map<string, number>();
  for (const [resource, amount] of Object.entries(list ?? {})) {
    const value = parseQuantity(amount).toNumber();
    amounts.set(resource, resource === 'cpu' ? value : Math.ceil(value));
  }
  return amounts;
}

/** Sums of requests and limits of pods. There may be thousands, so they are arrays of numbers by slot. */
export class PodAmounts {
  readonly #resources = new Resources();
  /** A cache by containers: pods of one workload share them. */
  readonly #known = new WeakMap<object, { readonly requests: Amounts; readonly limits: Amounts }>();

  requests(pods: readonly Pod[]): Amounts {
    return sumOf(pods, (pod) => this.#of(pod).requests);
  }

  /** Limits, where set. The resource `pods` has none. */
  limits(pods: readonly Pod[]): Amounts {
    return sumOf(pods, (pod) => this.#of(pod).limits);
  }

  /** Amounts other than zero, by name: cores, and plain units of the rest. */
  *named(amounts: Amounts): Generator<readonly [resource: string, amount: number]> {
    for (const [slot, amount] of amounts.entries())
      if (amount !== 0) yield [this.#resources.name(slot), slot === CPU ? amount / 1000 : amount];
  }

  #of({ spec }: Pod) {
    const shared = (spec.initContainers ?? spec.overhead ?? spec.resources) ? undefined : spec.containers;
    const known = shared === undefined ? undefined : this.#known.get(shared);
    if (known !== undefined) return known;
    const limits = this.#amounts(limitsAsRequests(spec));
    const found = {
      requests: this.#amounts(spec),
      limits: limits.map((amount, slot) => (slot === PODS ? 0 : amount)),
    };
    if (shared !== undefined) this.#known.set(shared, found);
    return found;
  }

  #amounts(spec: PodSpec): Amounts {
    try {
      return podRequests(this.#resources, { spec });
    } catch (error) {
      // A pod with an invalid quantity cannot run and uses nothing.
      if (!(error instanceof ResourceProblem)) throw error;
      return NOTHING;
    }
  }
}

// ---------------------------------------------------------------------------------------------------

const NOTHING: Amounts = [];

function sumOf(pods: readonly Pod[], amountsOfPod: (pod: Pod) => Amounts): Amounts {
  if (pods.length === 0) return NOTHING;
  const sum: number[] = [];
  for (const pod of pods) {
    const amounts = amountsOfPod(pod);
    for (let slot = 0; slot < amounts.length; slot++) sum[slot] = (sum[slot] ?? 0) + (amounts[slot] ?? 0);
  }
  // They are kept for every node: without the room that an array gets when it grows.
  return sum.slice();
}

function limitsAsRequests(spec: PodSpec): PodSpec {
  const { overhead: _, resources: __, initContainers, ...rest } = spec;
  const limited = (container: Container): Container => ({
    ...container,
    resources: { requests: container.resources?.limits ?? {} },
  });
  return {
    ...rest,
    containers: (spec.containers ?? []).map(limited),
    ...(initContainers === undefined ? {} : { initContainers: initContainers.map(limited) }),
  };
}
