/**
 * The free capacity of existing and in-flight nodes, which costs nothing. Nodes that serve the same
 * placements are summed, and daemons that are still to be scheduled are not counted; both can only lower the
 * bound.
 */
import { isKnownEphemeralTaint, KarpenterLabel, KubernetesLabel, sameTaint } from '../../api/index.ts';
import { bitsKey, emptyBits, setBit } from '../bits.ts';
import type { ExistingNode, SchedulingInput } from '../model.ts';
import { NODE_NAME_KEY } from '../pods/read-spec.ts';
import { SpecReader } from '../pods/spec-reader.ts';
import { type Algebra, excludes, type RequirementSet } from '../requirements/algebra.ts';
import {
  addAmounts,
  expand,
  maxAmounts,
  ResourceProblem,
  type Resources,
  subtractAmounts,
} from '../resources.ts';
import { untoleratedTaint } from '../taints.ts';
import type { FreeCapacity } from './bound-input.ts';
import { hardTaints } from './new-nodes.ts';
import type { Placement } from './placements.ts';

export function readFreeCapacity(
  algebra: Algebra,
  resources: Resources,
  input: SchedulingInput,
  placements: readonly Placement[],
): FreeCapacity[] {
  const used = usedByNode(algebra, resources, input);
  const groups = new Map<string, FreeCapacity>();
  for (const node of input.nodes ?? []) {
    const offered = amountsOr(() => resources.offered(node.allocatable));
    const room = subtractAmounts(offered, used.get(node.name) ?? []).map((amount) => Math.max(0, amount));
    const labels = labelsOf(algebra, node);
    const taints = taintsInForce(node);
    const serves = emptyBits(placements.length);
    placements.forEach((placement, number) => {
      if (untoleratedTaint(taints, placement.tolerations) !== undefined) return;
      if (placement.alternatives.some((set) => holds(algebra, labels, set))) setBit(serves, number);
    });
    const key = bitsKey(serves);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { room, largest: room, serves });
    else {
      const sum = addAmounts(group.room, room);
      groups.set(key, { room: sum, largest: maxAmounts(group.largest, room), serves });
    }
  }
  return [...groups.values()].filter((group) => group.serves.some((word) => word !== 0));
}

// ---------------------------------------------------------------------------------------------------------------

function usedByNode(
  algebra: Algebra,
  resources: Resources,
  input: SchedulingInput,
): Map<string, readonly number[]> {
  const reader = new SpecReader(algebra, resources);
  const used = new Map<string, readonly number[]>();
  for (const pod of input.boundPods ?? []) {
    const nodeName = pod.spec?.nodeName;
    if (nodeName === undefined || pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed')
      continue;
    const { spec } = reader.read(pod);
    const amounts = 'code' in spec ? [] : expand(spec.requests);
    used.set(nodeName, addAmounts(used.get(nodeName) ?? [], amounts));
  }
  return used;
}

/** Invalid amounts count as zero. */
function amountsOr(read: () => number[]): number[] {
  try {
    return read();
  } catch (error) {
    if (error instanceof ResourceProblem) return [];
    throw error;
  }
}

function labelsOf(algebra: Algebra, node: ExistingNode): RequirementSet {
  const labels = { [KubernetesLabel.hostname]: node.name, ...node.labels, [NODE_NAME_KEY]: node.name };
  return algebra.set(Object.entries(labels).map(([key, value]) => algebra.label(key, value)));
}

/** Startup and ephemeral taints of a managed node do not count until it is initialized. */
function taintsInForce(node: ExistingNode) {
  const taints = hardTaints(node.taints);
  const managed = node.managed ?? node.labels?.[KarpenterLabel.nodePool] !== undefined;
  if (!managed || node.initialized !== false) return taints;
  return taints.filter(
    (taint) =>
      !isKnownEphemeralTaint(taint) && !(node.startupTaints ?? []).some((own) => sameTaint(own, taint)),
  );
}

function holds(algebra: Algebra, labels: RequirementSet, wanted: RequirementSet): boolean {
  return wanted.items.every((item) => {
    const own = labels.items.find((label) => label.key === item.key);
    return own === undefined ? excludes(item) : algebra.overlaps(own, item);
  });
}
