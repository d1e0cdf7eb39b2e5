/**
 * A cluster of Karpenter's, on a real control plane: `chandler takeover plan`, `start` and `back` as processes. The pods of
 * Chandler are controller processes under the account of deploy/; those of Karpenter are stand-ins that take part in
 * leader election. The test plays the controller of Deployments and the kubelet.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEPLOYMENTS, LEASES, NODES, SERVICE_ACCOUNTS } from '@chandler/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NODE_CLAIMS } from '../../packages/chandler/src/api/index.ts';
import { type ControllerProcess, startController } from '../e2e/controller-process.ts';
import { conditionOf } from '../e2e/story.ts';
import { DeploymentPlayer, type PodProcess } from '../takeover/verbs/deployment-player.ts';
import {
  CHANDLER,
  chandlerDeployment,
  KARPENTER,
  karpenterDeployment,
  LEASE,
  LeaseHistory,
  NAMESPACE,
} from '../takeover/verbs/two-controllers.ts';
import type { Writable } from '../takeover/writing.ts';
import { ABSENT, PROCESS_VARIABLES, type RealCluster, startRealCluster } from './real-cluster.ts';

/** A cloud with the nodes of Karpenter. */
export interface KarpenterCloud {
  /** The settings of both controllers; nothing about the API server. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of its instances. */
  instances(): readonly string[];
  /** Calls that it denied. */
  denied(): readonly string[];
  stop(): Promise<void>;
}

export interface TakeoverStory {
  /** In the name of the suite. */
  readonly title: string;
  readonly image: string;
  /** The arguments of Chandler before `--observe`. */
  readonly args: readonly string[];
  /** Applies the roles, starts the cloud, and writes `nodes` nodes as Karpenter leaves them. */
  start(cluster: RealCluster, stage: Writable, nodes: number): Promise<KarpenterCloud>;
}

const ROOT = join(import.meta.dirname, '..', '..');
const NODE_COUNT = 6;

let cluster: RealCluster;
let cloud: KarpenterCloud;
let player: DeploymentPlayer;
const history = new LeaseHistory();
const controllers: ControllerProcess[] = [];
/** When a process began and stopped to lead. */
const terms: { who: string; fromMs: number; toMs: number }[] = [];
const holders = new Set<string>();
const sampling = new AbortController();

/** Registers the tests: one story a file. */
export function takeoverStory({ title, image, args, start }: TakeoverStory): void {
  describe.skipIf(ABSENT.length > 0)(
    `taking over from Karpenter on ${title}, on a real control plane`,
    () => {
      const observing = [...args, '--observe'];

      beforeAll(async () => {
        cluster = await startRealCluster({ runsWorkloads: false });
        const { admin } = cluster;
        const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: KARPENTER };
        await admin.create(SERVICE_ACCOUNTS, account);
        const { world } = cluster.environment;
        const stage = { admin, world, inTime: <T>(promise: Promise<T>) => promise };
        cloud = await start(cluster, stage, NODE_COUNT);
        const { env } = cloud;
        const processEnv = { ...env, KUBECONFIG: await cluster.writeKubeconfig(), ...PROCESS_VARIABLES };
        await history.watch(admin);
        player = new DeploymentPlayer({
          client: admin,
          clock: world.clock,
          namespace: NAMESPACE,
          start: (deployment, podName) =>
            deployment.metadata.name === CHANDLER.name
              ? controllerPod(processEnv, deployment.spec.template.spec.containers[0]!.args!)
              : karpenterPod(podName),
        });
        player.run();
        await admin.create(DEPLOYMENTS, karpenterDeployment({ replicas: 2, env, image }));
        await until('Karpenter leads', async () => (await holder()).startsWith('karpenter-'));
        await admin.create(DEPLOYMENTS, chandlerDeployment({ replicas: 1, args: observing, env }));
        void sample();
        await until('Chandler observes', () =>
          said('observe mode: nothing is written and no lease is taken'),
        );
      });

      afterAll(async () => {
        sampling.abort();
        await player?.stop();
        await history.stop();
        await cloud?.stop();
        await cluster?.stop();
      });

      test('the plan is ready; start takes over, back hands back; no node drifts, and no lease is held twice', async () => {
        const before = await nodes();
        const planned = await takeover('plan');
        expect(planned.findings.filter(({ severity }) => severity !== 'note')).toEqual([]);
        expect(planned.ready).toBe(true);

        expect(await takeover('start', '--yes', '--verify-for=20s')).toMatchObject({ outcome: 'takenOver' });
        expect(await holder()).toMatch(/^chandler_/);
        expect(player.podsOf('karpenter')).toEqual([]);
        expect(await nodes()).toEqual(before);

        expect(await takeover('back', '--yes')).toMatchObject({ outcome: 'handedBack' });
        expect(await holder()).toMatch(/^karpenter-/);
        expect(player.podsOf('karpenter')).toHaveLength(2);
        expect(await nodes()).toEqual(before);
        const karpenter = await cluster.admin.get(DEPLOYMENTS, KARPENTER);
        expect([karpenter.spec.replicas, karpenter.metadata.annotations?.['chandler.sh/takeover']]).toEqual([
          2,
          undefined,
        ]);
        const chandler = await cluster.admin.get(DEPLOYMENTS, CHANDLER);
        expect(chandler.spec.template.spec.containers[0]!.args).toEqual(observing);
      }, 600_000);

      test('a takeover that is killed when Karpenter has been stopped is finished by the next run', async () => {
        const before = await nodes();
        const killed = spawnTakeover(['start', '--yes', '--verify-for=0s']);
        await until('Karpenter is stopped', async () => {
          const { spec } = await cluster.admin.get(DEPLOYMENTS, KARPENTER);
          return spec.replicas === 0;
        });
        killed.kill('SIGKILL');
        expect(await takeover('start', '--yes', '--verify-for=5s')).toMatchObject({ outcome: 'takenOver' });
        expect(await holder()).toMatch(/^chandler_/);
        expect(await nodes()).toEqual(before);
        expect(await takeover('back', '--yes')).toMatchObject({ outcome: 'handedBack' });
        expect(await nodes()).toEqual(before);
      }, 600_000);

      test('at no moment did two lead: by their own words, by the history of the lease, and at every look', async () => {
        await player.stop();
        const led = [...terms].sort((one, other) => one.fromMs - other.fromMs);
        console.log(`terms: ${JSON.stringify(led)}`);
        // The second pod of Karpenter may lead between the ends of the two.
        const sides = led.map(({ who }) => who.split('-')[0]!);
        expect(sides.filter((side, at) => side !== sides[at - 1])).toEqual([
          'karpenter',
          'chandler',
          'karpenter',
          'chandler',
          'karpenter',
        ]);
        const overlaps = led.filter((term, at) => at > 0 && term.fromMs < led[at - 1]!.toMs);
        expect(overlaps).toEqual([]);
        expect(history.returned).toEqual([]);
        expect([...holders].filter((each) => !/^(?:karpenter-|chandler_|$)/.test(each))).toEqual([]);
        expect(controllers.flatMap(({ errors }) => errors)).toEqual([]);
      });

      test('no request of the controllers was refused, by the audit log and by the cloud', () => {
        cluster.checkRequests();
        expect(cloud.denied()).toEqual([]);
      });
    },
  );
}

