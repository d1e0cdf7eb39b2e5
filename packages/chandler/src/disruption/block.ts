/**
 * Why a node is no candidate: a closed set of codes with facts, the events that Karpenter publishes for them, and
 * sentences. Which blocks apply is decided in `node-blocks.ts` and `method-blocks.ts`.
 */
import { ChandlerAnnotation, KarpenterAnnotation, KarpenterLabel } from '../api/index.ts';
import { type Freeze, freezeText, type PoolProblem, problemText } from './pool-rules.ts';
import type { ToleratedCondition } from './repair-policies.ts';
import type { ClosedWindows } from './windows.ts';

export type Block =
  | { readonly code: 'InCommand'; readonly command: string }
  | { readonly code: 'NotManaged' }
  | { readonly code: 'NoNode' }
  | { readonly code: 'Rebooting' }
  | { readonly code: 'Deleting' }
  | { readonly code: 'NotInitialized'; readonly registered: boolean }
  | { readonly code: 'Nominated' }
  | { readonly code: 'NodeDoNotDisrupt' }
  | { readonly code: 'NodePoolLabelMissing' }
  | { readonly code: 'NodePoolNotFound'; readonly nodePool: string }
  | { readonly code: 'InstanceTypesUnknown'; readonly nodePool: string }
  /** Until this time (ms since the epoch); undefined: for ever, or the pod has not started. */
  | { readonly code: 'PodDoNotDisrupt'; readonly pod: string; readonly untilMs?: number }
  | { readonly code: 'PodDisruptionBudget'; readonly pod: string; readonly budget: string }
  | { readonly code: 'MultipleBudgets'; readonly pod: string; readonly budgets: readonly string[] }
  /** The pod asks for a surge, and cannot have it. Until this time (ms since the epoch), if it ends by itself. */
  | { readonly code: 'CannotSurge'; readonly pod: string; readonly why: string; readonly untilMs?: number }
  /** The pod asks for a surge, and the controller runs without the option. */
  | { readonly code: 'SurgeDisabled'; readonly pod: string }
  // Of methods.
  | { readonly code: 'StaticNodePool'; readonly nodePool: string }
  | { readonly code: 'DynamicNodePool'; readonly nodePool: string }
  | { readonly code: 'InstanceTypeNotFound'; readonly instanceType: string }
  | { readonly code: 'LabelMissing'; readonly label: string }
  | { readonly code: 'ConsolidationDisabled'; readonly nodePool: string }
  | { readonly code: 'BufferPods'; readonly node: string; readonly buffers: readonly string[] }
  | { readonly code: 'Empty' }
  | { readonly code: 'NotEmpty'; readonly pods: number }
  | { readonly code: 'PolicyWhenEmpty'; readonly nodePool: string }
  /** `untilMs`: when the time of consolidateAfter is over, if that is all that is missing. */
  | { readonly code: 'NotConsolidatable'; readonly consolidateAfter: string; readonly untilMs?: number }
  | { readonly code: 'NotDrifted' }
  | { readonly code: 'NotExpired' }
  | { readonly code: 'Frozen'; readonly freeze: Freeze }
  | ({ readonly code: 'OutsideWindow'; readonly nodePool: string } & ClosedWindows)
  | { readonly code: 'InvalidNodePool'; readonly problem: PoolProblem }
  | { readonly code: 'TooYoung'; readonly nodePool: string; readonly untilMs: number }
  | {
      readonly code: 'DriftBackoff';
      readonly nodePool: string;
      readonly untilMs: number;
      readonly failures: number;
    }
  | {
      readonly code: 'ConsolidationBackoff';
      readonly nodePool: string;
      readonly untilMs: number;
      readonly failures: number;
    }
  | { readonly code: 'Unwritable'; readonly untilMs: number }
  | { readonly code: 'Healthy' }
  | ({ readonly code: 'Tolerated' } & ToleratedCondition)
  | { readonly code: 'DoNotRepair' }
  /** Without a NodePool there is no template for a replacement, and no budget. */
  | { readonly code: 'RepairNeedsNodePool' }
  /** Pods may not be evicted, and nothing bounds the drain. */
  | { readonly code: 'RepairNeedsGracePeriod'; readonly pods: readonly string[] };

export type BlockCode = Block['code'];

export interface DisruptionEvent {
  readonly reason: 'DisruptionBlocked' | 'Unconsolidatable' | 'NodeRepairBlocked';
  readonly message: string;
}

