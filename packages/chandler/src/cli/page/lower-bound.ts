/** The cheapest that the running pods of the cluster could cost: the bound of `chandler simulate`, as if they had no nodes yet. */
import { isOwnedByDaemonSet } from '@chandler/kube';
import { rounded } from '../../dashboard/index.ts';
import { type Pod, priceBound, type SchedulingInput } from '../../scheduling/index.ts';
import { cataloguesFor } from '../simulate/catalogues.ts';
import { Inventory } from '../simulate/inventory.ts';
import { type LiveOptions, readCluster } from '../simulate/live.ts';
import { joinedNodes } from '../simulate/nodes.ts';
import { toInput } from '../simulate/to-input.ts';
import { Failure } from '../verb.ts';

/** Per hour; null if it is not known. */
export async function lowerBound(live: LiveOptions, catalogue: string | undefined): Promise<number | null> {
  const inventory = new Inventory();
  try {
    await readCluster(inventory, live);
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
  const managed = new Set(
    joinedNodes(inventory).flatMap(({ node, claim, name }) => (node && claim ? [name] : [])),
  );
  const catalogues = await cataloguesFor(inventory, { catalogue, zones: [] });
  const { input } = toInput(inventory, { ...catalogues, storageClasses: [] }, { pools: [], options: {} });
  const { perHour, proven, pods } = await priceBound(withoutNodes(input, managed));
  return proven && pods > 0 ? rounded(perHour) : null;
}

// ---------------------------------------------------------------------------------------------------

/** @param managed nodes whose pods count: those of others cost the same whatever is launched. */
function withoutNodes(input: SchedulingInput, managed: ReadonlySet<string>): SchedulingInput {
  const moving = (input.boundPods ?? []).filter(
    (pod) => managed.has(pod.spec.nodeName ?? '') && !isOwnedByDaemonSet(pod),
  );
  const pods = moving.map(({ spec: { nodeName: _, ...spec }, ...pod }): Pod => ({ ...pod, spec }));
  return { ...input, nodes: [], boundPods: [], leavingNodes: [], leavingPods: [], pods };
}
