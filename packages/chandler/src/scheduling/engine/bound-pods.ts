/**
 * Pods that are bound to nodes: the resources they use, how many pods of each label class are on which node,
 * and which of them have anti-affinity. Pods that are about to be rescheduled are not counted for topology; pods that are
 * being deleted are counted as a label class of their own.
 */
import type { HostPort } from '../host-ports.ts';
import type { Pod, PodAffinityTerm } from '../model.ts';
import type { ReadSpec } from '../pods/read-spec.ts';
import type { SpecReading } from '../pods/spec-reader.ts';
import type { InputError, PodProblem } from '../refusal.ts';
import { byCodeUnit } from '../requirements/algebra.ts';
import { addAmounts, expand } from '../resources.ts';
import { namespaceOf, podKey } from '../shapes/named-pods.ts';
import type { Steps } from '../steps.ts';
import type { LabelClass, LabelClasses } from '../topology/label-classes.ts';
import type { VolumeIndex } from '../volumes/volume-index.ts';
import type { ListChange } from './list-change.ts';
import type { NodeUsage } from './nodes.ts';

/** A required anti-affinity of bound pods. */
export interface BoundAntiAffinity {
  readonly term: PodAffinityTerm;
  readonly namespace: string;
  /** How many of the pods are on which node. */
  readonly byNode: Map<string, number>;
}

/** The parts of a bound pod that affect other pods. */
export interface CountedPod {
  readonly labels: LabelClass;
  readonly keepsAway: readonly PodAffinityTerm[];
}

/** The pods of a node. */
interface NodePods {
  readonly usage: NodeUsage;
  readonly counted: CountedPod[];
  /** In any order. */
  readonly pods: Pod[];
}

const PODS_PER_STEP = 10_000;

export interface BoundContext {
  readonly labelClasses: LabelClasses;
  readonly volumes: VolumeIndex;
}

export class BoundPods {
  readonly #nodes = new Map<string, NodePods>();
  /** By namespace and label class: how many on which node. */
  readonly #tallies = new Map<string, Map<LabelClass, Map<string, number>>>();
  readonly #antiByKey = new Map<string, BoundAntiAffinity>();

