/** The steps of a pod as the watch shows them: unbound, bound, running for the first time. */
import type { Pod, StoreChange, Stored } from '@chandler/kube';
import { conditionOf, isTerminal } from '../../state/index.ts';

export interface PodStepWatcher {
  /** It was pending, and is bound now. */
  bound?(pod: Stored<Pod>, at: string | undefined): void;
  /** It was not running, and runs now. */
  started?(pod: Stored<Pod>, at: string | undefined): void;
  /** No further step follows. May be called more than once. */
  done?(uid: string): void;
}

export class PodSteps {
  readonly #watcher: PodStepWatcher;
  /** By UID. */
  readonly unbound = new Map<string, Stored<Pod>>();
  readonly unstarted = new Map<string, Stored<Pod>>();

  constructor(watcher: PodStepWatcher) {
    this.#watcher = watcher;
  }

  on({ type, object: pod }: Pick<StoreChange<Stored<Pod>>, 'type' | 'object'>): void {
    const uid = pod.metadata.uid;
    if (type === 'deleted' || isTerminal(pod)) {
      this.unbound.delete(uid);
      this.unstarted.delete(uid);
      this.#watcher.done?.(uid);
      return;
    }
    const bound = conditionOf(pod, 'PodScheduled');
    if (bound?.status !== 'True' && !pod.spec.nodeName) this.unbound.set(uid, pod);
    else if (this.unbound.delete(uid)) this.#watcher.bound?.(pod, bound?.lastTransitionTime);
    const ready = conditionOf(pod, 'Ready');
    if (ready?.status === 'True') {
      if (this.unstarted.delete(uid)) this.#watcher.started?.(pod, ready.lastTransitionTime);
      this.#watcher.done?.(uid);
    } else if (pod.status?.phase === 'Pending' || this.unstarted.has(uid)) this.unstarted.set(uid, pod);
  }
}
