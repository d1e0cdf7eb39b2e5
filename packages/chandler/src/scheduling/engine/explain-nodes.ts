/**
 * Why each existing node refused a pod, counted by reason. A node is counted under its first obstacle in
 * upstream's order: taints, host ports, resources and attachments, labels, volumes, topology.
 */
import { hasBit } from '../bits.ts';
import { takenPort } from '../host-ports.ts';
import type { CountedRefusal, Refusal } from '../refusal.ts';
import type { RequirementSet } from '../requirements/algebra.ts';
import { requirementText } from '../requirements/text.ts';
import { ATTACHMENT_PREFIX } from '../resources.ts';
import { taintText, untoleratedTaint } from '../taints.ts';
import { topologyRefusal } from './explain-topology.ts';
import { brokenHostRule, requiredAffinityGroups } from './host-rules.ts';
import { nodeAllows } from './node-placement.ts';
import type { NodeEntry } from './nodes.ts';
import type { Variant } from './pod-class.ts';
import { amountOf } from './queue.ts';
import type { Run } from './run.ts';
import { Tally } from './tally.ts';

export function nodeRefusals(run: Run, variant: Variant): CountedRefusal[] {
  const tally = new Tally();
  const roomiest = new Map<number, number>();
  for (const node of run.compiled.nodes.all) {
    if (hasBit(run.removed, node.index)) continue;
    const lacking = hasBit(variant.tolerations.nodes, node.index)
      ? run.space.lacking(node, variant.podClass)
      : NO_SLOTS;
    const slot = firstSlot(run, lacking);
    if (slot >= 0 && takenPort(variant.ports, node.ports) === undefined) {
      countLack(run, variant, node, slot, tally, roomiest);
      continue;
    }
    const found = obstacleOn(run, variant, node);
    if (found !== undefined) tally.add(found.key, node.name, found.build);
  }
  return tally.result();
}

/** The requirement that a node's labels do not meet. */
export function labelRefusal(
  run: Run,
  set: RequirementSet,
  node: NodeEntry,
  source: 'pod' | 'volume',
): Refusal | undefined {
  const { nodes, algebra } = run.compiled;
  const requirement = set.items.find((item) => !hasBit(nodes.meeting(item), node.index));
  if (requirement === undefined) return undefined;
  const key = algebra.labels.keyName(requirement.key);
  const value = nodes.value(node.index, requirement.key);
  const wanted = requirementText(algebra, requirement);
  if (value < 0) return { code: 'LabelUndefined', key, wanted, similar: null };
  const offered = `${key} In [${algebra.labels.valueName(requirement.key, value)}]`;
  return { code: 'RequirementIncompatible', key, wanted, offered, source };
}

// ---------------------------------------------------------------------------------------------------------------

const NO_SLOTS: readonly number[] = [];

/** -1 when there is none. */
function firstSlot({ compiled: { resources } }: Run, slots: readonly number[]): number {
  if (slots.length <= 1) return slots[0] ?? -1;
  return slots.reduce((first, second) => (resources.compareSlots(first, second) <= 0 ? first : second));
}

interface Obstacle {
  readonly key: string;
  readonly build: () => Refusal;
}

function countLack(
  run: Run,
  variant: Variant,
  node: NodeEntry,
  slot: number,
  tally: Tally,
  roomiest: Map<number, number>,
): void {
  const free = node.free[slot] ?? 0;
  const best = roomiest.get(slot);
  const key = `resource ${slot}`;
  if (best === undefined || free > best) {
    roomiest.set(slot, free);
    tally.improve(key, lackRefusal(run, variant, node, slot));
  }
  tally.add(key, node.name, () => lackRefusal(run, variant, node, slot));
}

function lackRefusal(run: Run, variant: Variant, node: NodeEntry, slot: number): Refusal {
  const free = node.free[slot] ?? 0;
  const { resources } = run.compiled;
  const name = resources.name(slot);
  const requested = amountOf(variant.podClass.requests, slot);
  if (name.startsWith(ATTACHMENT_PREFIX)) {
    const driver = name.slice(ATTACHMENT_PREFIX.length);
    const wanted =
      requested + variant.podClass.volumes.shared.filter((volume) => volume.slot === slot).length;
    const limit = run.compiled.volumes.nodeLimit(node.name, driver, node.attachmentLimits);
    return { code: 'VolumeLimit', driver, limit, used: limit - free, wanted };
  }
  return {
    code: 'ResourceInsufficient',
    resource: name,
    requested: resources.text(slot, requested),
    available: resources.text(slot, free),
    missing: resources.text(slot, Math.max(0, requested) - free),
  };
}

function obstacleOn(run: Run, variant: Variant, node: NodeEntry): Obstacle | undefined {
  const taint = untoleratedTaint(node.taints, variant.tolerations.list);
  if (taint !== undefined) {
    return { key: `taint ${taintText(taint)}`, build: () => ({ code: 'TaintNotTolerated', taint }) };
  }
  const port = takenPort(variant.ports, node.ports);
  if (port !== undefined)
    return { key: `port ${port.port}`, build: () => ({ code: 'HostPortTaken', ...port }) };
  const label = labelRefusal(run, variant.all, node, 'pod') ?? volumeRefusal(run, variant, node);
  if (label !== undefined) return { key: JSON.stringify(label), build: () => label };
  return topologyObstacle(run, variant, node);
}

function volumeRefusal(run: Run, variant: Variant, node: NodeEntry): Refusal | undefined {
  let first: Refusal | undefined;
  for (const alternative of variant.alternatives ?? []) {
    const refusal = labelRefusal(run, alternative, node, 'volume');
    if (refusal === undefined) return undefined;
    first ??= refusal;
  }
  return first;
}

function topologyObstacle(run: Run, variant: Variant, node: NodeEntry): Obstacle | undefined {
  const broken = brokenHostRule(variant.host, node.index)?.group;
  const required = requiredAffinityGroups(variant).find((group) => group.hostCount(node.index) === 0);
  const hostGroup = broken ?? required;
  if (hostGroup !== undefined) {
    return {
      key: `group ${hostGroup.id}`,
      build: () => topologyRefusal(run, hostGroup, undefined, undefined),
    };
  }
  const rule = variant.domainRules.find(
    (candidate) =>
      !nodeAllows(run, candidate, run.compiled.nodes.value(node.index, candidate.group.spec.key)),
  );
  if (rule === undefined) return undefined;
  const { algebra, nodes } = run.compiled;
  const { key } = rule.group.spec;
  const value = nodes.value(node.index, key);
  const domain =
    value < 0
      ? algebra.nothing(key)
      : algebra.label(algebra.labels.keyName(key), algebra.labels.valueName(key, value));
  return {
    key: `group ${rule.group.id}/${value}`,
    build: () => topologyRefusal(run, rule.group, rule.podDomains, domain),
  };
}
