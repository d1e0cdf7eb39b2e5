/** A stage for controllers: API server, stand-ins and a fake cloud, in one process and in virtual time. */
import { ADMIN } from '@chandler/apiserver';
import {
  type Controller,
  EVENTS,
  EventRecorder,
  fetchTransport,
  KubeClient,
  type KubeObject,
  type ResourceRef,
  type Stored,
  type Transport,
} from '@chandler/kube';
import { type VirtualWorld, virtualWorld } from '@chandler/kube/testing';
import { AZURE_LABEL_RULES, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import type { RepairPolicy } from '../../packages/chandler/src/cloud/index.ts';
import {
  ClaimRefusals,
  type ControllerContext,
  type ControllerSettings,
  FreezeWatch,
  LaunchBackoff,
  LaunchBudget,
  MovedWorkloads,
  PodRefusals,
  PodTimes,
  PoolHealth,
} from '../../packages/chandler/src/controllers/index.ts';
import { DEFAULT_SETTINGS } from '../../packages/chandler/src/controllers/testing.ts';
import { type Playground, startPlayground } from '../../packages/chandler/src/playground/index.ts';
import { Cluster, Stores } from '../../packages/chandler/src/state/index.ts';
import type { OptionalRoles } from '../e2e/role-rules.ts';
import { checkRoleUse, controllerFetch } from '../e2e/role-use.ts';

import { type FakeCloud, fakeCloud } from './fake-cloud.ts';

export interface StageOptions {
  readonly seed?: number;
  readonly settings?: Partial<ControllerSettings>;
  readonly controllers?: readonly ((context: ControllerContext) => Controller)[];
  /** In place of those of the fake cloud. */
  readonly repairPolicies?: readonly RepairPolicy[];
  /** The wire between the controllers and the API server. Default: direct. */
  readonly wire?: (send: Transport) => Transport;
}

export interface StageSet {
  readonly world: VirtualWorld;
  readonly cloud: FakeCloud;
  readonly context: ControllerContext;
  readonly playground: Playground;
  /** As an administrator. */
  readonly admin: KubeClient;
  /** Every write of the controllers: `PATCH /api/v1/nodes/a`. */
  readonly writes: readonly string[];
  /** Those of them without an abort signal, except events, which are sent in the background. */
  readonly writesWithoutSignal: readonly string[];
  /** Starts the controllers, stops those before: a restart of the process. */
  start(controllers: readonly ((context: ControllerContext) => Controller)[]): Promise<void>;
  startAll(make: (context: ControllerContext) => readonly Controller[]): Promise<void>;
  apply(resource: ResourceRef, object: object): Promise<Stored>;
  list(resource: ResourceRef): Promise<readonly KubeObject[]>;
  get(resource: ResourceRef, name: string, namespace?: string): Promise<KubeObject | undefined>;
  /** `reason` of every event on the object. */
  eventsOf(name: string): Promise<readonly { reason: string; message: string }[]>;
  /** Advances time in steps until the condition holds. */
  until(what: string, holds: () => Promise<boolean> | boolean, withinMs?: number): Promise<void>;
  end(): Promise<void>;
}

export async function setStage(options: StageOptions = {}): Promise<StageSet> {
  const world = virtualWorld({ seed: options.seed ?? 1 });
  const playground = await startPlayground({ world, port: false, systemNodes: 0 });
  const cloud = fakeCloud(world, () => playground.standins!, options.repairPolicies);
  const admin = new KubeClient({ transport: fetchTransport(playground.server.fetchAs(ADMIN)) });
  let running: Controller[] = [];
  const writes: string[] = [];
  const writesWithoutSignal: string[] = [];
  const roles = optionalRoles(options.settings ?? {});
  const direct = fetchTransport(await controllerFetch(playground.server, undefined, roles));
  let ends = new AbortController();
  let context = await newContext();
  async function newContext(): Promise<ControllerContext> {
    const send = options.wire?.(direct) ?? direct;
    const transport: Transport = (request) => {
      const write = `${request.method} ${request.path}`;
      if (request.method !== 'GET') writes.push(write);
      if (request.method !== 'GET' && request.signal === undefined && !request.path.includes('/events'))
        writesWithoutSignal.push(write);
      return send(request);
    };
    const stores = new Stores({
      world,
      transport,
      nodeClasses: cloud.nodeClasses,
      overlays: true,
      workloads: options.settings?.disruptionSurge === true,
    });
    await inTime(world, stores.start());
    ends = new AbortController();
    const freezes = new FreezeWatch({
      world,
      client: new KubeClient({ transport }),
      namespace: DEFAULT_SETTINGS.namespace,
    });
    void freezes.run(ends.signal);
    for (let round = 0; !freezes.known && round < 100; round++) await world.clock.advance(0);
    return {
      world,
      freezes,
      client: stores.client({ leader: true }),
      stores,
      cluster: new Cluster(stores, world.clock, cloud),
      cloud,
      events: new EventRecorder({ component: 'karpenter', client: new KubeClient({ transport }), world }),
      labelRules: AZURE_LABEL_RULES,
      backoff: new LaunchBackoff(world.clock),
      refusals: new ClaimRefusals(world.clock),
      podRefusals: new PodRefusals(world.clock),
      moves: new MovedWorkloads(world.clock),
      launches: new LaunchBudget(world.clock),
      poolHealth: new PoolHealth(world.clock),
      podTimes: new PodTimes(world),
      settings: { ...DEFAULT_SETTINGS, ...options.settings },
    };
  }
  const stop = async () => {
    await inTime(world, Promise.all(running.map((controller) => controller.stop())));
    running = [];
    ends.abort();
    await inTime(world, context.stores.stop());
  };
  const set: StageSet = {
    world,
    cloud,
    get context() {
      return context;
    },
    playground,
    admin,
    writes,
    writesWithoutSignal,
    start: (controllers) => set.startAll((own) => controllers.map((make) => make(own))),
    async startAll(make) {
      if (running.length > 0) {
        await stop();
        context = await newContext();
      }
      running = [...make(context)];
      await inTime(world, Promise.all(running.map((controller) => controller.start())));
    },
    apply: (resource, object) => inTime(world, admin.create(resource, object as KubeObject)),
    list: async (resource) => (await inTime(world, admin.list(resource))).items,
    get: async (resource, name, namespace) =>
      (await set.list(resource)).find(
        ({ metadata }) =>
          metadata.name === name && (namespace === undefined || metadata.namespace === namespace),
      ),
    eventsOf: async (name) =>
      (await set.list(EVENTS))
        .filter((event) => (event['involvedObject'] as { name?: string }).name === name)
        .map((event) => ({ reason: String(event['reason']), message: String(event['message']) })),
    async until(what, holds, withinMs = 120_000) {
      for (let waited = 0; waited <= withinMs; waited += STEP_MS) {
        if (await holds()) return;
        await world.clock.advance(STEP_MS);
      }
      throw new Error(`after ${withinMs / 1000} s still not so: ${what}`);
    },
    async end() {
      await stop();
      await inTime(world, playground.stop());
      checkRoleUse(playground.server);
    },
  };
  if (options.controllers !== undefined) await set.start(options.controllers);
  return set;
}

export const NODE_CLASS = {
  apiVersion: 'karpenter.azure.com/v1beta1',
  kind: 'AKSNodeClass',
  metadata: { name: 'default' },
  spec: {},
};

export function pool(name: string, spec: Record<string, unknown> = {}): object {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: {
      template: {
        spec: {
          nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
          requirements: [],
        },
      },
      ...spec,
    },
  };
}

