/** Stores that are filled by hand, and a read model over them, for tests of this module. */
import {
  CONFIG_MAPS,
  type ConfigMap,
  EVENTS,
  type KubeObject,
  keyOfObject,
  type NamedObject,
  NODES,
  PODS,
  type ResourceRef,
  Store,
  type Stored,
  type World,
} from '@chandler/kube';
import { stored, virtualWorld } from '@chandler/kube/testing';
import { NODE_CLAIMS, NODE_POOLS } from '../api/index.ts';
import { type PagePod, trimToRow } from './page-pods.ts';
import { storedRows } from './pod-source.ts';
import { ReadModel } from './read-model.ts';
import type { Change } from './wire.ts';

export class TestModel<W extends World> {
  readonly nodes = new Store({ resource: NODES });
  readonly claims = new Store({ resource: NODE_CLAIMS });
  readonly pools = new Store({ resource: NODE_POOLS });
  readonly pods = new Store<PagePod>({
    resource: PODS as unknown as ResourceRef<PagePod>,
    trim: trimToRow,
  });
  readonly events = new Store({ resource: EVENTS as ResourceRef });
  readonly freezes = new Store<ConfigMap>({ resource: CONFIG_MAPS as unknown as ResourceRef<ConfigMap> });
  readonly world: W;
  readonly model: ReadModel;
  /** Where the model says what is wrong. */
  readonly problems: { error(text: string, fields?: object): void } = { error: () => undefined };
  #version = 1;

  constructor(world: W) {
    this.world = world;
    const { nodes, claims, pools, pods, events, freezes } = this;
    for (const store of [nodes, claims, pools, pods, events, freezes] as unknown as Store[])
      store.replace([], '1');
    this.model = new ReadModel({
      sources: {
        nodes,
        claims,
        claimsAreKnown: true,
        pools,
        pods: storedRows(pods),
        events: [events],
        freezes,
      },
      clock: world.clock,
      log: { error: (text, fields) => this.problems.error(text, fields) },
      epoch: 'epoch-1',
    });
  }

  put<T extends KubeObject>(store: Store<T>, object: object): void {
    const given = object as T & NamedObject;
    const metadata = { ...given.metadata, resourceVersion: String(++this.#version) };
    const held: Stored<T> = stored({ ...given, metadata });
    store.apply(store.get(keyOfObject(held)) === undefined ? 'ADDED' : 'MODIFIED', held);
  }

  remove<T extends KubeObject>(store: Store<T>, name: string, namespace?: string): void {
    const known = store.get(namespace === undefined ? { name } : { namespace, name })!;
    const metadata = { ...known.metadata, resourceVersion: String(++this.#version) };
    // As a server sends it: whole.
    store.apply('DELETED', { spec: { containers: [] }, ...known, metadata });
  }

  /** All changes after a number. */
  changes(after = 0): readonly Change[] {
    return JSON.parse(`[${this.model.log.after(after, Number.POSITIVE_INFINITY)?.text}]`) as Change[];
  }
}

export async function aModel(
  fill: (model: TestModel<ReturnType<typeof virtualWorld>>) => void = () => undefined,
) {
  const made = new TestModel(virtualWorld());
  fill(made);
  await made.model.start();
  return made;
}

export const aNode = (name: string, more: object = {}) => ({
  metadata: {
    name,
    labels: { 'karpenter.sh/nodepool': 'general' },
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  spec: { providerID: `cloud:///${name}` },
  status: {
    allocatable: { cpu: '4', memory: '8Gi', pods: '110' },
    conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: '2026-01-01T00:00:00Z' }],
  },
  ...more,
});

export const aClaim = (name: string, node: string | undefined, types: readonly string[]) => ({
  metadata: {
    name,
    labels: { 'karpenter.sh/nodepool': 'general' },
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  spec: { nodeClassRef: { group: 'g', kind: 'Class', name: 'default' }, requirements: [] },
  status: {
    ...(node === undefined ? {} : { providerID: `cloud:///${node}` }),
    conditions: types.map((type) => ({ type, status: 'True', reason: type, message: '' })),
  },
});

export const READY = ['Launched', 'Registered', 'Initialized', 'Consolidatable'];

export const aPool = (name: string, more: object = {}) => ({
  metadata: { name },
  spec: {
    template: { spec: { nodeClassRef: { group: 'g', kind: 'Class', name: 'default' }, requirements: [] } },
  },
  ...more,
});

export const aPod = (name: string, nodeName: string | undefined, more: object = {}) => ({
  metadata: { name, namespace: 'shop', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: {
    ...(nodeName === undefined ? {} : { nodeName }),
    containers: [{ name: 'main', resources: { requests: { cpu: '500m', memory: '1Gi' } } }],
  },
  status: { phase: nodeName === undefined ? 'Pending' : 'Running' },
  ...more,
});

export const anEvent = (
  kind: string,
  name: string,
  reason: string,
  message: string,
  lastTimestamp: string,
) => ({
  metadata: { name: `${name}.1`, namespace: 'default' },
  involvedObject: { kind, name },
  type: 'Normal',
  reason,
  message,
  lastTimestamp,
});
