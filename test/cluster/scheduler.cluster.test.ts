/**
 * Our stand-in scheduler against the real one: on clusters made by chance, every place the real kube-scheduler chooses
 * must be one that ours allows, and every pod it refuses must be refused by ours everywhere, in the same words.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Standins, startStandins } from '@chandler/apiserver/standins';
import { ClusterSnapshot, feasibleNodes, nameOf, unschedulableMessage } from '@chandler/apiserver/testing';
import {
  type ClosableTransport,
  CSI_NODES,
  conditionOf,
  KubeClient,
  keyOfObject,
  NAMESPACES,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
  type Pod,
  STORAGE_CLASSES,
  type Stored,
  undiciTransport,
  VOLUME_ATTACHMENTS,
} from '@chandler/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realTimeWorld } from '../playground/cluster.ts';
import {
  Chance,
  namespaceObject,
  randomClaim,
  randomNode,
  randomPod,
  storageClasses,
} from './scheduler/random-cluster.ts';

const SEEDS = Number(process.env['CHANDLER_SCHEDULER_SEEDS'] ?? 12);
const FIRST_SEED = Number(process.env['CHANDLER_SCHEDULER_SEED'] ?? 1);
const PODS_PER_SEED = 20;

const { CHANDLER_TEST_SERVER: server, CHANDLER_TEST_TOKEN: token, CHANDLER_TEST_CA: caFile } = process.env;
const { CHANDLER_TEST_KUBECONFIG: kubeconfig, CHANDLER_TEST_BINARIES: binaries = '' } = process.env;
const program = join(binaries, 'kube-scheduler');
const reason =
  !server || !kubeconfig ? 'no control plane' : existsSync(program) ? undefined : 'no kube-scheduler binary';
if (reason) console.log(`scheduler comparison skipped: ${reason}`);

describe.skipIf(reason !== undefined)('the stand-in scheduler agrees with kube-scheduler', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-scheduler-'));
  let process: ChildProcess;
  let wire: ClosableTransport;
  let client: KubeClient;
  let volumes: Standins;

  beforeAll(async () => {
    wire = undiciTransport({
      server: server!,
      ...(caFile === undefined ? { insecure: true } : { ca: readFileSync(caFile) }),
      identify: async () => ({ headers: { authorization: `Bearer ${token}` } }),
    });
    client = new KubeClient({ transport: wire.send });
    const output = openSync(join(folder, 'kube-scheduler.log'), 'w');
    const flags = ['--leader-elect=false', '--secure-port=0', '--authentication-skip-lookup'];
    const limits = ['--kube-api-qps=1000', '--kube-api-burst=2000', `--cert-dir=${folder}`];
    process = spawn(program, [`--kubeconfig=${kubeconfig}`, ...flags, ...limits], {
      stdio: ['ignore', output, output],
    });
    // The real scheduler waits for somebody to make volumes.
    volumes = await startStandins({
      world: realTimeWorld().world,
      transport: wire.send,
      without: ['scheduler', 'workloads', 'disruption', 'node-lifecycle', 'kubelet', 'service-accounts'],
    });
  });

  afterAll(async () => {
    await volumes?.stop();
    if (process?.exitCode === null) {
      const ended = new Promise((resolve) => process.once('exit', resolve));
      process.kill('SIGTERM');
      await ended;
    }
    await wire?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(Array.from({ length: SEEDS }, (_, at) => FIRST_SEED + at))('seed %i', async (seed) => {
    const made = await makeCluster(client, seed);
    const differences: string[] = [];
    let placed = 0;
    try {
      for (let at = 0; at < PODS_PER_SEED; at++) {
        const pod = await makePod(client, made, at);
        const before = await lookAround(client, pod);
        const decided = await untilDecided(client, pod);
        const verdict = compare(decided, before);
        if (verdict) differences.push(JSON.stringify({ ...verdict, seed, pod: pod.spec }));
        if (decided.spec.nodeName) placed += 1;
        else await client.delete(PODS, keyOfObject(pod));
      }
    } finally {
      await removeCluster(client, made);
    }
    expect(differences).toEqual([]);
    expect(placed).toBeGreaterThan(0);
    expect(placed).toBeLessThan(PODS_PER_SEED);
  });
});

// ---------------------------------------------------------------------------------------------------

interface Made {
  readonly prefix: string;
  readonly chance: Chance;
  readonly nodes: string[];
  readonly namespaces: string[];
}

async function makeCluster(client: KubeClient, seed: number): Promise<Made> {
  const chance = new Chance(seed);
  const prefix = `standin-${seed}`;
  const namespaces = [`${prefix}-x`, `${prefix}-y`];
  for (const name of namespaces) await client.create(NAMESPACES, namespaceObject(name, name.at(-1)!));
  for (const storageClass of storageClasses(prefix)) await client.create(STORAGE_CLASSES, storageClass);
  const nodes: string[] = [];
  for (let at = 0; at < 3 + chance.below(3); at++) {
    const name = `${prefix}-node-${at}`;
    nodes.push(name);
    const { node, csiNode, taints } = randomNode(chance, name);
    await client.create(CSI_NODES, csiNode);
    await client.create(NODES, node);
    // Without a node controller nobody else takes the first taint away.
    await client.patch(NODES, { name }, { type: 'merge', patch: { spec: taints } });
  }
  await sleep(700);
  return { prefix, chance, nodes, namespaces };
}

async function makePod(
  client: KubeClient,
  { prefix, chance, nodes, namespaces }: Made,
  at: number,
): Promise<Stored<Pod>> {
  const namespace = chance.of(namespaces);
  const other = namespaces.find((name) => name !== namespace)!;
  const claim = chance.percent(25) ? `claim-${at}` : undefined;
  if (claim) await client.create(PERSISTENT_VOLUME_CLAIMS, randomClaim(chance, prefix, namespace, claim));
  if (claim) await sleep(50);
  return client.create(PODS, randomPod(chance, { namespace, other, name: `pod-${at}`, nodes, claim }));
}

/** Everything but the pod itself, which may have its node already. */
async function lookAround(client: KubeClient, pod: Stored<Pod>): Promise<ClusterSnapshot> {
  const [nodes, pods, namespaces, claims, volumes, classes, csiNodes, attachments] = await Promise.all([
    client.listAll(NODES),
    client.listAll(PODS),
    client.listAll(NAMESPACES),
    client.listAll(PERSISTENT_VOLUME_CLAIMS),
    client.listAll(PERSISTENT_VOLUMES),
    client.listAll(STORAGE_CLASSES),
    client.listAll(CSI_NODES),
    client.listAll(VOLUME_ATTACHMENTS),
  ]);
  const own = new Set(
    (pod.spec.volumes ?? []).map(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName),
  );
  const picture = new ClusterSnapshot({
    namespaceLabels: (name) =>
      namespaces.items.find((found) => nameOf(found) === name)?.metadata.labels ?? {},
    claim(namespace, name) {
      const found = claims.items.find(
        ({ metadata }) => metadata.name === name && metadata.namespace === namespace,
      );
      // As it was before the decision: our claims start without a volume.
      if (!found || namespace !== pod.metadata.namespace || !own.has(name)) return found;
      const { volumeName: _, ...spec } = found.spec;
      return { ...found, spec };
    },
    volume: (name) => volumes.items.find((found) => nameOf(found) === name),
    volumes: () => volumes.items.filter(({ spec }) => !own.has(spec.claimRef?.name)),
    storageClass: (name) => classes.items.find((found) => nameOf(found) === name),
    csiNode: (name) => csiNodes.items.find((found) => nameOf(found) === name),
    attachedTo: (node) =>
      attachments.items.flatMap(({ spec }) => {
        const { persistentVolumeName } = spec.source;
        const claimRef = volumes.items.find((volume) => nameOf(volume) === persistentVolumeName)?.spec
          .claimRef;
        const isOwn = claimRef?.namespace === pod.metadata.namespace && own.has(claimRef?.name);
        return spec.nodeName === node && persistentVolumeName && !isOwn ? [persistentVolumeName] : [];
      }),
  });
  for (const node of nodes.items) picture.setNode(node);
  for (const other of pods.items) if (other.metadata.uid !== pod.metadata.uid) picture.setPod(other);
  return picture;
}