  /** In an order that does not depend on that of the pods. */
  get antiAffinities(): readonly BoundAntiAffinity[] {
    return [...this.#antiByKey].sort(([one], [other]) => byCodeUnit(one, other)).map(([, each]) => each);
  }

  usageOf(node: string): NodeUsage | undefined {
    return this.#nodes.get(node)?.usage;
  }

  /** The number of pods of a namespace per node, by their labels. */
  tallies(namespace: string): Iterable<readonly [LabelClass, ReadonlyMap<string, number>]> {
    return this.#tallies.get(namespace) ?? [];
  }

  /** The pods of a node that count for topology. */
  countedOn(node: string): readonly CountedPod[] {
    return this.#nodes.get(node)?.counted ?? [];
  }

  /**
   * The pods after a change, and which nodes it affects. Parts that have not changed are shared. Undefined when the change
   * must be read with all pods.
   * @param also further nodes whose pods are read again.
   */
  after(
    context: BoundContext,
    { removed, added }: ListChange<Pod>,
    also: Iterable<string>,
    readingOf: (pod: Pod) => SpecReading,
  ): { readonly bound: BoundPods; readonly nodes: ReadonlySet<string> } | undefined {
    const affected = nodesOf([...removed, ...added], readingOf);
    if (affected === undefined) return undefined;
    for (const node of also) affected.add(node);
    const bound = new BoundPods();
    for (const [key, standing] of this.#antiByKey) bound.#antiByKey.set(key, standing);
    for (const [namespace, byLabels] of this.#tallies) bound.#tallies.set(namespace, byLabels);
    for (const [node, own] of this.#nodes) if (!affected.has(node)) bound.#nodes.set(node, own);
    const changes = new TallyChanges();
    const antiChanges = new AntiAffinityChanges();
    for (const node of affected) {
      for (const { labels, keepsAway } of this.countedOn(node)) {
        changes.add(node, labels, -1);
        antiChanges.add(node, labels.namespace, keepsAway, -1);
      }
    }
    const before = [...affected].flatMap((node) => this.#nodes.get(node)?.pods ?? []);
    for (const pod of [...without(before, removed), ...added]) {
      if (!usesNode(pod)) continue;
      const node = pod.spec.nodeName!;
      const { spec } = readingOf(pod) as { readonly spec: ReadSpec };
      bound.#charge(context, pod, node, expand(spec.requests), spec.ports);
      const labels = labelClassOf(context, pod);
      bound.#on(node).counted.push({ labels, keepsAway: spec.antiAffinity.required });
      changes.add(node, labels, 1);
      antiChanges.add(node, labels.namespace, spec.antiAffinity.required, 1);
    }
    bound.#apply(changes);
    antiChanges.applyTo(bound.#antiByKey);
    return { bound, nodes: affected };
  }

  #apply(changes: TallyChanges): void {
    const own = new Set<object>();
    for (const { node, labels, change } of changes) {
      const tally = this.#ownTally(labels, own);
      const now = (tally.get(node) ?? 0) + change;
      if (now === 0) tally.delete(node);
      else tally.set(node, now);
    }
  }

  /** Copies the tally of the labels before it is changed. */
  #ownTally(labels: LabelClass, own: Set<object>): Map<string, number> {
    const { namespace } = labels;
    let byLabels = this.#tallies.get(namespace);
    if (byLabels === undefined || !own.has(byLabels)) {
      byLabels = new Map(byLabels ?? []);
      own.add(byLabels);
      this.#tallies.set(namespace, byLabels);
    }
    let tally = byLabels.get(labels);
    if (tally === undefined || !own.has(tally)) {
      tally = new Map(tally ?? []);
      own.add(tally);
      byLabels.set(labels, tally);
    }
    return tally;
  }

  #on(node: string): NodePods {
    let own = this.#nodes.get(node);
    if (own === undefined) {
      own = {
        usage: { amounts: [], daemonAmounts: [], ports: [], shared: new Set() },
        counted: [],
        pods: [],
      };
      this.#nodes.set(node, own);
    }
    return own;
  }

  add(context: BoundContext, pod: Pod, spec: ReadSpec, counts: boolean): void {
    const node = pod.spec.nodeName!;
    this.#charge(context, pod, node, expand(spec.requests), spec.ports);
    if (!counts) return;
    const labels = labelClassOf(context, pod);
    const { namespace } = labels;
    let byLabels = this.#tallies.get(namespace);
    if (byLabels === undefined) {
      byLabels = new Map();
      this.#tallies.set(namespace, byLabels);
    }
    let tally = byLabels.get(labels);
    if (tally === undefined) {
      tally = new Map();
      byLabels.set(labels, tally);
    }
    tally.set(node, (tally.get(node) ?? 0) + 1);
    this.#on(node).counted.push({ labels, keepsAway: spec.antiAffinity.required });
    for (const term of spec.antiAffinity.required) this.#keepAway(term, namespace, node);
  }

  #charge(
    context: BoundContext,
    pod: Pod,
    node: string,
    amounts: number[],
    ports: readonly HostPort[],
  ): void {
    const { usage, pods } = this.#on(node);
    pods.push(pod);
    const own = amounts;
    const needs = context.volumes.needsOf(pod);
    if (!('code' in needs)) {
      for (const [slot, count] of needs.attachments) addAt(own, slot, count);
      for (const { slot, claim } of needs.shared) {
        if (!usage.shared.has(claim)) addAt(own, slot, 1);
        usage.shared.add(claim);
      }
    }
    usage.amounts = addAmounts(usage.amounts, own);
    const daemon = pod.metadata.ownerReferences?.some((owner) => owner.kind === 'DaemonSet') === true;
    if (daemon) usage.daemonAmounts = addAmounts(usage.daemonAmounts, own);
    usage.ports.push(...ports);
  }

  #keepAway(term: PodAffinityTerm, namespace: string, node: string): void {
    const key = keyOfTerm(namespace, term);
    let standing = this.#antiByKey.get(key);
    if (standing === undefined) {
      standing = { term, namespace, byNode: new Map() };
      this.#antiByKey.set(key, standing);
    }
    standing.byNode.set(node, (standing.byNode.get(node) ?? 0) + 1);
  }
}

/**
 * @param readings of the bound pods, in their order.
 * @param placing names of the pods that are about to be placed.
 */
export function* readBoundPods(
  context: BoundContext,
  pods: readonly Pod[],
  readings: readonly SpecReading[],
  placing: ReadonlySet<string>,
  errors: InputError[],
): Steps<BoundPods> {
  const bound = new BoundPods();
  for (const [index, pod] of pods.entries()) {
    if (index > 0 && index % PODS_PER_STEP === 0) yield;
    if (!usesNode(pod)) continue;
    const { spec } = readings[index]!;
    const key = podKey(pod);
    if ('code' in spec) errors.push(unreadable(key, spec));
    else bound.add(context, pod, spec, !placing.has(key));
  }
  return bound;
}

// ---------------------------------------------------------------------------------------------------------------

function labelClassOf({ labelClasses }: BoundContext, { metadata }: Pod): LabelClass {
  return labelClasses.of(namespaceOf(metadata), metadata.labels, metadata.deletionTimestamp !== undefined);
}

/** One entry less for each pod of the second list. */
function without(pods: readonly Pod[], removed: readonly Pod[]): Pod[] {
  const gone = new Map<Pod, number>();
  for (const pod of removed) gone.set(pod, (gone.get(pod) ?? 0) + 1);
  return pods.filter((pod) => {
    const times = gone.get(pod) ?? 0;
    if (times > 0) gone.set(pod, times - 1);
    return times === 0;
  });
}

/** The nodes of the pods. Undefined when a pod is unreadable. */
function nodesOf(pods: readonly Pod[], readingOf: (pod: Pod) => SpecReading): Set<string> | undefined {
  const nodes = new Set<string>();
  for (const pod of pods) {
    const { spec } = readingOf(pod);
    if ('code' in spec) return undefined;
    const node = pod.spec?.nodeName;
    if (node !== undefined && node !== '') nodes.add(node);
  }
  return nodes;
}

/** How many pods more or fewer of each label class a node has. */
class TallyChanges {
  readonly #byNode = new Map<string, Map<LabelClass, number>>();

