/** The quality-of-service class of a pod, from what its containers ask for. */
import { parseQuantity } from '@chandler/kube';
import type { V1Container, V1PodSpec } from '@kubernetes/client-node';

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

export function qosClassOf(spec: V1PodSpec): QosClass {
  // What the pod asks for as a whole counts alone.
  const holders = spec.resources === undefined ? containersOf(spec) : [{ resources: spec.resources }];
  let asks = false;
  let guaranteed = true;
  const totals = { requests: new Map<string, bigint>(), limits: new Map<string, bigint>() };
  for (const holder of holders) {
    if (addUp(holder, totals)) asks = true;
    if (guaranteed && !limitsBoth(holder)) guaranteed = false;
  }
  if (!asks) return 'BestEffort';
  return guaranteed && sameTotals(totals.requests, totals.limits) ? 'Guaranteed' : 'Burstable';
}

// ---------------------------------------------------------------------------------------------------

type Holder = Pick<V1Container, 'resources'>;

function containersOf(spec: V1PodSpec): Holder[] {
  return spec.initContainers === undefined
    ? (spec.containers ?? [])
    : [...(spec.containers ?? []), ...spec.initContainers];
}

const COMPUTE = ['cpu', 'memory'] as const;

/** Adds what the container asks for; whether that was anything. */
function addUp(
  container: Holder,
  totals: { requests: Map<string, bigint>; limits: Map<string, bigint> },
): boolean {
  let any = false;
  for (const part of ['requests', 'limits'] as const) {
    const amounts = container.resources?.[part];
    if (amounts === undefined) continue;
    for (const name of COMPUTE) {
      const text = amounts[name];
      if (text === undefined || text === '0') continue;
      const { nanos } = parseQuantity(text);
      if (nanos <= 0n) continue;
      any = true;
      totals[part].set(name, (totals[part].get(name) ?? 0n) + nanos);
    }
  }
  return any;
}

function limitsBoth(container: Holder): boolean {
  const limits = container.resources?.limits;
  return COMPUTE.every((name) => limits?.[name] !== undefined && limits[name] !== '0');
}

function sameTotals(requests: ReadonlyMap<string, bigint>, limits: ReadonlyMap<string, bigint>): boolean {
  if (requests.size !== limits.size) return false;
  for (const [name, amount] of requests) if (limits.get(name) !== amount) return false;
  return true;
}