async function untilDecided(client: KubeClient, pod: Stored<Pod>): Promise<Stored<Pod>> {
  for (let tries = 0; tries < 2000; tries++) {
    const now = await client.get(PODS, keyOfObject(pod));
    const condition = conditionOf(now, 'PodScheduled');
    const isRefused = condition?.reason === 'Unschedulable' && condition.status === 'False';
    // Every claim exists: kube-scheduler, which reads from a cache, had not seen it yet, and tries again when it has.
    const isOutdated = /^0\/\d+ nodes are available: persistentvolumeclaim .* not found/.test(
      condition?.message ?? '',
    );
    if (now.spec.nodeName || (isRefused && !isOutdated)) return now;
    await sleep(10);
  }
  throw new Error(`kube-scheduler did not decide about ${nameOf(pod)}`);
}

function compare(decided: Stored<Pod>, before: ClusterSnapshot): object | undefined {
  const pod: Stored<Pod> = { ...decided, spec: { ...decided.spec, nodeName: '' } };
  const feasibility = feasibleNodes(pod, before);
  const names = feasibility.nodes.map(({ name }) => name);
  const chosen = decided.spec.nodeName;
  if (chosen) {
    if (names.includes(chosen)) return undefined;
    return { chosen, ours: Object.fromEntries(feasibility.refusals), blocked: feasibility.blocked };
  }
  const theirs = conditionOf(decided, 'PodScheduled')?.message;
  const ours = unschedulableMessage(pod, feasibility, before.nodes.length);
  return names.length === 0 && ours === theirs ? undefined : { theirs, ours, names };
}

async function removeCluster(client: KubeClient, { prefix, nodes, namespaces }: Made): Promise<void> {
  for (const namespace of namespaces) {
    await client.deleteCollection(PODS, { namespace, gracePeriodSeconds: 0 });
    await client.deleteCollection(PERSISTENT_VOLUME_CLAIMS, { namespace });
    await client.delete(NAMESPACES, { name: namespace });
  }
  for (const name of nodes) {
    await client.delete(NODES, { name });
    await client.delete(CSI_NODES, { name });
  }
  for (const { metadata } of storageClasses(prefix))
    await client.delete(STORAGE_CLASSES, { name: metadata.name! });
}