  add(node: string, labels: LabelClass, change: number): void {
    let byLabels = this.#byNode.get(node);
    if (byLabels === undefined) {
      byLabels = new Map();
      this.#byNode.set(node, byLabels);
    }
    byLabels.set(labels, (byLabels.get(labels) ?? 0) + change);
  }

  *[Symbol.iterator](): Iterator<{ node: string; labels: LabelClass; change: number }> {
    for (const [node, byLabels] of this.#byNode)
      for (const [labels, change] of byLabels) if (change !== 0) yield { node, labels, change };
  }
}

/** How many pods more or fewer with each anti-affinity a node has. */
class AntiAffinityChanges {
  readonly #byKey = new Map<string, BoundAntiAffinity>();

  add(node: string, namespace: string, terms: readonly PodAffinityTerm[], change: number): void {
    for (const term of terms) {
      const key = keyOfTerm(namespace, term);
      let changes = this.#byKey.get(key);
      if (changes === undefined) {
        changes = { term, namespace, byNode: new Map() };
        this.#byKey.set(key, changes);
      }
      changes.byNode.set(node, (changes.byNode.get(node) ?? 0) + change);
    }
  }

  /** Entries are replaced, not modified: others share them. */
  applyTo(antiAffinities: Map<string, BoundAntiAffinity>): void {
    for (const [key, { term, namespace, byNode }] of this.#byKey) {
      const known = antiAffinities.get(key);
      const counts = new Map(known?.byNode);
      for (const [node, change] of byNode) {
        const now = (counts.get(node) ?? 0) + change;
        if (now === 0) counts.delete(node);
        else counts.set(node, now);
      }
      if (counts.size === 0) antiAffinities.delete(key);
      else antiAffinities.set(key, { term: known?.term ?? term, namespace, byNode: counts });
    }
  }
}

const TERM_TEXTS = new WeakMap<PodAffinityTerm, string>();

function keyOfTerm(namespace: string, term: PodAffinityTerm): string {
  let text = TERM_TEXTS.get(term);
  if (text === undefined) {
    text = JSON.stringify(term);
    TERM_TEXTS.set(term, text);
  }
  return `${namespace}/${text}`;
}

/** Neither finished nor without a node. */
export function usesNode({ spec, status }: Pod): boolean {
  const node = spec?.nodeName;
  const phase = status?.phase;
  return node !== undefined && node !== '' && phase !== 'Succeeded' && phase !== 'Failed';
}

/** The requests of such a pod are unknown; its node seems to have more free resources than it has. */
function unreadable(key: string, problem: PodProblem): InputError {
  const { field, problem: text } =
    problem.code === 'InvalidPod' ? problem : { field: 'spec', problem: problem.code };
  return { object: `Pod/${key}`, field, problem: text };
}

function addAt(amounts: number[], slot: number, amount: number): void {
  while (amounts.length <= slot) amounts.push(0);
  amounts[slot]! += amount;
}
