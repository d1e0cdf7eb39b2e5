/**
 * `node test/e2e/kill-commands.ts [--commands 50] [--seed N]`: a drift rollout of so many nodes, five at a time, while the
 * controller process is killed with kill -9 once for each command, at a moment chosen by chance. Exits with code 1 when a
 * command is lost or given twice: a node that stays, a replacement too many, a taint that nobody removes.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CONFIG_MAPS, DEPLOYMENTS, type KubeObject, NODES, PODS } from '@chandler/kube';
import { seededRandom } from '@chandler/kube/testing';
import { NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { type ControllerProcess, startController } from './controller-process.ts';
import { killScene } from './kill-scene.ts';
import { conditionOf } from './story.ts';

const { values } = parseArgs({
  options: { commands: { type: 'string', default: '50' }, seed: { type: 'string', default: '1' } },
});
const COMMANDS = Number(values.commands);
const SEED = Number(values.seed);
const LABEL = 'example.com/generation';
const BUDGET = 5;
/** A command takes about this long, so that a kill hits any part of it. */
const COMMAND_MS = 5_000;
const PATIENCE_MS = 120_000;

const { next: chance } = seededRandom(SEED);
const folder = mkdtempSync(join(tmpdir(), 'chandler-kill-commands-'));
const { playground, admin, env } = await killScene({
  folder,
  seed: SEED,
  bootTimeMs: 500,
  vmCreateMs: 700,
  disruption: { consolidateAfter: 'Never', budgets: [{ nodes: String(BUDGET) }] },
  labels: { [LABEL]: 'one' },
});
const { arm } = playground.azure!;
let controller: ControllerProcess | undefined;
try {
  controller = startController(env, ['--disable-leader-election']);
  await admin.create(DEPLOYMENTS, deployment());
  await until(`${COMMANDS} pods run on ${COMMANDS} nodes`, () => isComplete('one'));
  const patch = { spec: { template: { metadata: { labels: { [LABEL]: 'two' } } } } };
  await admin.patch(NODE_POOLS, { name: 'default' }, { type: 'merge', patch });
  let kills = 0;
  let continued = 0;
  for (; kills < COMMANDS && !(await isComplete('two')); kills++) {
    await untilDisrupted(controller);
    const afterMs = chance() * COMMAND_MS;
    await sleep(afterMs);
    assert.equal(await controller.signal('SIGKILL'), 'SIGKILL');
    const disrupted = (await admin.list(NODES)).items.filter(isMarked).length;
    const left = (await admin.list(NODE_CLAIMS)).items.filter(
      ({ metadata }) => metadata.labels?.[LABEL] === 'one',
    ).length;
    console.log(
      `kill ${kills + 1} after ${Math.round(afterMs)} ms: ${disrupted} nodes disrupted, ${left} of ${COMMANDS} to replace`,
    );
    controller = startController(env, ['--disable-leader-election']);
    await controller.said('caches synced');
    if (disrupted > 0) continued += 1;
  }
  await until('every node is replaced', () => isComplete('two'));
  await compare();
  console.log(
    `seed ${SEED}: ${COMMANDS} commands, killed ${kills} times, ${continued} times with nodes disrupted: none lost, none doubled`,
  );
  assert.ok(continued * 2 >= kills, 'most kills hit a command');
  assert.equal(await controller.signal('SIGTERM'), 0);
} finally {
  await controller?.signal('SIGKILL');
  await playground.stop();
  rmSync(folder, { recursive: true, force: true });
}

// ---------------------------------------------------------------------------------------------------

function deployment(): KubeObject {
  const labels = { app: 'web' };
  // One for each machine of two cores.
  const containers = [{ name: 'm', image: 'i', resources: { requests: { cpu: '1100m' } } }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      replicas: COMMANDS,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers, terminationGracePeriodSeconds: 0 } },
    },
  };
}

function isMarked({ metadata, ...node }: KubeObject): boolean {
  const { taints = [] } = (node['spec'] ?? {}) as { taints?: readonly { key: string }[] };
  return (
    metadata.deletionTimestamp !== undefined || taints.some(({ key }) => key === 'karpenter.sh/disrupted')
  );
}

async function isComplete(generation: string): Promise<boolean> {
  const claims = (await admin.list(NODE_CLAIMS)).items;
  const pods = (await admin.list(PODS)).items;
  return (
    claims.length === COMMANDS &&
    claims.every(
      (claim) =>
        claim.metadata.labels?.[LABEL] === generation && conditionOf(claim, 'Initialized')?.status === 'True',
    ) &&
    pods.length === COMMANDS &&
    pods.every((pod) => (pod['status'] as { phase?: string }).phase === 'Running') &&
    (await admin.list(NODES)).items.length === COMMANDS &&
    arm.resources.vms().length === COMMANDS
  );
}

/** Until a command of this process, or of the one before, holds a node; or there is nothing left to do. */
async function untilDisrupted(running: ControllerProcess): Promise<void> {
  await until('a command has begun', async () => {
    if (running.errors.length > 0) throw new Error(running.errors.join('\n'));
    return (await admin.list(NODES)).items.some(isMarked) || (await isComplete('two'));
  });
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadlineMs = Date.now() + PATIENCE_MS + COMMANDS * 2_000;
  while (!(await isSo())) {
    if (Date.now() > deadlineMs) throw new Error(`not in time: ${what}; ${await situation()}`);
    await sleep(50);
  }
}

async function situation(): Promise<string> {
  const claims = (await admin.list(NODE_CLAIMS)).items;
  const nodes = (await admin.list(NODES)).items;
  return `${claims.length} claims, ${nodes.length} nodes, ${nodes.filter(isMarked).length} disrupted, ${arm.resources.vms().length} VMs`;
}

/** The truth of both sides. */
async function compare(): Promise<void> {
  const nodes = (await admin.list(NODES)).items;
  assert.deepEqual(nodes.filter(isMarked), [], 'no mark is left');
  const claims = (await admin.list(NODE_CLAIMS)).items;
  const marked = claims.filter(({ metadata }) => metadata.annotations?.['chandler.sh/disruption-command']);
  assert.deepEqual(marked, [], 'no command is left');
  const machines = arm.resources
    .vms()
    .map(({ name }) => name)
    .sort();
  assert.deepEqual(machines, claims.map(({ metadata }) => `aks-${metadata.name}`).sort());
  const created = arm.resources
    .calls()
    .filter(
      ({ method, path, status }) =>
        method === 'PUT' && status === 201 && /virtualMachines\/[^/]+$/.test(path),
    );
  assert.equal(created.length, 2 * COMMANDS, 'one machine for each node, and one replacement for each');
  const history = (await admin.listAll(CONFIG_MAPS)).items.flatMap(({ metadata, ...map }) =>
    metadata.name === 'chandler-disruption-history'
      ? Object.values((map['data'] ?? {}) as Record<string, string>)
      : [],
  );
  console.log(`the history has ${history.length} commands`);
  assert.ok(
    history.length <= COMMANDS && history.length >= COMMANDS * 0.8,
    'the history has nearly all commands, none twice',
  );
}
