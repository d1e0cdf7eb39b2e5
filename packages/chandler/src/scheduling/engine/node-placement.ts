/**
 * Looks for room on nodes that exist: the first one in order that takes the pod. Nodes that can no longer
 * take such a pod in this run are remembered by signature and not looked at again.
 */
import { type Bits, lowestBit } from '../bits.ts';
import { takenPort } from '../host-ports.ts';
import { brokenHostRule, requiredCompany } from './host-rules.ts';
import { allows } from './narrowing.ts';
import type { NodeEntry } from './nodes.ts';
import type { DomainRule, Variant } from './pod-class.ts';
import type { Run } from './run.ts';

/** @returns the number of the node; -1 when none takes the pod. */
export function placeOnNode(run: Run, variant: Variant, pod: number): number {
  const { nodes } = run.compiled;
  if (nodes.all.length === 0) return -1;
  const live = liveNodes(run, variant);
  for (let word = 0; word < live.length; word++) {
    while (live[word] !== 0) {
      const node = nodes.all[(word << 5) + lowestBit(live[word]!)]!;
      live[word]! &= live[word]! - 1;
      run.attempts++;
      if (!takes(run, variant, node, live)) continue;
      const { podClass } = variant;
      run.space.add(node, pod, podClass, variant.ports);
      run.counts.onNode(podClass, node.index, 1);
      return node.index;
    }
  }
  return -1;
}

/** Whether the rule lets the pod onto a node in this domain; -1: the node does not have the label. */
export function nodeAllows(run: Run, rule: DomainRule, value: number): boolean {
  const { kind } = rule.group.spec;
  if (value < 0) return kind === 'anti' || kind === 'inverse' || rule.onlyDecides;
  return allows(run.compiled.algebra, rule, value);
}

// ---------------------------------------------------------------------------------------------------------------

function liveNodes(run: Run, variant: Variant): Bits {
  const live = run.liveNodes;
  const deadFit = variant.fit.dead.nodes;
  const deadHost = variant.host.dead.nodes;
  for (let word = 0; word < live.length; word++) {
    const dead = (deadFit[word] ?? 0) | (deadHost[word] ?? 0) | run.removed[word]!;
    live[word] = variant.nodes[word]! & ~dead;
  }
  if (variant.hostAffinities.length === 0) return live;
  for (const group of requiredCompany(variant)) {
    for (let word = 0; word < live.length; word++) live[word]! &= group.hostsInUse[word] ?? 0;
  }
  return live;
}

function takes(run: Run, variant: Variant, node: NodeEntry, live: Bits): boolean {
  if (run.space.short(node, variant.podClass) >= 0 || takenPort(variant.ports, node.ports) !== undefined) {
    variant.fit.dead.killNode(node.index);
    return false;
  }
  if (brokenHostRule(variant.host, node.index) !== undefined) {
    variant.host.dead.killNode(node.index);
    return false;
  }
  for (const rule of variant.domainRules) {
    const { key } = rule.group.spec;
    const value = run.compiled.nodes.value(node.index, key);
    if (nodeAllows(run, rule, value)) continue;
    // The whole domain is closed for now: skip the rest of it.
    const domain = run.compiled.nodes.inDomain(key, value);
    for (let word = 0; word < live.length; word++) live[word]! &= ~domain[word]!;
    return false;
  }
  return true;
}
