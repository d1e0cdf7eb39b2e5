/**
 * The state of the cluster, read as an administrator whose watches never fail: every object as the API server
 * has it, and every change in order of revision. Checkers read this, never the state of the controller
 * processes.
 */
import type { Fetch, KubeObject, ResourceRef } from '@chandler/kube';

export type TruthKind = keyof typeof PATHS | 'classes';

export interface ObservedChange {
  readonly kind: TruthKind;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: ObservedObject;
  readonly before: ObservedObject | undefined;
  readonly revision: number;
}

/** An object with untyped spec and status. */
export interface ObservedObject extends KubeObject {
  // biome-ignore lint/suspicious/noExplicitAny: checkers look into objects of every kind.
  readonly spec?: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly status?: any;
}

/** The name of all objects of another provider; they are left out here, and no process may write them. */
export const OTHERS = 'theirs';

export class KubeState {
  readonly #objects = new Map<TruthKind, Map<string, ObservedObject>>();
  readonly #pending: {
    revision: number;
    kind: TruthKind;
    type: ObservedChange['type'];
    object: ObservedObject;
  }[] = [];
  readonly #readers = new Set<ReadableStreamDefaultReader<Uint8Array>>();

  /** Opens all watches; the caller moves time. */
  static async open(fetch: Fetch, nodeClasses: ResourceRef): Promise<KubeState> {
    const truth = new KubeState();
    for (const [kind, path] of Object.entries(pathsWith(nodeClasses)))
      await truth.#watch(fetch, kind as TruthKind, path);
    return truth;
  }

  list(kind: TruthKind): readonly ObservedObject[] {
    return [...(this.#objects.get(kind)?.values() ?? [])];
  }

  get(kind: TruthKind, name: string, namespace = ''): ObservedObject | undefined {
    return this.#objects.get(kind)?.get(`${namespace}/${name}`);
  }

  byUid(kind: TruthKind, uid: string): ObservedObject | undefined {
    for (const object of this.#objects.get(kind)?.values() ?? [])
      if (object.metadata.uid === uid) return object;
    return undefined;
  }

  /** Processes the changes since the last call, in order. */
  drain(listener: (change: ObservedChange) => void): void {
    if (this.#pending.length === 0) return;
    const told = this.#pending.splice(0).sort((one, other) => one.revision - other.revision);
    for (const { revision, kind, type, object } of told) {
      const objects = this.#objects.get(kind)!;
      const key = keyOf(object);
      const before = objects.get(key);
      if (type === 'DELETED') objects.delete(key);
      else objects.set(key, object);
      listener({ kind, type, object, before, revision });
    }
  }

  close(): void {
    for (const reader of this.#readers) reader.cancel().catch(() => undefined);
  }

  async #watch(fetch: Fetch, kind: TruthKind, path: string): Promise<void> {
    const url = `http://truth${path}`;
    const listed = (await (await fetch(url)).json()) as {
      metadata: { resourceVersion: string };
      items: ObservedObject[];
    };
    const own = listed.items.filter((object) => !isOthers(object));
    this.#objects.set(kind, new Map(own.map((object) => [keyOf(object), object])));
    const { resourceVersion } = listed.metadata;
    const answer = await fetch(`${url}?watch=true&timeoutSeconds=500000&resourceVersion=${resourceVersion}`);
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    this.#readers.add(reader);
    void this.#read(reader, kind);
  }

  async #read(reader: ReadableStreamDefaultReader<Uint8Array>, kind: TruthKind): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line !== '') this.#take(kind, line);
    }
  }

  #take(kind: TruthKind, line: string): void {
    const { type, object } = JSON.parse(line) as { type: string; object: ObservedObject };
    if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED')
      throw new Error(`the truth about ${kind} broke off: ${line.slice(0, 200)}`);
    if (isOthers(object)) return;
    this.#pending.push({ revision: Number(object.metadata.resourceVersion), kind, type, object });
  }
}

// ---------------------------------------------------------------------------------------------------

const PATHS = {
  claims: '/apis/karpenter.sh/v1/nodeclaims',
  pools: '/apis/karpenter.sh/v1/nodepools',
  nodes: '/api/v1/nodes',
  pods: '/api/v1/pods',
  daemonSets: '/apis/apps/v1/daemonsets',
  events: '/api/v1/events',
  budgets: '/apis/policy/v1/poddisruptionbudgets',
  overlays: '/apis/karpenter.sh/v1alpha1/nodeoverlays',
  leases: '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases',
} as const;

/** In the order in which they are opened. */
function pathsWith({ group, version, plural }: ResourceRef): Readonly<Record<TruthKind, string>> {
  const { claims, pools, ...rest } = PATHS;
  return { claims, pools, classes: `/apis/${group}/${version}/${plural}`, ...rest };
}

function isOthers({ metadata }: KubeObject): boolean {
  return metadata.name === OTHERS;
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
}
