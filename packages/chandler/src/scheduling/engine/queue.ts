/**
 * The order in which pods are placed: the largest first (cpu, then memory), then the oldest, then by uid.
 * Priority comes before size only if the caller asks for it. The pods of the snapshot are sorted once; the
 * extra pods of a request are merged into them.
 */
import type { Pod } from '../model.ts';
import type { SpecReading } from '../pods/spec-reader.ts';
import { CPU, MEMORY, type Requests } from '../resources.ts';
import { type NamedPods, namespaceOf } from '../shapes/named-pods.ts';
import type { PodClass } from './pod-class.ts';
import type { PodClasses } from './pod-classes.ts';

export interface QueuedPod {
  readonly pod: Pod;
  readonly podClass: PodClass;
  /** `namespace/name`. */
  readonly key: string;
}

export class PodQueue {
  readonly #classes: PodClasses;
  readonly #own: NamedPods;
  readonly #readings: readonly SpecReading[];
  #sorted: readonly QueuedPod[] | undefined;

  /** @param readings of the pods, in their order. */
  constructor(classes: PodClasses, own: NamedPods, readings: readonly SpecReading[]) {
    this.#classes = classes;
    this.#own = own;
    this.#readings = readings;
  }

  /**
   * A request begins: the pods of the snapshot and the extra pods, which must not be among them.
   * @param removed names of the nodes that are removed.
   */
  with({ pods, keys }: NamedPods, removed: readonly string[] = []): readonly QueuedPod[] {
    const own = this.#ownSorted();
    const extra = pods.map((pod, index) => ({ pod, podClass: this.#classes.of(pod), key: keys[index]! }));
    const { groups } = this.#classes.context;
    groups.begin(
      removed,
      extra.flatMap(({ podClass }) => podClass.groups),
    );
    if (pods.length === 0) return own;
    return merged(own, this.#sort(extra), this.#byPriority);
  }

  get #byPriority(): boolean {
    return this.#classes.context.options.priorityOrder;
  }

  #ownSorted(): readonly QueuedPod[] {
    if (this.#sorted !== undefined) return this.#sorted;
    const own = this.#own.pods.map((pod, index) => ({
      pod,
      podClass: this.#classes.of(pod, this.#readings[index]!),
      key: this.#own.keys[index]!,
    }));
    const { groups } = this.#classes.context;
    for (const podClass of new Set(own.map((queued) => queued.podClass))) groups.keep(podClass.groups);
    this.#sorted = this.#sort(own);
    return this.#sorted;
  }

  #sort(pods: readonly QueuedPod[]): QueuedPod[] {
    return queueOrder(pods, this.#byPriority);
  }
}

/** Most pods have one of a few sizes: sizes are sorted first, then pods of equal size by age. */
export function queueOrder(pods: readonly QueuedPod[], byPriority: boolean): QueuedPod[] {
  const bySize = new Map<string, QueuedPod[]>();
  for (const alike of byClass(pods, byPriority)) {
    const { priority, cpu, memory } = sizeOf(alike[0]!, byPriority);
    const key = `${priority}/${cpu}/${memory}`;
    const same = bySize.get(key);
    if (same === undefined) bySize.set(key, alike);
    else for (const queued of alike) same.push(queued);
  }
  const sizes = [...bySize.values()].sort((first, second) => compareSizes(first[0]!, second[0]!, byPriority));
  return sizes.flatMap((same) => same.sort(compareAges));
}

export function amountOf(requests: Requests, slot: number): number {
  const at = requests.slots.indexOf(slot);
  return at < 0 ? 0 : requests.amounts[at]!;
}

// ---------------------------------------------------------------------------------------------------------------

/** Pods of one class have equal size, but each pod has its own priority. */
function byClass(pods: readonly QueuedPod[], byPriority: boolean): Iterable<QueuedPod[]> {
  if (byPriority) return pods.map((queued) => [queued]);
  const classes = new Map<PodClass, QueuedPod[]>();
  for (const queued of pods) {
    const alike = classes.get(queued.podClass);
    if (alike === undefined) classes.set(queued.podClass, [queued]);
    else alike.push(queued);
  }
  return classes.values();
}

interface Size {
  readonly priority: number;
  readonly cpu: number;
  readonly memory: number;
}

function sizeOf({ pod, podClass: { requests } }: QueuedPod, byPriority: boolean): Size {
  return {
    priority: byPriority ? (pod.spec?.priority ?? 0) : 0,
    cpu: amountOf(requests, CPU),
    memory: amountOf(requests, MEMORY),
  };
}

function compareSizes(first: QueuedPod, second: QueuedPod, byPriority: boolean): number {
  const one = sizeOf(first, byPriority);
  const two = sizeOf(second, byPriority);
  return two.priority - one.priority || two.cpu - one.cpu || two.memory - one.memory;
}

function compareAges(first: QueuedPod, second: QueuedPod): number {
  const { metadata: one } = first.pod;
  const { metadata: two } = second.pod;
  return (
    compareTexts(one.creationTimestamp ?? '', two.creationTimestamp ?? '') ||
    compareTexts(one.uid ?? '', two.uid ?? '') ||
    compareTexts(namespaceOf(one), namespaceOf(two)) ||
    compareTexts(one.name ?? '', two.name ?? '')
  );
}

function compareTexts(first: string, second: string): number {
  if (first < second) return -1;
  return first > second ? 1 : 0;
}

function merged(
  first: readonly QueuedPod[],
  second: readonly QueuedPod[],
  byPriority: boolean,
): readonly QueuedPod[] {
  const result: QueuedPod[] = [];
  let at = 0;
  for (const queued of second) {
    while (at < first.length) {
      const own = first[at]!;
      if ((compareSizes(own, queued, byPriority) || compareAges(own, queued)) > 0) break;
      result.push(own);
      at++;
    }
    result.push(queued);
  }
  for (; at < first.length; at++) result.push(first[at]!);
  return result;
}
