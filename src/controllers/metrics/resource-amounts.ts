/** Amounts of resources as metrics show them: cores and plain units, under names that Prometheus takes. */
import { parseQuantity, type ResourceList } from '../../api/index.ts';
import type { Container, Pod, PodSpec } from '../../scheduling/index.ts';
import { podRequests } from '../../scheduling/pod-requests.ts';
import { ResourceProblem, Resources } from '../../scheduling/resources.ts';

export type Amounts = ReadonlyMap<string, number>;

/** `ephemeral-storage` becomes `ephemeral_storage`. */
export function resourceLabel(resource: string): string {
  return resource.toLowerCase().replaceAll('-', '_');
}

export function amountsOf(list: ResourceList | undefined): Amounts {
  const amounts = new Map<string, number>();
  for (const [resource, amount] of Object.entries(list ?? {})) {
    const value = parseQuantity(amount).toNumber();
    amounts.set(resource, resource === 'cpu' ? value : Math.ceil(value));
  }
  return amounts;
}

export function subtract(from: Amounts, less: Amounts): Amounts {
  return new Map([...from].map(([resource, amount]) => [resource, amount - (less.get(resource) ?? 0)]));
}

export function addTo(sum: Map<string, number>, more: Amounts): void {
  for (const [resource, amount] of more) sum.set(resource, (sum.get(resource) ?? 0) + amount);
}

/** What pods ask for and may use at most, in sum. */
export class PodAmounts {
  readonly #resources = new Resources();

  requests(pods: readonly Pod[]): Amounts {
    return this.#sum(pods, ({ spec }) => spec);
  }

  /** Limits where there are any. The place a pod takes has none. */
  limits(pods: readonly Pod[]): Amounts {
    const sum = new Map(this.#sum(pods, ({ spec }) => limitsAsRequests(spec)));
    sum.delete('pods');
    return sum;
  }

  #sum(pods: readonly Pod[], specOf: (pod: Pod) => PodSpec): Amounts {
    const sum = new Map<string, number>();
    for (const pod of pods) {
      try {
        const amounts = podRequests(this.#resources, { spec: specOf(pod) });
        for (const [slot, amount] of amounts.entries()) {
          if (!amount) continue;
          const resource = this.#resources.name(slot);
          const value = resource === 'cpu' ? amount / 1000 : amount;
          sum.set(resource, (sum.get(resource) ?? 0) + value);
        }
      } catch (error) {
        // A pod that asks for nonsense runs nowhere and uses nothing.
        if (!(error instanceof ResourceProblem)) throw error;
      }
    }
    return sum;
  }
}

// ---------------------------------------------------------------------------------------------------

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