/** A pool that is Ready, as the controllers of pools would set it. */
export async function readyPool(
  stage: StageSet,
  name: string,
  spec: Record<string, unknown> = {},
): Promise<KubeObject> {
  const made = await stage.apply(NODE_POOLS, pool(name, spec));
  const time = '2026-01-01T00:00:00Z';
  const ready = { type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: time };
  const patch = { status: { conditions: [ready] } };
  await stage.admin.patchStatus(NODE_POOLS, { name }, { type: 'merge', patch });
  return made;
}

export function pod(name: string, spec: Record<string, unknown> = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels: { app: 'a' } },
    spec: { containers: [{ name: 'main', image: 'i', resources: { requests: { cpu: '500m' } } }], ...spec },
  };
}

// ---------------------------------------------------------------------------------------------------

const STEP_MS = 500;

/** The files that people apply with these settings. */
function optionalRoles({ gates, disruptionSurge }: Partial<ControllerSettings>): readonly OptionalRoles[] {
  return [
    ...(gates?.PodDeletionCostManagement === true ? ['rbac-pod-deletion-cost.yaml' as const] : []),
    ...(disruptionSurge === true ? ['rbac-disruption-surge.yaml' as const] : []),
  ];
}

/** Moves time on until the promise is settled. */
async function inTime<T>(world: VirtualWorld, promise: Promise<T>): Promise<T> {
  let settled = false;
  const done = promise.finally(() => {
    settled = true;
  });
  done.catch(() => undefined);
  for (let round = 0; !settled && round < 2_000; round++) await world.clock.advance(round < 20 ? 0 : 50);
  if (!settled) throw new Error('nothing happened for a long virtual time');
  return done;
}
