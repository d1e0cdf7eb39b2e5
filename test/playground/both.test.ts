/** Azure and AWS in one cluster, each with its controller, without sockets and in virtual time. */
import '../e2e/loaded-aws-modules.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADMIN } from '@chandler/apiserver';
import {
  fetchTransport,
  KubeClient,
  type KubeObject,
  LEASES,
  NODES,
  PODS,
  type ResourceRef,
} from '@chandler/kube';
import { type VirtualWorld, virtualWorld } from '@chandler/kube/testing';
import { createAuthority } from '@chandler/kube/tls';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { NODE_CLAIMS, NODE_POOLS, type NodePool } from '../../packages/chandler/src/api/index.ts';
import { startController } from '../../packages/chandler/src/playground/controller.ts';
import {
  CLOUD_TAINT,
  defaultObjects,
  ensureObject,
  joinedInstances,
  type Playground,
  type PlaygroundCloud,
  type RunningController,
  startPlayground,
} from '../../packages/chandler/src/playground/index.ts';
import { inFull } from '../part.ts';
import { SMALL_CATALOGUE, whileLoading } from './scenario-harness.ts';

let world: VirtualWorld;
let playground: Playground;
let admin: KubeClient;
let folder: string;
let caPem: string;
let running: RunningController[];

beforeEach(async () => {
  // A library for tokens uses only real time.
  world = virtualWorld({ startMs: Date.now() });
  folder = mkdtempSync(join(tmpdir(), 'chandler-both-'));
  running = [];
  const azure = {
    azure: { catalogue: SMALL_CATALOGUE },
    server: { tokenLifetimeMs: 30 * 24 * 3600_000 },
  };
  const aws = { server: { catalogue: { types: ['m5.*', 'c5.*'] } } };
  playground = await wait(startPlayground({ world, port: false, systemTaint: true, azure, aws }));
  admin = new KubeClient({ transport: fetchTransport(playground.server.fetchAs(ADMIN)) });
  caPem = (await createAuthority(() => world.clock.now())).certificatePem;
  for (const object of defaultObjects(playground)) await wait(ensureObject(admin, object));
});

afterEach(async () => {
  await stopControllers();
  await wait(playground.stop());
  rmSync(folder, { recursive: true });
});

test('each pod gets a node of its own cloud; one that asks for none gets it on Azure; nothing is left on either', async () => {
  const [azure, aws] = playground.clouds as readonly [PlaygroundCloud, PlaygroundCloud];
  for (const cloud of playground.clouds) await start(cloud);
  await createPods();
  await until('all pods run', allRun);
  const providers = await Promise.all(
    ['azure', 'aws', 'any'].map(async (name) => {
      const nodeName = nodeNameOf(await wait(admin.get(PODS, { namespace: 'default', name })));
      const node = await wait(admin.get(NODES, { name: nodeName }));
      return node.spec?.providerID?.split(':')[0];
    }),
  );
  expect(providers).toEqual(['azure', 'aws', 'azure']);

  const claims = await all(NODE_CLAIMS);
  const kinds = (own: readonly KubeObject[]) =>
    new Set(own.map(({ spec }) => (spec as ClaimSpec).nodeClassRef.kind));
  expect(kinds(await claimsOf(azure))).toEqual(new Set(['AKSNodeClass']));
  expect(kinds(await claimsOf(aws))).toEqual(new Set(['EC2NodeClass']));
  expect(claims).toHaveLength(azure.instances().length + aws.instances().length);
  const prices = new Set(
    joinedInstances(playground.clouds)!
      .instances()
      .map(({ name }) => name),
  );
  const instances = claims.map(({ metadata, status }) => {
    const { providerID } = status as { providerID: string };
    return joinedInstances(playground.clouds)!.instanceOf({ name: metadata.name!, providerID });
  });
  expect(new Set(instances)).toEqual(prices);

  const leases = (await all(LEASES)).filter(({ metadata }) => metadata.name === 'karpenter-leader-election');
  expect(leases.map(({ metadata }) => metadata.namespace).sort()).toEqual(['chandler-aws', 'chandler-azure']);
  expect(new Set(leases.map(({ spec }) => (spec as { holderIdentity: string }).holderIdentity)).size).toBe(2);

  for (const name of POD_NAMES) await wait(admin.delete(PODS, { namespace: 'default', name }));
  await until('nothing is left on either cloud', async () => (await leftovers()) === 0, 30 * 60_000);
}, 120_000);

test.runIf(inFull('the controller of one cloud that restarts beside the other'))(
  'a controller that restarts touches nothing of the other cloud, also while that has no controller',
  async () => {
    for (const cloud of playground.clouds) await start(cloud);
    await createPods();
    await until('all pods run', allRun);
    await world.clock.advance(5 * 60_000);
    await stopControllers();
    for (const [own, other] of [playground.clouds, playground.clouds.toReversed()] as const) {
      const before = await stateOf(other!);
      const calls = callsOf(other!);
      await start(own!);
      await world.clock.advance(30 * 60_000);
      expect(await stateOf(other!)).toEqual(before);
      expect(callsOf(other!)).toBe(calls);
      expect(await allRun()).toBe(true);
      await stopControllers();
    }
  },
  120_000,
);

