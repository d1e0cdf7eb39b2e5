/**
 * Pods that already sit on nodes: what they use there, how many of each label class are where, and which of
 * them keep others away. Pods that are about to be placed anew are not counted for topology.
 */
import type { HostPort } from '../host-ports.ts';
import type { Pod, PodAffinityTerm, SchedulingInput } from '../model.ts';
import type { SpecReader } from '../pods/spec-reader.ts';
import { addAmounts } from '../resources.ts';
import type { LabelClass, LabelClasses } from '../topology/label-classes.ts';
import type { VolumeBook } from '../volumes/volume-book.ts';
import { expand } from './daemons.ts';
import type { NodeUsage } from './nodes.ts';

/** A required anti-affinity of pods that are there. */
export interface StandingAntiAffinity {
  readonly term: PodAffinityTerm;
  readonly namespace: string;
  /** How many of the pods are on which node. */
  readonly byNode: Map<string, number>;
}

/** A pod that is there, as far as others care. */
export interface CountedPod {
  readonly labels: LabelClass;
  readonly keepsAway: readonly PodAffinityTerm[];
}

export interface BoundContext {
  readonly reader: SpecReader;
  readonly labelClasses: LabelClasses;
  readonly volumes: VolumeBook;
}

export class BoundPods {
  readonly antiAffinities: StandingAntiAffinity[] = [];
  readonly #usage = new Map<string, NodeUsage>();
  /** By label class: how many on which node. */
  readonly #tallies = new Map<LabelClass, Map<string, number>>();
  readonly #counted = new Map<string, CountedPod[]>();
  readonly #antiByKey = new Map<string, StandingAntiAffinity>();

  usageOf(node: string): NodeUsage | undefined {
    return this.#usage.get(node);
  }

  tallies(): Iterable<readonly [LabelClass, ReadonlyMap<string, number>]> {
    return this.#tallies;
  }

  /** The pods of a node that count for topology. */
  countedOn(node: string): readonly CountedPod[] {
    return this.#counted.get(node) ?? [];
  }

  add(context: BoundContext, pod: Pod, counts: boolean): void {
    const node = pod.spec.nodeName!;
    const { spec } = context.reader.read(pod);
    if ('code' in spec) return;
    this.#charge(context, pod, node, expand(spec.requests), spec.ports);
    if (!counts || pod.metadata.deletionTimestamp !== undefined) return;
    const namespace = pod.metadata.namespace ?? '';
    const labels = context.labelClasses.of(namespace, pod.metadata.labels);
    let tally = this.#tallies.get(labels);
    if (tally === undefined) {
      tally = new Map();
      this.#tallies.set(labels, tally);
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

export function readBoundPods(context: BoundContext, input: SchedulingInput): BoundPods {
  const bound = new BoundPods();
  if (input.boundPods === undefined) return bound;
  const placing = new Set(input.pods.map(podKey));
  for (const pod of input.boundPods) {
    const node = pod.spec?.nodeName;
    const phase = pod.status?.phase;
    if (node === undefined || node === '' || phase === 'Succeeded' || phase === 'Failed') continue;
    bound.add(context, pod, !placing.has(podKey(pod)));
  }
  return bound;
}

/** `namespace/name`. */
export function podKey(pod: Pod): string {
  const { namespace, name } = pod.metadata;
  return `${namespace ?? ''}/${name ?? ''}`;
}

// ---------------------------------------------------------------------------------------------------------------

function addAt(amounts: number[], slot: number, amount: number): void {
  while (amounts.length <= slot) amounts.push(0);
  amounts[slot]! += amount;
}