/** The event that Karpenter publishes on Node and NodeClaim for this block; undefined: none. */
export function blockEvent(block: Block): DisruptionEvent | undefined {
  const message = EVENTS[block.code];
  if (message === undefined) return undefined;
  return {
    reason: UNCONSOLIDATABLE.has(block.code) ? 'Unconsolidatable' : 'DisruptionBlocked',
    message: message(block as never),
  };
}

/** A sentence about what keeps the node, for people. */
export function blockText(block: Block): string {
  return TEXTS[block.code](block as never);
}

// ---------------------------------------------------------------------------------------------------

type Texts = { readonly [code in BlockCode]: (block: Extract<Block, { code: code }>) => string };

/** Karpenter's messages, which people search for. Codes without one are silent there, too. */
const EVENTS: Partial<Texts> = {
  NoNode: () => 'Nodeclaim does not have an associated node',
  Rebooting: () => 'Node is rebooting',
  Deleting: () => 'Node is deleting or marked for deletion',
  NotInitialized: ({ registered }) =>
    registered ? "Node isn't initialized" : "Node isn't initialized nor registered",
  Nominated: () => 'Node is nominated for a pending pod',
  NodeDoNotDisrupt: () =>
    `Disruption is blocked through the "${KarpenterAnnotation.doNotDisrupt}" annotation`,
  NodePoolLabelMissing: () => `Node doesn't have required label (label=${KarpenterLabel.nodePool})`,
  NodePoolNotFound: ({ nodePool }) => `NodePool not found (NodePool=${nodePool})`,
  InstanceTypesUnknown: ({ nodePool }) => `NodePool not found (NodePool=${nodePool})`,
  PodDoNotDisrupt: ({ pod }) => `Pod has "${KarpenterAnnotation.doNotDisrupt}" annotation (Pod=${pod})`,
  PodDisruptionBudget: ({ budget }) => `Pdb prevents pod evictions (PodDisruptionBudget=[${budget}])`,
  MultipleBudgets: ({ budgets }) =>
    `Eviction does not support multiple PDBs (PodDisruptionBudget(s)=[${budgets.join(' ')}])`,
  CannotSurge: ({ pod, why }) => `Pod cannot be moved by a rolling update: ${why} (Pod=${pod})`,
  SurgeDisabled: ({ pod }) =>
    `Pod has "${ChandlerAnnotation.disruptionSurge}", but the controller runs without --disruption-surge (Pod=${pod})`,
  InstanceTypeNotFound: ({ instanceType }) => `Instance Type "${instanceType}" not found`,
  LabelMissing: ({ label }) => `Node does not have label "${label}"`,
  ConsolidationDisabled: ({ nodePool }) => `NodePool "${nodePool}" has consolidation disabled`,
  BufferPods: ({ node }) => `Node "${node}" has buffer pods`,
  PolicyWhenEmpty: ({ nodePool }) =>
    `NodePool "${nodePool}" has consolidation policy WhenEmpty, but node is not empty`,
  DoNotRepair: () => `repair is blocked through the "${KarpenterAnnotation.doNotRepair}" annotation`,
  RepairNeedsNodePool: () => 'repair requires a NodePool to construct and budget a safe replacement',
  RepairNeedsGracePeriod: () => 'repair requires a termination grace period to bypass blocking pods',
};

const UNCONSOLIDATABLE: ReadonlySet<BlockCode> = new Set([
  'InstanceTypeNotFound',
  'LabelMissing',
  'ConsolidationDisabled',
  'BufferPods',
  'PolicyWhenEmpty',
]);