// ---------------------------------------------------------------------------------------------------

interface Answer {
  readonly ready?: boolean;
  readonly outcome?: string;
  readonly findings: readonly {
    readonly severity: string;
    readonly code: string;
    readonly message: string;
  }[];
}

function takeoverArgs(args: readonly string[]): string[] {
  return [
    'packages/chandler/src/cli/main.ts',
    'takeover',
    ...args,
    '-o',
    'json',
    '--kubeconfig',
    cluster.plane.kubeconfig,
  ];
}

function takeover(...args: readonly string[]): Promise<Answer> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, takeoverArgs(args), { cwd: ROOT }, (error, out, err) => {
      console.log(err.trimEnd());
      if (error !== null && out === '') reject(new Error(`${args.join(' ')}: ${err}`));
      else resolve(JSON.parse(out) as Answer);
    });
  });
}

function spawnTakeover(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, takeoverArgs(args), { cwd: ROOT, stdio: 'ignore' });
}

async function holder(): Promise<string> {
  return (await cluster.admin.find(LEASES, LEASE))?.spec?.holderIdentity ?? '';
}

async function sample(): Promise<void> {
  while (!sampling.signal.aborted) {
    holders.add(await holder().catch(() => ''));
    await sleep(200);
  }
}

/** Every node and NodeClaim with its UID, whether it has drifted, and the instances. */
async function nodes() {
  const claims = (await cluster.admin.list(NODE_CLAIMS)).items;
  return {
    claims: claims.map((claim) => [claim.metadata.uid, conditionOf(claim, 'Drifted')?.status]),
    nodes: (await cluster.admin.list(NODES)).items.map(({ metadata }) => metadata.uid),
    instances: cloud.instances().toSorted(),
  };
}

async function until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  for (const endMs = Date.now() + 120_000; Date.now() < endMs; await sleep(200)) if (await holds()) return;
  throw new Error(`after two minutes still not so: ${what}`);
}

function said(message: string): boolean {
  return controllers.some(({ lines }) => lines.some((line) => line.message === message));
}

function controllerPod(env: Readonly<Record<string, string>>, [, ...args]: readonly string[]): PodProcess {
  const controller = startController(env, args);
  controllers.push(controller);
  return {
    async stop() {
      await controller.signal('SIGTERM');
      const at = (message: string) => controller.lines.find((line) => line.message === message)?.['time'];
      const [from, to] = [at('became leader'), at('stopped leading')].map((time) => Date.parse(String(time)));
      if (at('became leader') !== undefined) terms.push({ who: 'chandler', fromMs: from!, toMs: to! });
    },
  };
}

function karpenterPod(podName: string): PodProcess {
  const program = 'test/takeover/verbs/karpenter-process.ts';
  const child = spawn(process.execPath, [program, cluster.plane.kubeconfig, podName], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => void child.once('exit', resolve));
  const atMs: Record<string, number> = {};
  createInterface({ input: child.stdout! }).on('line', (line) => {
    const { event, atMs: when } = JSON.parse(line) as { event: string; atMs: number };
    atMs[event] = when;
  });
  return {
    async stop() {
      child.kill('SIGTERM');
      await ended;
      if (atMs['leads'] !== undefined)
        terms.push({ who: podName, fromMs: atMs['leads'], toMs: atMs['stops'] ?? Number.POSITIVE_INFINITY });
    },
  };
}
