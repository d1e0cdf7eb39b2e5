/**
 * Why a node, or the nodes of a NodePool, are not disrupted, from a plan of disruption: what to repair first comes first. The
 * texts are those of `chandler plan`.
 */
import type { BlockCode, DisruptionPlan, Keep, NodeVerdict, RejectionCode } from '../disruption/index.ts';
import type { NonDisruptionReason } from './non-disruption-reasons.ts';
import { isNamespaced, type Subject } from './subject.ts';

export interface PlanToExplain extends Pick<DisruptionPlan, 'nodes' | 'problems'> {
  readonly freezes: readonly { readonly nodePool?: string; readonly text: string }[];
  /** The name of the ConfigMap of freezes, if it could not be read: there may be others. */
  readonly unreadFreezes?: string | undefined;
}

/** Empty for other kinds of objects, and for nodes that nobody disrupts in any case. */
export function stayingFrom({ kind, name }: Subject, plan: PlanToExplain): readonly NonDisruptionReason[] {
  if (kind === 'nodepool') return ofPool(name, plan);
  const node = plan.nodes.find((each) => (kind === 'node' ? each.name : each.claim) === name);
  if (node === undefined || isNamespaced(kind)) return [];
  if (node.text !== undefined) return disrupted(`it ${disruptedText(node.text, node.rolls)}`, plan);
  return inOrder(node.keeps).map((keep) => reason(codeOf(keep), keep.text));
}

// ---------------------------------------------------------------------------------------------------

/** What somebody can repair at once, then what pods and NodePools ask for, then what ends by itself, then what is well. */
const ORDER: readonly (BlockCode | RejectionCode)[] = [
  'InvalidNodePool',
  'NodePoolNotFound',
  'NodePoolLabelMissing',
  'InstanceTypesUnknown',
  'InstanceTypeNotFound',
  'LabelMissing',
  'SurgeDisabled',
  'CannotSurge',
  'MultipleBudgets',
  'RepairBreaker',
  'RepairNeedsNodePool',
  'RepairNeedsGracePeriod',
  'DoNotRepair',
  'Frozen',
  'OutsideWindow',
  'NodeDoNotDisrupt',
  'PodDoNotDisrupt',
  'PodDisruptionBudget',
  'Budget',
  'StaticNodeLimit',
  'StaticReservationsFull',
  'LaunchesHeld',
  'ConsolidationDisabled',
  'PolicyWhenEmpty',
  'SpotToSpotDisabled',
  'PodsUnschedulable',
  'BufferPods',
  'DriftBackoff',
  'ConsolidationBackoff',
  'Unwritable',
  'NotInitialized',
  'NotConsolidatable',
  'TooYoung',
  'Tolerated',
];

function disruptedText(text: string, rolls: readonly string[] = []): string {
  const rolled = rolls.length === 0 ? '' : `; it rolls ${rolls.join(', ')} first`;
  return `would be disrupted now: ${text}${rolled}`;
}

/** What is planned happens only if nothing is frozen. */
function disrupted(text: string, { unreadFreezes }: PlanToExplain): readonly NonDisruptionReason[] {
  if (unreadFreezes === undefined) return [reason('WouldBeDisrupted', text)];
  const unknown = `whether disruption is frozen is not known, because the ConfigMap ${unreadFreezes} cannot be read with these credentials`;
  return [reason('FreezeUnknown', unknown), reason('WouldBeDisrupted', `if it is not frozen, ${text}`)];
}

function inOrder(keeps: readonly Keep[]): readonly Keep[] {
  const place = (keep: Keep) => {
    const at = ORDER.indexOf(codeOf(keep));
    return at < 0 ? ORDER.length : at;
  };
  return [...keeps].sort((one, other) => place(one) - place(other));
}

function codeOf(keep: Keep): BlockCode | RejectionCode {
  return 'block' in keep ? keep.block.code : keep.rejection.code;
}

/** By code: how many nodes, and the text of the first. */
function ofPool(name: string, plan: PlanToExplain): readonly NonDisruptionReason[] {
  const { nodes, problems, freezes } = plan;
  const own = nodes.filter(({ nodePool }) => nodePool === name);
  const staying = own.filter(({ text }) => text === undefined);
  const going = own.length - staying.length;
  const byCode = Map.groupBy(
    staying.flatMap((node) => firstOf(node)),
    ({ keep }) => codeOf(keep),
  );
  const groups = [...byCode.values()].flatMap((list) => list.slice(0, 1).map(({ keep }) => keep));
  return [
    ...problems
      .filter(({ nodePool }) => nodePool === name)
      .map(({ field, value, message }) => reason('InvalidNodePool', `${field}: "${value}": ${message}`)),
    ...freezes.filter(({ nodePool = name }) => nodePool === name).map(({ text }) => reason('Frozen', text)),
    ...inOrder(groups).map((keep) => {
      const list = byCode.get(codeOf(keep))!;
      const others = list.length - 1;
      const more = others === 0 ? '' : `, and ${others} more ${others === 1 ? 'node' : 'nodes'} like it`;
      return reason(codeOf(keep), `${list[0]!.node}: ${keep.text}${more}`);
    }),
    ...(going === 0
      ? []
      : disrupted(`${going} of ${own.length} nodes would be disrupted now; see chandler plan`, plan)),
  ];
}

/** What to repair first on a node. */
function firstOf({ name, keeps }: NodeVerdict): readonly { readonly node: string; readonly keep: Keep }[] {
  return inOrder(keeps)
    .slice(0, 1)
    .map((keep) => ({ node: name, keep }));
}

function reason(code: string, text: string): NonDisruptionReason {
  return { code, text, atMs: undefined };
}