const TEXTS: Texts = {
  InCommand: ({ command }) => `it is being disrupted already (command ${command})`,
  NotManaged: () => 'it is not managed: it has no NodeClaim',
  NoNode: () => 'its NodeClaim has no Node yet',
  Rebooting: () => 'it is being rebooted',
  Deleting: () => 'it is being deleted',
  NotInitialized: ({ registered }) =>
    registered ? 'it is not initialized' : 'it is neither registered nor initialized',
  Nominated: () => 'pending pods are expected on it',
  NodeDoNotDisrupt: () => `its annotation ${KarpenterAnnotation.doNotDisrupt} is "true"`,
  NodePoolLabelMissing: () => `it has no label ${KarpenterLabel.nodePool}`,
  NodePoolNotFound: ({ nodePool }) => `its NodePool ${nodePool} does not exist`,
  InstanceTypesUnknown: ({ nodePool }) => `the instance types of NodePool ${nodePool} are not known`,
  PodDoNotDisrupt: ({ pod, untilMs }) =>
    `pod ${pod} has the annotation ${KarpenterAnnotation.doNotDisrupt}${untilMs === undefined ? '' : ` until ${timeText(untilMs)}`}`,
  PodDisruptionBudget: ({ pod, budget }) =>
    `PodDisruptionBudget ${budget} allows no eviction of pod ${pod} now`,
  MultipleBudgets: ({ pod, budgets }) =>
    `pod ${pod} has more than one PodDisruptionBudget (${budgets.join(', ')}), so it cannot be evicted`,
  CannotSurge: ({ pod, why, untilMs }) =>
    `pod ${pod} asks to move by a rolling update (${ChandlerAnnotation.disruptionSurge}) and cannot: ${why}${untilMs === undefined ? '' : `, until ${timeText(untilMs)}`}`,
  SurgeDisabled: ({ pod }) =>
    `pod ${pod} asks to move by a rolling update (${ChandlerAnnotation.disruptionSurge}), but the controller runs without --disruption-surge`,
  StaticNodePool: ({ nodePool }) => `NodePool ${nodePool} is static (spec.replicas)`,
  DynamicNodePool: ({ nodePool }) => `NodePool ${nodePool} is not static`,
  InstanceTypeNotFound: ({ instanceType }) =>
    `its instance type "${instanceType}" is not known, so its price is not known`,
  LabelMissing: ({ label }) => `it has no label ${label}, so its price is not known`,
  ConsolidationDisabled: ({ nodePool }) => `NodePool ${nodePool} has consolidateAfter: Never`,
  BufferPods: ({ buffers }) => `it holds capacity for ${buffers.join(', ')}`,
  Empty: () => 'it is empty',
  NotEmpty: ({ pods }) => `it runs ${pods} ${pods === 1 ? 'pod' : 'pods'}`,
  PolicyWhenEmpty: ({ nodePool }) => `NodePool ${nodePool} consolidates only empty nodes (WhenEmpty)`,
  NotConsolidatable: ({ consolidateAfter, untilMs }) =>
    untilMs === undefined
      ? 'its condition Consolidatable is not True'
      : `pods were added or removed within consolidateAfter (${consolidateAfter}), which ends at ${timeText(untilMs)}`,
  NotDrifted: () => 'it is not drifted',
  NotExpired: () => 'it has not expired',
  Frozen: ({ freeze }) => freezeText(freeze),
  OutsideWindow: ({ nodePool, windows, untilMs }) =>
    `NodePool ${nodePool} is disrupted only in its windows (${windows}); the next one opens at ${timeText(untilMs)}`,
  InvalidNodePool: ({ problem }) =>
    `${problemText(problem)}; until it is repaired no node of the NodePool is disrupted`,
  TooYoung: ({ nodePool, untilMs }) =>
    `it is younger than allowed in NodePool ${nodePool} (${ChandlerAnnotation.minNodeAge}, or consolidation-min-node-age), until ${timeText(untilMs)}`,
  DriftBackoff: ({ nodePool, untilMs, failures }) =>
    `the last ${failures === 1 ? 'replacement' : `${failures} replacements`} of NodePool ${nodePool} failed; the next is tried at ${timeText(untilMs)}`,
  ConsolidationBackoff: ({ nodePool, untilMs, failures }) =>
    `pods that the last ${failures === 1 ? 'consolidation' : `${failures} consolidations`} of NodePool ${nodePool} moved needed a new node; the next is tried at ${timeText(untilMs)}`,
  Unwritable: ({ untilMs }) =>
    `the API server refused to mark it or its NodeClaim; it is tried again at ${timeText(untilMs)}`,
  Healthy: () => 'it is healthy',
  Tolerated: ({ conditionType, conditionStatus, untilMs }) =>
    `its condition ${conditionType} is ${conditionStatus}, which is tolerated until ${timeText(untilMs)}`,
  DoNotRepair: () => `its annotation ${KarpenterAnnotation.doNotRepair} is "true"`,
  RepairNeedsNodePool: () =>
    `it is unhealthy, but it has no label ${KarpenterLabel.nodePool}: without a NodePool it cannot be replaced`,
  RepairNeedsGracePeriod: ({ pods }) =>
    `it is unhealthy, but pod ${pods[0]} may not be evicted, and neither its NodeClaim nor the repair policy has a terminationGracePeriod`,
};

export function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
