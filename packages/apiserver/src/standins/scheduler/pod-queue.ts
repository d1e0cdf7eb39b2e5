/**
 * The scheduling queue: pods to be tried, by priority, and unschedulable pods that wait for a change that could make
 * them schedulable.
 */
import { Heap, type Pod, type Stored } from '@chandler/kube';
import { nameOf, namespaceOf } from '../object-facts.ts';
import { podKey } from './cluster-snapshot.ts';

export class PodQueue {
  readonly #waiting = new Map<string, Stored<Pod>>();
  /** Pods to be tried; entries of the heap that are not in here are stale and skipped. */
  readonly #active = new Map<string, Stored<Pod>>();
  readonly #heap = new Heap<Stored<Pod>>((left, right) => comparePods(left, right) < 0);

  /** All pending pods, tried or not. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Adds a new or changed pod for a scheduling attempt. */
  add(pod: Stored<Pod>): void {
    const key = podKey(pod);
    this.#waiting.set(key, pod);
    if (!this.#active.has(key)) this.#activate(key, pod);
  }

  /** Updates the pod without another attempt. */
  refresh(pod: Stored<Pod>): void {
    this.#waiting.set(podKey(pod), pod);
  }

  get(key: string): Stored<Pod> | undefined {
    return this.#waiting.get(key);
  }

  remove(key: string): void {
    this.#waiting.delete(key);
    this.#active.delete(key);
  }

  /** Retries the pods that match, after a change that may help them. */
  retry(helps: (pod: Stored<Pod>) => boolean): void {
    for (const [key, pod] of this.#waiting)
      if (!this.#active.has(key) && helps(pod)) this.#activate(key, pod);
  }

  /** The next pod to try. It is not returned again until it is added, retried or removed. */
  take(): Stored<Pod> | undefined {
    for (let entry = this.#heap.pop(); entry; entry = this.#heap.pop()) {
      const key = podKey(entry);
      if (this.#active.get(key) !== entry) continue;
      this.#active.delete(key);
      return this.#waiting.get(key);
    }
    return undefined;
  }

  #activate(key: string, pod: Stored<Pod>): void {
    this.#active.set(key, pod);
    this.#heap.push(pod);
  }
}

/** Priority, then age, then name. */
export function comparePods(left: Stored<Pod>, right: Stored<Pod>): number {
  const importance = (right.spec.priority ?? 0) - (left.spec.priority ?? 0);
  if (importance !== 0) return importance;
  return (
    compareText(left.metadata.creationTimestamp ?? '', right.metadata.creationTimestamp ?? '') ||
    compareText(namespaceOf(left), namespaceOf(right)) ||
    compareText(nameOf(left), nameOf(right))
  );
}

// ---------------------------------------------------------------------------------------------------

function compareText(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1;
}
