/**
 * The notation of the requests of a NodeClaim, as upstream's sum has it: the format of the first amount that is not zero,
 * of the daemons first, then of the pods. Three pods of `256M` request `768M`, and not `750000Ki`.
 */
import { isQuantity, type PodSpec, parseQuantity, Quantity } from '@chandler/kube';

type Requests = Readonly<Record<string, string>>;

export interface RequestingPods {
  /** Templates of DaemonSets. */
  readonly daemons: readonly PodSpec[];
  /** In the order of the plan. */
  readonly pods: readonly PodSpec[];
}

/**
 * @param requests the requests of the claim.
 * @param daemonRequests the part of the daemons.
 */
export function inNotationOf(
  requests: Requests,
  daemonRequests: Requests,
  { daemons, pods }: RequestingPods,
): Requests {
  const written: Record<string, string> = {};
  for (const [name, amount] of Object.entries(requests)) {
    const first = firstAmount(name, daemonRequests[name] === undefined ? pods : [...daemons, ...pods]);
    written[name] =
      first === undefined ? amount : new Quantity(parseQuantity(amount).nanos, first.format).toString();
  }
  return written;
}

// ---------------------------------------------------------------------------------------------------

function firstAmount(name: string, specs: readonly PodSpec[]): Quantity | undefined {
  for (const { containers = [], initContainers = [], resources, overhead } of specs) {
    const own = [...containers, ...initContainers].flatMap((each) => [
      each.resources?.requests?.[name] ?? each.resources?.limits?.[name],
    ]);
    for (const text of [resources?.requests?.[name], ...own, overhead?.[name]]) {
      if (text === undefined || !isQuantity(text)) continue;
      const quantity = parseQuantity(text);
      if (!quantity.isZero()) return quantity;
    }
  }
  return undefined;
}
