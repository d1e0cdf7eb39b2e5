/**
 * The checker of launches on changes that are written down: a pod waits on a node that cannot be drained, and the NodeClaim
 * that it is meant for ends. Whether the pod may get another one depends on why.
 */
import { describe, expect, it } from 'vitest';
import { awsStory } from '../aws/aws-story.ts';
import { type CloudPart, INSTANCE } from '../server-state/cloud-state.ts';
import { KubeState, type ObservedChange, type ObservedObject } from '../server-state/kube-state.ts';
import type { View } from './check.ts';
import { boundedLaunches } from './launches.ts';

const START_MS = Date.parse('2026-11-17T10:00:00Z');

describe('launches for a pod that waits on a node that is drained', () => {
  it('may be repeated when the instance that the pod was meant for is stopped', async () => {
    const cluster = await aDrainedNode();
    cluster.interrupt('b');
    await cluster.remove('b');
    await cluster.launch('c');
    expect(cluster.violations()).toEqual([]);
  });

  it('may be repeated when the instance that the pod was meant for is gone', async () => {
    const cluster = await aDrainedNode();
    cluster.terminate('b');
    await cluster.remove('b');
    await cluster.launch('c');
    expect(cluster.violations()).toEqual([]);
  });

  it('may be repeated when the NodeClaim that the pod was meant for has expired', async () => {
    const cluster = await aDrainedNode({ expireAfter: '4m' });
    cluster.pass(240_000);
    await cluster.remove('b');
    await cluster.launch('c');
    expect(cluster.violations()).toEqual([]);
  });

  it('may not be repeated when the NodeClaim is deleted for no such reason', async () => {
    const cluster = await aDrainedNode({ expireAfter: '4m' });
    await cluster.remove('b');
    await cluster.launch('c');
    expect(cluster.violations()).toEqual([
      '3 claims were created for 2 pods that needed capacity; 0 claims failed',
    ]);
  });

  it('may be repeated once only', async () => {
    const cluster = await aDrainedNode();
    cluster.interrupt('b');
    await cluster.remove('b');
    await cluster.launch('c');
    await cluster.launch('d');
    expect(cluster.violations()).toEqual([
      '4 claims were created for 3 pods that needed capacity; 0 claims failed',
    ]);
  });
});

describe('launches for a pod on a node whose instance is stopped', () => {
  it('are one', async () => {
    const cluster = await aBoundPod();
    cluster.interrupt('a');
    await cluster.remove('a');
    await cluster.launch('b');
    expect(cluster.violations()).toEqual([]);
    await cluster.launch('c');
    expect(cluster.violations()).toEqual([
      '3 claims were created for 2 pods that needed capacity; 0 claims failed',
    ]);
  });

  it('are one also when the pod has left before the NodeClaim is gone', async () => {
    const cluster = await aBoundPod();
    cluster.interrupt('a');
    await cluster.remove('a');
    await cluster.put('pods', 'DELETED', { metadata: POD, spec: { nodeName: 'node-a' } });
    await cluster.put('claims', 'DELETED', aClaim('a'));
    await cluster.launch('b');
    await cluster.launch('c');
    expect(cluster.violations()).toEqual([
      '3 claims were created for 2 pods that needed capacity; 0 claims failed',
    ]);
  });
});

describe('a NodeClaim that is deleted before it has an instance', () => {
  it('allows one other NodeClaim', async () => {
    const cluster = new Cluster(await KubeState.open(emptyServer, CLASSES));
    await cluster.pend();
    await cluster.put('claims', 'ADDED', aClaim('a', { isInitialized: false }));
    await cluster.nominate('a');
    await cluster.remove('a', { isInitialized: false });
    await cluster.launch('b');
    expect(cluster.violations()).toEqual([]);
    await cluster.launch('c');
    expect(cluster.violations()).toEqual([
      '3 claims were created for 1 pods that needed capacity; 1 claims failed',
    ]);
  });
});

// ---------------------------------------------------------------------------------------------------

interface ClaimShape {
  readonly expireAfter?: string;
  readonly isInitialized?: boolean;
}

/** The pod runs on node a. */
async function aBoundPod(shape: ClaimShape = {}): Promise<Cluster> {
  const cluster = new Cluster(await KubeState.open(emptyServer, CLASSES), shape);
  await cluster.pend();
  await cluster.launch('a');
  await cluster.nominate('a');
  await cluster.put('nodes', 'ADDED', { metadata: { name: 'node-a', uid: 'node-a' } });
  await cluster.bind('node-a');
  return cluster;
}

/** Node a is interrupted, the pod on it cannot be evicted and is meant for b, which is ready. */
async function aDrainedNode(shape: ClaimShape = {}): Promise<Cluster> {
  const cluster = await aBoundPod(shape);
  cluster.interrupt('a');
  await cluster.remove('a');
  await cluster.launch('b');
  await cluster.nominate('b');
  return cluster;
}

