/**
 * Why a node, or the nodes of a NodePool, are not disrupted, from a plan of disruption: what to repair first comes first. The
 * texts are those of `chandler plan`.
 */
import type {
  BlockCode,
  DisruptionPlan,
  Keep,
  MethodName,
  NodeVerdict,
  RejectionCode,
} from '../disruption/index.ts';
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
  return inOrder(node.keeps).map((keep) => reason(codeOf(keep), keepText(keep, node.keeps)));
}

// ---------------------------------------------------------------------------------------------------

type Code = BlockCode | RejectionCode;

/**
 * What happens to the node already, then what somebody can repair at once, then what pods and NodePools ask for, then what
 * ends by itself, then what is well.
 */
const ORDER: readonly string[] = Object.keys({
  InCommand: true,
  Deleting: true,
  Rebooting: true,
  NotManaged: true,
  NoNode: true,
  InvalidNodePool: true,
  NodePoolNotFound: true,
  NodePoolLabelMissing: true,
  InstanceTypesUnknown: true,
  InstanceTypeNotFound: true,
  LabelMissing: true,
  SurgeDisabled: true,
  CannotSurge: true,
  MultipleBudgets: true,
  RepairBreaker: true,
  RepairNeedsNodePool: true,
  RepairNeedsGracePeriod: true,
  DoNotRepair: true,
  Frozen: true,
  OutsideWindow: true,
  NodeDoNotDisrupt: true,
  PodDoNotDisrupt: true,
  PodDisruptionBudget: true,
  Budget: true,
  StaticNodeLimit: true,
  StaticReservationsFull: true,
  LaunchesHeld: true,
  ConsolidationDisabled: true,
  PolicyWhenEmpty: true,
  SpotToSpotDisabled: true,
  PodsUnschedulable: true,
  PendingPodsDisplaced: true,
  BufferPods: true,
  DriftBackoff: true,
  ConsolidationBackoff: true,
  Unwritable: true,
  NotInitialized: true,
  Nominated: true,
  NotConsolidatable: true,
  TooYoung: true,
  Tolerated: true,
  Destination: true,
  StaticScaling: true,
  NextPass: true,
  SpotToSpotTypes: true,
  MinValues: true,
  BelowThreshold: true,
  Score: true,
  SmallSaving: true,
  TooManyReplacements: true,
  NeedsExactPlacement: true,
  SameType: true,
  NotCheaper: true,
  SavesLess: true,
  StaticNodePool: true,
  DynamicNodePool: true,
  Empty: true,
  NotEmpty: true,
  NotDrifted: true,
  NotExpired: true,
  Healthy: true,
} satisfies Record<Code, true>);

/** What a method wants of the node, the most urgent first; without one of these it is about consolidation alone. */
const WANTED: readonly (readonly [methods: readonly MethodName[], text: string])[] = [
  [['repair'], 'it is unhealthy and is not replaced'],
  [['drift', 'static-drift'], 'it is drifted and is not replaced'],
  [['expiration'], 'it has expired and is not replaced'],
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

/** First what keeps the node although it must go, then what keeps it from a consolidation. */
function inOrder(keeps: readonly Keep[]): readonly Keep[] {
  const place = (keep: Keep) => [urgencyOf(keep), ORDER.indexOf(codeOf(keep))] as const;
  return [...keeps].sort((one, other) => {
    const [urgency, at] = place(one);
    const [otherUrgency, otherAt] = place(other);
    return urgency - otherUrgency || at - otherAt;
  });
}

function urgencyOf({ methods }: Keep): number {
  const at = WANTED.findIndex(([wanted]) => wanted.some((method) => methods.includes(method)));
  return at < 0 ? WANTED.length : at;
}

/** Says what would happen to the node, if it is not only consolidation. */
function keepText(keep: Keep, all: readonly Keep[]): string {
  const wanted = WANTED[urgencyOf(keep)];
  if (wanted !== undefined) return `${wanted[1]}: ${keep.text}`;
  return all.every((each) => urgencyOf(each) === WANTED.length)
    ? keep.text
    : `it is not consolidated: ${keep.text}`;
}

function codeOf(keep: Keep): Code {
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
      return reason(codeOf(keep), `${list[0]!.node}: ${keepText(keep, list[0]!.all)}${more}`);
    }),
    ...(going === 0
      ? []
      : disrupted(`${going} of ${own.length} nodes would be disrupted now; see chandler plan`, plan)),
  ];
}

/** What to repair first on a node. */
function firstOf({ name, keeps }: NodeVerdict): readonly KeptNode[] {
  return inOrder(keeps)
    .slice(0, 1)
    .map((keep) => ({ node: name, keep, all: keeps }));
}

interface KeptNode {
  readonly node: string;
  readonly keep: Keep;
  readonly all: readonly Keep[];
}

function reason(code: string, text: string): NonDisruptionReason {
  return { code, text, atMs: undefined };
}
