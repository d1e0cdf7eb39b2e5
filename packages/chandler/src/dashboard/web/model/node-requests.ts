/** What the pods of a node request of what it offers. While pods cannot be read there is no share: that is not 0 %. Pure. */
import type { NodeRow } from '../../wire.ts';
import type { ClusterStore } from './store.ts';

export interface Requested {
  readonly part: number;
  /** 0: nothing is known of which it could be a share. */
  readonly whole: number;
}

export interface NodeRequests {
  readonly cpuMillis: Requested;
  readonly memoryBytes: Requested;
  /** Null: pods cannot be read. */
  readonly pods: number | null;
}

export function requestsOf(store: ClusterStore, node: NodeRow): NodeRequests {
  const load = store.loadOf(node.name);
  const of = (name: 'cpuMillis' | 'memoryBytes'): Requested =>
    store.hasPods ? { part: load?.[name] ?? 0, whole: node[name] ?? 0 } : { part: 0, whole: 0 };
  return {
    cpuMillis: of('cpuMillis'),
    memoryBytes: of('memoryBytes'),
    pods: store.hasPods ? (load?.pods.size ?? 0) : null,
  };
}

/** To sort by; null where there is none. */
export function shareOf({ part, whole }: Requested): number | null {
  return whole === 0 ? null : part / whole;
}