test('a controller writes nothing on NodePools and node classes of a cloud whose controller was never started', async () => {
  const [own, other] = playground.clouds;
  const stranger = structuredClone(own!.defaultPool()) as NodePool;
  stranger.metadata.name = 'stranger';
  stranger.spec.template.spec.nodeClassRef.group = 'karpenter.example.com';
  await wait(admin.create(NODE_POOLS, stranger));
  const before = await stateOf(other!);
  await start(own!);
  await world.clock.advance(10 * 60_000);
  expect(await stateOf(other!)).toEqual(before);
  const { status } = await wait(admin.get(NODE_POOLS, { name: 'stranger' }));
  const ready = status?.conditions?.find(({ type }) => type === 'NodeClassReady');
  expect(ready).toMatchObject({ status: 'False', reason: 'NodeClassNotFound' });
}, 120_000);

// ---------------------------------------------------------------------------------------------------

const POD_NAMES = ['azure', 'aws', 'any'];

interface ClaimSpec {
  readonly nodeClassRef: { readonly kind: string };
}

function wait<T>(promise: Promise<T>): Promise<T> {
  return whileLoading(world, promise);
}

async function until(what: string, holds: () => Promise<boolean>, withinMs = 5 * 60_000): Promise<void> {
  for (let waited = 0; waited <= withinMs; waited += 1000) {
    if (await holds()) return;
    await world.clock.advance(1000);
  }
  throw new Error(`after ${withinMs / 1000} s still not so: ${what}`);
}

/** Resolves when it leads. */
async function start(cloud: PlaygroundCloud): Promise<void> {
  const place = { serverUrl: 'https://127.0.0.1:6443', kubeconfig: '' };
  const files = await cloud.writeFiles(join(folder, cloud.name), place);
  const request = { world, log: world.log, playground, cloud, files, kubeconfig: '', caPem };
  const controller = await wait(startController(request));
  running.push(controller);
  await wait(controller.leading);
}

async function stopControllers(): Promise<void> {
  for (const controller of running.splice(0)) await wait(controller.stop());
}

/** One for each cloud, and one that does not care. */
async function createPods(): Promise<void> {
  for (const name of POD_NAMES) {
    const placed = {
      nodeSelector: { 'karpenter.sh/nodepool': `default-${name}` },
      tolerations: [{ key: CLOUD_TAINT, operator: 'Exists' }],
    };
    const containers = [{ name: 'm', image: 'i', resources: { requests: { cpu: '1' } } }];
    await wait(
      admin.create(PODS, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, namespace: 'default' },
        spec: { containers, ...(name === 'any' ? {} : placed) },
      } as never),
    );
  }
}

async function all(resource: ResourceRef): Promise<readonly KubeObject[]> {
  return (await wait(admin.list(resource))).items;
}

async function allRun(): Promise<boolean> {
  const pods = await all(PODS);
  return (
    pods.length === POD_NAMES.length &&
    pods.every(({ status }) => (status as { phase?: string } | undefined)?.phase === 'Running')
  );
}

function nodeNameOf({ spec }: { readonly spec?: { readonly nodeName?: string } }): string {
  return spec?.nodeName ?? '';
}

async function claimsOf(cloud: PlaygroundCloud): Promise<readonly KubeObject[]> {
  const pool = `default-${cloud.name}`;
  return (await all(NODE_CLAIMS)).filter(
    ({ metadata }) => metadata.labels?.['karpenter.sh/nodepool'] === pool,
  );
}

/** Everything of a cloud that a controller writes; of nodes only what their kubelets do not. */
async function stateOf(cloud: PlaygroundCloud) {
  const pool = `default-${cloud.name}`;
  const nodes = (await all(NODES)).filter(
    ({ metadata }) => metadata.labels?.['karpenter.sh/nodepool'] === pool,
  );
  return {
    claims: await claimsOf(cloud),
    pools: (await all(NODE_POOLS)).filter(({ metadata }) => metadata.name === pool),
    classes: await all(cloud.nodeClasses),
    nodes: nodes.map(({ metadata: { name, labels, annotations, finalizers }, spec }) => ({
      name,
      labels,
      annotations,
      finalizers,
      spec,
    })),
    instances: cloud.instances(),
  };
}

function callsOf({ name }: PlaygroundCloud): number {
  return name === 'azure' ? playground.azure!.arm.resources.totalCalls : playground.aws!.server.totalCalls;
}

/** Claims, and what controllers have created on both clouds. */
async function leftovers(): Promise<number> {
  const counts = playground.clouds.flatMap((cloud) => Object.values(cloud.leftovers()));
  return counts.reduce((sum, count) => sum + count, (await all(NODE_CLAIMS)).length);
}
