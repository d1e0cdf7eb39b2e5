/**
 * Places a pod on an existing node: the first one in order that accepts it. Nodes that can no longer accept
 * such a pod in this run are cached by signature and skipped.
 */
import { type Bits, lowestBit } from '../bits.ts';
import { takenPort } from '../host-ports.ts';
import { brokenHostRule, requiredAffinityGroups } from './host-rules.ts';
import { allows } from './narrowing.ts';
import type { NodeEntry } from './nodes.ts';
import type { DomainRule, Variant } from './pod-class.ts';
import type { Run } from './run.ts';

/** @returns the number of the node; -1 when none takes the pod. */
export function placeOnNode(run: Run, variant: Variant, pod: number): number {
  const { nodes } = run.compiled;
  if (nodes.all.length === 0) return -1;
  const candidates = candidateNodes(run, variant);
  for (let word = 0; word < candidates.length; word++) {
    while (candidates[word] !== 0) {
      const node = nodes.all[(word << 5) + lowestBit(candidates[word]!)]!;
      candidates[word]! &= candidates[word]! - 1;
      run.attempts++;
      if (!takes(run, variant, node, candidates)) continue;
      const { podClass } = variant;
      run.space.add(node, pod, podClass, variant.ports);
      run.counts.onNode(podClass, node.index, 1);
      return node.index;
    }
  }
  return -1;
}

/** Whether the rule allows the pod on a node in this domain; -1: the node does not have the label. */
export function nodeAllows(run: Run, rule: DomainRule, value: number): boolean {
  const { kind } = rule.group.spec;
  if (value < 0) return kind === 'anti' || kind === 'inverse' || rule.onlyDecides;
  return allows(run.compiled.algebra, rule, value);
}

// ---------------------------------------------------------------------------------------------------------------

function candidateNodes(run: Run, variant: Variant): Bits {
  const candidates = run.candidateNodes;
  const rejectedByFit = variant.fit.rejected.nodes;
  const rejectedByHost = variant.host.rejected.nodes;
  for (let word = 0; word < candidates.length; word++) {
    const rejected = (rejectedByFit[word] ?? 0) | (rejectedByHost[word] ?? 0) | run.removed[word]!;
    candidates[word] = variant.nodes[word]! & ~rejected;
  }
  if (variant.hostAffinities.length === 0) return candidates;
  for (const group of requiredAffinityGroups(variant)) {
    for (let word = 0; word < candidates.length; word++) candidates[word]! &= group.hostsInUse[word] ?? 0;
  }
  return candidates;
}

function takes(run: Run, variant: Variant, node: NodeEntry, candidates: Bits): boolean {
  if (run.space.short(node, variant.podClass) >= 0 || takenPort(variant.ports, node.ports) !== undefined) {
    variant.fit.rejected.addNode(node.index);
    return false;
  }
  if (brokenHostRule(variant.host, node.index) !== undefined) {
    variant.host.rejected.addNode(node.index);
    return false;
  }
  for (const rule of variant.domainRules) {
    const { key } = rule.group.spec;
    const value = run.compiled.nodes.value(node.index, key);
    if (nodeAllows(run, rule, value)) continue;
    // The whole domain is not allowed for now: skip its other nodes.
    const domain = run.compiled.nodes.inDomain(key, value);
    for (let word = 0; word < candidates.length; word++) candidates[word]! &= ~domain[word]!;
    return false;
  }
  return true;
}
