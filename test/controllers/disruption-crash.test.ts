import { ApiStatusError, CONFIG_MAPS, NODES, type Transport } from '@chandler/kube';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { NODE_CLAIMS } from '../../packages/chandler/src/api/index.ts';
import { DEFAULT_SETTINGS } from '../../packages/chandler/src/controllers/testing.ts';
import { everyNth } from '../part.ts';
import type { FullStage } from './all-controllers.ts';
import {
  claims,
  commandOf,
  driftAll,
  hasTaint,
  nodeNames,
  nodeOf,
  reasonOf,
  removeWorkload,
  runningWorkloads,
  runs,
} from './disruption.fixture.ts';

// Minutes of virtual time, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000 });

let full: FullStage;
afterEach(() => full.stage.end());

const advance = (ms: number) => full.stage.world.clock.advance(ms);
const claimOf = (node: string) => node.slice('aks-'.length);
const outcomes = async () => {
  const found = await full.stage.get(CONFIG_MAPS, 'chandler-disruption-history');
  const texts = Object.values((found?.['data'] ?? {}) as Record<string, string>);
  return texts.map((text) => (JSON.parse(text) as { outcome: string }).outcome);
};
const NEVER = { disruption: { consolidateAfter: 'Never' } };

/** Everything is settled on one node without marks, and exactly one machine was made besides the first. */
async function expectReplaced(old: string) {
  await full.stage.until('the old node is gone', async () => !(await nodeNames(full)).includes(old), 300_000);
  await full.stage.until('the pod runs', () => runs(full, 'a'));
  await advance(60_000);
  const [node, ...others] = await full.stage.list(NODES);
  expect(others).toEqual([]);
  expect(hasTaint(node)).toBe(false);
  expect(await claims(full)).toHaveLength(1);
  expect(await nodeOf(full, 'a')).toBe(node!.metadata.name);
  expect(full.stage.cloud.launches.size).toBe(2);
}

describe('a restart during a command', () => {
  test('continues it while the replacement is launched', async () => {
    full = await runningWorkloads({ a: '1500m' }, NEVER);
    const old = await nodeOf(full, 'a');
    await advance(60_000);
    await driftAll(full);
    await full.stage.until('a second claim', async () => (await claims(full)).length === 2);
    await full.restart();
    expect(full.stage.world.lines.map(({ message }) => message)).toContain('disruption command continued');
    await expectReplaced(old);
    expect(await outcomes()).toEqual(['succeeded']);
  });

  test('does not begin a second command for the same node', async () => {
    full = await runningWorkloads({ a: '1500m' }, NEVER);
    const old = await nodeOf(full, 'a');
    await advance(60_000);
    full.stage.cloud.joins = false;
    await driftAll(full);
    await full.stage.until('a second claim', async () => (await claims(full)).length === 2);
    const command = commandOf(await full.stage.get(NODE_CLAIMS, claimOf(old)));
    for (let time = 0; time < 3; time++) {
      await full.restart();
      await advance(20_000);
    }
    expect(commandOf(await full.stage.get(NODE_CLAIMS, claimOf(old)))).toBe(command);
    expect(await claims(full)).toHaveLength(2);
  });
});

describe('a process that ends at its n-th write of a command', () => {
  /** Fails every request after so many writes, until it is revived. */
  function mortal() {
    const state = { left: Number.POSITIVE_INFINITY };
    const wire =
      (send: Transport): Transport =>
      async (request) => {
        const writes = request.method !== 'GET' && !request.path.includes('/events');
        if (state.left <= 0) throw new ApiStatusError('unreachable', 'the process has ended');
        if (writes) state.left -= 1;
        return send(request);
      };
    return { state, wire };
  }

  const writes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14];
  test.each(everyNth('writes after which a process ends', writes, 4))(
    '%i: the next one completes it',
    async (count) => {
      const { state, wire } = mortal();
      full = await runningWorkloads({ a: '1500m' }, { ...NEVER, stage: { wire } });
      const old = await nodeOf(full, 'a');
      await advance(60_000);
      await driftAll(full);
      await full.stage.until('it is known to have drifted', async () => {
        const claim = await full.stage.get(NODE_CLAIMS, claimOf(old));
        return JSON.stringify(claim?.['status']).includes('NodePoolDrifted');
      });
      state.left = count;
      await advance(20_000);
      state.left = Number.POSITIVE_INFINITY;
      await full.restart();
      await expectReplaced(old);
    },
  );
});

