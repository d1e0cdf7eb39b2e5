/**
 * Requests of a pod and allocatable resources of a node, as plain numbers: CPU in thousandths, everything else in whole
 * units, rounded up as kube-scheduler does. Pure; the same quantity is parsed once.
 */
import { type Container, type PodSpec, parseQuantity, type ResourceAmounts } from '@chandler/kube';

/** Resource name to amount. Resources that are not named are zero. */
export type Amounts = ReadonlyMap<string, number>;

export const NOTHING: Amounts = new Map();

/**
 * Containers together, or the largest step of the start, whichever is more: an init container runs beside the
 * sidecars before it. Pod-level requests replace the sum; overhead comes on top.
 */
export function podRequests(spec: PodSpec): Amounts {
  const total = new Map<string, number>();
  for (const container of spec.containers) addAll(total, requestsOf(container));
  const sidecars = new Map<string, number>();
  const peak = new Map<string, number>();
  for (const container of spec.initContainers ?? []) {
    const own = requestsOf(container);
    if (container.restartPolicy === 'Always') {
      addAll(total, own);
      addAll(sidecars, own);
      raiseAll(peak, sidecars);
    } else {
      const step = new Map(sidecars);
      addAll(step, own);
      raiseAll(peak, step);
    }
  }
  raiseAll(total, peak);
  for (const [name, amount] of amountsOf(spec.resources?.requests)) {
    if (isPodLevelResource(name)) total.set(name, amount);
  }
  addAll(total, amountsOf(spec.overhead));
  return total;
}

export function amountsOf(list: ResourceAmounts | undefined): Amounts {
  if (list === undefined) return NOTHING;
  const amounts = new Map<string, number>();
  for (const name in list) amounts.set(name, amountOf(name, list[name]!));
  return amounts;
}

export function amountOf(resource: string, quantity: string | number): number {
  const text = String(quantity);
  const known = resource === 'cpu' ? parsedCpu : parsedUnits;
  let amount = known.get(text);
  if (amount === undefined) {
    const parsed = parseQuantity(text);
    amount = Number(resource === 'cpu' ? parsed.milli() : parsed.value());
    if (known.size > MAX_REMEMBERED) known.clear();
    known.set(text, amount);
  }
  return amount;
}

export function addAll(into: Map<string, number>, amounts: Amounts, factor: 1 | -1 = 1): void {
  for (const [name, amount] of amounts) into.set(name, (into.get(name) ?? 0) + factor * amount);
}

// ---------------------------------------------------------------------------------------------------

/** A cluster uses few different amounts; parsing each pod's anew would be most of the work. */
const parsedCpu = new Map<string, number>();
const parsedUnits = new Map<string, number>();
const MAX_REMEMBERED = 10_000;

function requestsOf(container: Container): Amounts {
  return amountsOf(container.resources?.requests);
}

function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');
}

function raiseAll(into: Map<string, number>, amounts: Amounts): void {
  for (const [name, amount] of amounts) into.set(name, Math.max(into.get(name) ?? 0, amount));
}
