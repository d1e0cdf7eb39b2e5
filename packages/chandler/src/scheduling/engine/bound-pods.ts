/**
 * Pods that are bound to nodes: the resources they use, how many pods of each label class are on which node,
 * and which of them have anti-affinity. Pods that are about to be rescheduled are not counted for topology.
 */
import type { HostPort } from '../host-ports.ts';
import type { Pod, PodAffinityTerm } from '../model.ts';
import type { ReadSpec } from '../pods/read-spec.ts';
import type { SpecReading } from '../pods/spec-reader.ts';
import type { InputError, PodProblem } from '../refusal.ts';
import { addAmounts, expand } from '../resources.ts';
import { namespaceOf, podKey } from '../shapes/named-pods.ts';
import type { LabelClass, LabelClasses } from '../topology/label-classes.ts';
import type { VolumeIndex } from '../volumes/volume-index.ts';
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

export interface BoundContext {
  readonly labelClasses: LabelClasses;
  readonly volumes: VolumeIndex;
}

export class BoundPods {
  readonly antiAffinities: BoundAntiAffinity[] = [];
  readonly #usage = new Map<string, NodeUsage>();
  /** By namespace and label class: how many on which node. */
  readonly #tallies = new Map<string, Map<LabelClass, Map<string, number>>>();
  readonly #counted = new Map<string, CountedPod[]>();
  readonly #antiByKey = new Map<string, BoundAntiAffinity>();

  usageOf(node: string): NodeUsage | undefined {
    return this.#usage.get(node);
  }

  /** The number of pods of a namespace per node, by their labels. */
  tallies(namespace: string): Iterable<readonly [LabelClass, ReadonlyMap<string, number>]> {
    return this.#tallies.get(namespace) ?? [];
  }

  /** The pods of a node that count for topology. */
  countedOn(node: string): readonly CountedPod[] {
    return this.#counted.get(node) ?? [];
  }

  add(context: BoundContext, pod: Pod, spec: ReadSpec, counts: boolean): void {
    const node = pod.spec.nodeName!;
    this.#charge(context, pod, node, expand(spec.requests), spec.ports);
    if (!counts || pod.metadata.deletionTimestamp !== undefined) return;
    const namespace = namespaceOf(pod.metadata);
    const labels = context.labelClasses.of(namespace, pod.metadata.labels);
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
    const counted = { labels, keepsAway: spec.antiAffinity.required };
    const list = this.#counted.get(node);
    if (list === undefined) this.#counted.set(node, [counted]);
    else list.push(counted);
    for (const term of spec.antiAffinity.required) this.#keepAway(term, namespace, node);
  }

  #charge(
    context: BoundContext,
    pod: Pod,
    node: string,
    amounts: number[],
    ports: readonly HostPort[],
  ): void {
    let usage = this.#usage.get(node);
    if (usage === undefined) {
      usage = { amounts: [], daemonAmounts: [], ports: [], shared: new Set() };
      this.#usage.set(node, usage);
    }
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
    const key = `${namespace}/${JSON.stringify(term)}`;
    let standing = this.#antiByKey.get(key);
    if (standing === undefined) {
      standing = { term, namespace, byNode: new Map() };
      this.#antiByKey.set(key, standing);
      this.antiAffinities.push(standing);
    }
    standing.byNode.set(node, (standing.byNode.get(node) ?? 0) + 1);
  }
}

/**
 * @param readings of the bound pods, in their order.
 * @param placing names of the pods that are about to be placed.
 */
export function readBoundPods(
  context: BoundContext,
  pods: readonly Pod[],
  readings: readonly SpecReading[],
  placing: ReadonlySet<string>,
  errors: InputError[],
): BoundPods {
  const bound = new BoundPods();
  if (pods.length === 0) return bound;
  for (const [index, pod] of pods.entries()) {
    const node = pod.spec?.nodeName;
    const phase = pod.status?.phase;
    if (node === undefined || node === '' || phase === 'Succeeded' || phase === 'Failed') continue;
    const { spec } = readings[index]!;
    const key = podKey(pod);
    if ('code' in spec) errors.push(unreadable(key, spec));
    else bound.add(context, pod, spec, !placing.has(key));
  }
  return bound;
}

// ---------------------------------------------------------------------------------------------------------------

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