const CLASSES = { group: 'karpenter.k8s.aws', version: 'v1', plural: 'ec2nodeclasses' } as never;
const POD = { name: 'pod', namespace: 'default', uid: 'pod' };
const lines = new Map<string, ReadableStreamDefaultController<Uint8Array>>();

/** An API server without objects, whose watches send what is written to `lines`, by path. */
async function emptyServer(url: string | URL | Request): Promise<Response> {
  const { pathname, searchParams } = new URL(String(url));
  if (!searchParams.has('watch')) return Response.json({ metadata: { resourceVersion: '0' }, items: [] });
  const body = new ReadableStream<Uint8Array>({ start: (stream) => void lines.set(pathname, stream) });
  return new Response(body);
}

const PATHS: Readonly<Record<string, string>> = {
  claims: '/apis/karpenter.sh/v1/nodeclaims',
  nodes: '/api/v1/nodes',
  pods: '/api/v1/pods',
  events: '/api/v1/events',
};

function aClaim(name: string, { expireAfter = 'Never', isInitialized = true }: ClaimShape = {}): object {
  const conditions = isInitialized ? [{ type: 'Initialized', status: 'True' }] : [];
  const creationTimestamp = new Date(START_MS).toISOString();
  return {
    metadata: { name, uid: name, creationTimestamp, labels: { 'karpenter.sh/nodepool': 'pool' } },
    spec: { expireAfter, resources: { requests: { cpu: '1' } } },
    status: { conditions, ...(isInitialized ? { nodeName: `node-${name}` } : {}) },
  };
}

class Cluster {
  readonly #check: ReturnType<typeof boundedLaunches>;
  readonly #kube: KubeState;
  readonly #shape: ClaimShape;
  readonly #violations: string[] = [];
  readonly #instances = new Set<string>();
  readonly #interrupted = new Set<string>();
  #revision = 0;
  #nowMs = START_MS;

  constructor(kube: KubeState, shape: ClaimShape = {}) {
    this.#kube = kube;
    this.#shape = shape;
    this.#check = boundedLaunches(this.#view());
  }

  violations(): readonly string[] {
    this.#check.periodically?.();
    return this.#violations.splice(0);
  }

  pass(ms: number): void {
    this.#nowMs += ms;
  }

  interrupt(name: string): void {
    this.#interrupted.add(name);
  }

  terminate(name: string): void {
    this.#instances.delete(name);
  }

  async launch(name: string): Promise<void> {
    this.#instances.add(name);
    await this.put('claims', 'ADDED', aClaim(name, this.#shape));
  }

  /** A process deletes it. */
  async remove(name: string, shape = this.#shape): Promise<void> {
    this.#check.onSend?.({ server: 'kube', method: 'DELETE', path: `${PATHS['claims']}/${name}` } as never);
    const claim = aClaim(name, shape) as ObservedObject;
    const metadata = { ...claim.metadata, deletionTimestamp: new Date(this.#nowMs).toISOString() };
    await this.put('claims', 'MODIFIED', { ...claim, metadata });
  }

  async pend(): Promise<void> {
    await this.put('pods', 'ADDED', { metadata: POD, spec: {} });
  }

  async bind(nodeName: string): Promise<void> {
    await this.put('pods', 'MODIFIED', { metadata: POD, spec: { nodeName } });
  }

  async nominate(claim: string): Promise<void> {
    await this.put('events', 'ADDED', {
      metadata: { name: `pod.${claim}`, namespace: 'default' },
      reason: 'Nominated',
      message: `Pod should schedule on: nodeclaim/${claim}`,
      involvedObject: { uid: POD.uid },
    });
  }

  async put(kind: string, type: ObservedChange['type'], object: object): Promise<void> {
    this.#revision += 1;
    const { metadata } = object as ObservedObject;
    const told = { ...object, metadata: { ...metadata, resourceVersion: `${this.#revision}` } };
    const line = `${JSON.stringify({ type, object: told })}\n`;
    lines.get(PATHS[kind]!)!.enqueue(new TextEncoder().encode(line));
    let arrived = false;
    while (!arrived) {
      await Promise.resolve();
      this.#kube.drain((change) => {
        arrived = true;
        this.#check.onKube?.(change);
      });
    }
  }

  #view(): View {
    const instanceOf = (uid: string) =>
      this.#instances.has(uid) ? ({ part: INSTANCE, id: uid } as CloudPart) : undefined;
    const isInterrupted = ({ id }: CloudPart) => this.#interrupted.has(id);
    return {
      kube: this.#kube,
      story: awsStory,
      cloud: { instanceOf, isInterrupted },
      servers: { world: { clock: { now: () => this.#nowMs } } },
      violated: (_check: string, what: string) => void this.#violations.push(what),
    } as unknown as View;
  }
}
