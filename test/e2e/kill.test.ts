/**
 * A controller process that is killed repeatedly while it launches VMs, over HTTP to an API server and the servers of a cloud
 * that keep running. `node test/e2e/kill-200.ts` is the long run, on Azure and on AWS, in which every fourth process has to
 * wait until the lease of the killed one expires; `CHANDLER_KILL_SEED` repeats the times of the kills.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type KubeClient, type KubeObject, PODS } from '@chandler/kube';
import { seededRandom } from '@chandler/kube/testing';
import { afterEach, expect, test } from 'vitest';
import { NODE_CLAIMS } from '../../packages/chandler/src/api/index.ts';
import type { Playground } from '../../packages/chandler/src/playground/index.ts';
import { pod } from '../controllers/stage.ts';
import { RUNS_ALL, someOf } from '../part.ts';
import { type ControllerProcess, startController } from './controller-process.ts';
import { type KilledCloud, killedCloud } from './kill-clouds.ts';
import { type KillCloudName, type KillScene, killScene } from './kill-scene.ts';
import { conditionOf } from './story.ts';

const CLOUD = (process.env['CHANDLER_KILL_CLOUD'] ?? 'azure') as KillCloudName;
const LAUNCHES = Number(process.env['CHANDLER_KILL_LAUNCHES'] ?? someOf('launches', 12, 4));
const LONG = LAUNCHES > 50;
const KILLS = Number(process.env['CHANDLER_KILLS'] ?? (LONG ? 40 : RUNS_ALL ? 3 : 1));
const SEED = Number(process.env['CHANDLER_KILL_SEED'] ?? (LONG ? Date.now() % 100_000 : 1));
const LIMIT_MS = LONG ? 60 * 60_000 : 180_000;

const MEMORY_LIMIT_MIB = 768;

const folder = mkdtempSync(join(tmpdir(), 'chandler-kill-'));
const { next: chance } = seededRandom(SEED);
let playground: Playground;
let admin: KubeClient;
let controller: ControllerProcess;

afterEach(async () => {
  await controller?.signal('SIGKILL');
  await playground?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test(
  `${LAUNCHES} launches on ${CLOUD}, killed ${KILLS} times with kill -9: ${LAUNCHES} claims, ${LAUNCHES} VMs, nothing left over`,
  async () => {
    const { env, args } = await setUp();
    const cloud = killedCloud(CLOUD, playground);
    const start = (life: number) => startController(env, [...args, ...election(life)]);
    const deaths: string[] = [];
    for (let life = 0; life < KILLS; life++) {
      await createPods(cloud.inWaves ? Math.ceil((LAUNCHES * (life + 1)) / KILLS) : LAUNCHES);
      controller = start(life);
      const how = await moment(cloud, controller, life);
      expect(await controller.signal('SIGKILL')).toBe('SIGKILL');
      deaths.push(`${how}, ${cloud.count()}`);
    }
    console.log(`seed ${SEED}; killed ${deaths.join('; ')}`);
    await untilEveryPodRuns(() => start(KILLS));
    await cloud.compare(admin, LAUNCHES);
    // It had started itself once more with its limit, under the process id that is killed.
    expect((await controller.said('starting'))['heapLimitMiB']).toBeLessThan(MEMORY_LIMIT_MIB);
    expect(await controller.signal('SIGTERM')).toBe(0);
  },
  LIMIT_MS,
);

// ---------------------------------------------------------------------------------------------------

function election(life: number): readonly string[] {
  return LONG && life % 4 === 0 ? [] : ['--disable-leader-election'];
}

async function setUp(): Promise<Pick<KillScene, 'env' | 'args'>> {
  const scene = await killScene({
    cloud: CLOUD,
    folder,
    seed: SEED,
    bootTimeMs: LONG ? 1_500 : 500,
    vmCreateMs: LONG ? 1_500 : 700,
    disruption: { consolidateAfter: '0s', budgets: [{ nodes: '0' }] },
  });
  ({ playground, admin } = scene);
  return { env: { ...scene.env, MEMORY_LIMIT: String(MEMORY_LIMIT_MIB * 2 ** 20) }, args: scene.args };
}

let pods = 0;

/** So many in all; one node each: two of them do not fit on a VM of two cores. */
async function createPods(count: number): Promise<void> {
  const requests = { cpu: '1100m' };
  for (; pods < count; pods++)
    await admin.create(
      PODS,
      pod(`p${pods}`, { containers: [{ name: 'm', image: 'i', resources: { requests } }] }) as KubeObject,
    );
}

/** By chance: when so many more interfaces and machines are there, so long after it has begun, or while it still starts. */
async function moment(cloud: KilledCloud, running: ControllerProcess, life: number): Promise<string> {
  // The first one gets to create its claims.
  const kind = life === 0 ? 0 : Math.floor(chance() * 4);
  if (kind === 3) {
    const afterMs = 200 + chance() * 1_500;
    await sleep(afterMs);
    return `${Math.round(afterMs)} ms after its start`;
  }
  await running.said(life === 0 ? 'nodeclaim created' : 'caches synced');
  if (kind === 2) {
    const afterMs = chance() * 3_000;
    await sleep(afterMs);
    return `${Math.round(afterMs)} ms after it had read everything`;
  }
  const { made, whole } = cloud;
  const left = whole(pods) - made();
  const goal = made() + Math.ceil((chance() * left) / (cloud.inWaves ? 1 : KILLS - life));
  const patienceMs = Date.now() + 30_000;
  while (made() < goal && Date.now() < patienceMs) await sleep(1);
  return `when there were ${made()} of ${whole(pods)} parts`;
}

/** One that loses its lease on a busy machine ends, and is started again as a Deployment would. */
async function untilEveryPodRuns(start: () => ControllerProcess): Promise<void> {
  controller = start();
  let ended = false;
  void controller.ended.then(() => {
    ended = true;
  });
  while (!(await everyPodRuns())) {
    await sleep(250);
    if (!ended) continue;
    const { lines, errors } = controller;
    const lostLease = lines.some(({ message }) => message.startsWith('the lease was lost'));
    if (!lostLease) throw new Error(`it ended by itself: ${errors.join('\n')}`);
    console.log('it lost its lease and is started again');
    return untilEveryPodRuns(start);
  }
}

async function everyPodRuns(): Promise<boolean> {
  const claims = (await admin.list(NODE_CLAIMS)).items;
  const phases = (await admin.list(PODS)).items.map((each) => (each['status'] as { phase?: string }).phase);
  return (
    phases.every((phase) => phase === 'Running') &&
    claims.every((claim) => conditionOf(claim, 'Initialized')?.status === 'True')
  );
}
