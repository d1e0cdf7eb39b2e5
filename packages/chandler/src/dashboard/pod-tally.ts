/** What the pods on every node request. Of a pod only its node and its amounts are kept: there may be 150,000. */
import type { Interner, KubeObject, NamespacedObject, Pod, Stored } from '@chandler/kube';
import { podRequests, ResourceProblem, Resources } from '../scheduling/index.ts';

/** A pod as it is kept. */
export interface TalliedPod extends KubeObject, NamespacedObject {
  readonly metadata: NamespacedObject['metadata'];
  /** Empty: it is pending. */
  readonly nodeName: string;
  readonly cpuMillis: number;
  readonly memoryBytes: number;
}

export interface PodUsage {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
  readonly pods: number;
}

export function trimToTally(pod: Stored<TalliedPod>, interner: Pick<Interner, 'string'>): Stored<TalliedPod> {
  const { name, namespace, uid, resourceVersion } = pod.metadata;
  const { spec } = pod as unknown as Stored<Pod>;
  const [cpuMillis = 0, memoryBytes = 0] = amountsOf(pod as unknown as Stored<Pod>);
  return {
    metadata: { name, namespace: interner.string(namespace ?? ''), uid, resourceVersion },
    nodeName: interner.string(spec?.nodeName ?? ''),
    cpuMillis,
    memoryBytes,
  };
}

export class PodTally {
  readonly #byNode = new Map<string, { cpuMillis: number; memoryBytes: number; pods: number }>();
  /** Pods without a node. */
  pending = 0;

  add(pod: TalliedPod): void {
    this.#count(pod, 1);
  }

  remove(pod: TalliedPod): void {
    this.#count(pod, -1);
  }

  on(node: string): PodUsage {
    return this.#byNode.get(node) ?? NOTHING;
  }

  #count({ nodeName, cpuMillis, memoryBytes }: TalliedPod, sign: 1 | -1): void {
    if (nodeName === '') {
      this.pending += sign;
      return;
    }
    let usage = this.#byNode.get(nodeName);
    if (usage === undefined) {
      usage = { cpuMillis: 0, memoryBytes: 0, pods: 0 };
      this.#byNode.set(nodeName, usage);
    }
    usage.cpuMillis += sign * cpuMillis;
    usage.memoryBytes += sign * memoryBytes;
    usage.pods += sign;
    if (usage.pods === 0) this.#byNode.delete(nodeName);
  }
}

// ---------------------------------------------------------------------------------------------------

const NOTHING: PodUsage = { cpuMillis: 0, memoryBytes: 0, pods: 0 };
const RESOURCES = new Resources();

/** An API server accepts no invalid amount; a pod with one counts with none. */
function amountsOf(pod: Stored<Pod>): readonly number[] {
  try {
    return podRequests(RESOURCES, pod);
  } catch (error) {
    if (error instanceof ResourceProblem) return [];
    throw error;
  }
}