describe('a command whose candidates were not all marked', () => {
  test('is undone: nothing was launched for it', async () => {
    full = await runningWorkloads({ a: '1500m', b: '1500m' }, NEVER);
    await advance(60_000);
    const [one, other] = await claims(full);
    const record = {
      id: 'underutilized-1',
      method: 'multi-node',
      reason: 'Underutilized',
      decision: 'delete',
      startedAt: new Date(full.stage.world.clock.now()).toISOString(),
      nodes: [one!, other!].map(({ metadata }) => [
        `aks-${metadata.name}`,
        metadata.name,
        metadata.uid,
        'general',
      ]),
      launches: [],
    };
    const annotations = { 'chandler.sh/disruption-command': JSON.stringify(record) };
    const patch = { metadata: { annotations } };
    await full.stage.admin.patch(NODE_CLAIMS, { name: one!.metadata.name! }, { type: 'merge', patch });
    await full.restart();
    await advance(60_000);
    expect((await claims(full)).map(commandOf)).toEqual([undefined, undefined]);
    expect(await nodeNames(full)).toHaveLength(2);
    expect(await outcomes()).toEqual(['failed']);
  });

  test('an annotation that cannot be read is removed, and the node stays', async () => {
    full = await runningWorkloads({ a: '1500m' }, NEVER);
    await advance(60_000);
    const name = claimOf(await nodeOf(full, 'a'));
    const patch = { metadata: { annotations: { 'chandler.sh/disruption-command': '{"id":1' } } };
    await full.stage.admin.patch(NODE_CLAIMS, { name }, { type: 'merge', patch });
    await full.restart();
    await advance(60_000);
    expect(commandOf(await full.stage.get(NODE_CLAIMS, name))).toBeUndefined();
    expect(await nodeNames(full)).toHaveLength(1);
  });
});

describe('a static pool', () => {
  test('replaces its drifted nodes one for one, and has its replicas all the time', async () => {
    const gates = { ...DEFAULT_SETTINGS.gates, StaticCapacity: true };
    full = await runningWorkloads(
      {},
      { pool: { replicas: 2, limits: { nodes: '4' } }, ...NEVER, stage: { settings: { gates } } },
    );
    const ready = async () =>
      (await claims(full)).filter(
        (claim) =>
          claim.metadata.deletionTimestamp === undefined &&
          JSON.stringify(claim['status'] ?? {}).includes('"reason":"Initialized"'),
      );
    await full.stage.until('two nodes', async () => (await ready()).length === 2);
    const old = (await claims(full)).map(({ metadata }) => metadata.uid);
    await advance(60_000);
    await driftAll(full);
    let least = 2;
    await full.stage.until(
      'both are replaced',
      async () => {
        least = Math.min(least, (await ready()).length);
        return (await claims(full)).every(({ metadata }) => !old.includes(metadata.uid));
      },
      600_000,
    );
    expect(least).toBe(2);
    await advance(120_000);
    expect(await claims(full)).toHaveLength(2);
    expect(full.stage.cloud.launches.size).toBe(4);
    expect(await outcomes()).toEqual(['succeeded', 'succeeded']);
  });
});

describe('a candidate that vanishes', () => {
  test('does not leave the others of its command tainted', async () => {
    full = await runningWorkloads({ x: '9', a: '3500m', y: '9', b: '3500m' });
    const old = [await nodeOf(full, 'a'), await nodeOf(full, 'b')];
    await advance(30_000);
    full.stage.cloud.joins = false;
    await removeWorkload(full, 'x');
    await removeWorkload(full, 'y');
    await full.stage.until('both are tainted', async () => {
      const nodes = await full.stage.list(NODES);
      return nodes.length === 2 && nodes.every(hasTaint);
    });
    const [command] = (await claims(full)).flatMap((claim) => commandOf(claim) ?? []);
    expect(JSON.parse(command!)).toMatchObject({ method: 'multi-node', decision: 'replace' });
    const first = (JSON.parse(command!) as { nodes: string[][] }).nodes[0]!;
    await advance(20_000);
    await full.stage.admin.delete(NODE_CLAIMS, { name: first[1]! });
    full.stage.cloud.joins = true;
    for (const { instance } of full.stage.cloud.machines.values()) {
      if (old.includes(instance.name)) continue;
      await full.stage.admin.delete(NODE_CLAIMS, { name: instance.claimName! });
    }
    await full.stage.until(
      'all is settled',
      async () => {
        const nodes = await full.stage.list(NODES);
        return (
          nodes.length > 0 &&
          nodes.every((node) => !hasTaint(node)) &&
          (await runs(full, 'a')) &&
          (await runs(full, 'b')) &&
          (await claims(full)).every((claim) => reasonOf(claim) === undefined)
        );
      },
      600_000,
    );
  });
});
