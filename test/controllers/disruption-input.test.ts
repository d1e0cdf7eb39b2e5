import { neverAborted } from '@chandler/kube/testing';
import { afterEach, expect, test } from 'vitest';
import { disruptionInput, poolsOfPass } from '../../packages/chandler/src/controllers/testing.ts';
import { planDisruption } from '../../packages/chandler/src/disruption/index.ts';
import type { FullStage } from './all-controllers.ts';
import { nodeOf, removeWorkload, runningWorkloads } from './disruption.fixture.ts';

let full: FullStage;
afterEach(() => full.stage.end());

test('while a command waits for its validation its pods are where it puts them, and are not pending', async () => {
  full = await runningWorkloads({ x: '2500m', a: '1300m' });
  const node = await nodeOf(full, 'a');
  expect(await nodeOf(full, 'x')).toBe(node);
  await full.stage.world.clock.advance(60_000);
  await removeWorkload(full, 'x');
  await full.stage.until('it may be consolidated', async () =>
    (await full.stage.eventsOf(node)).some(({ reason }) => reason === 'ConsolidationCandidate'),
  );
  // The controllers stop, so that nothing is executed.
  await full.stage.startAll(() => []);
  const { context, world } = full.stage;
  const pools = await poolsOfPass(context, neverAborted());
  const { commands } = planDisruption(
    disruptionInput(context, pools, () => undefined),
    {},
    world.clock.now(),
  );
  expect(commands).toMatchObject([{ candidates: [{ name: node }], podsMoved: 1 }]);
  const [command] = commands;
  const commandOf = (claim: string) => (claim === command!.candidates[0]!.claim ? command!.key : undefined);
  const input = disruptionInput(context, pools, commandOf, commands);
  expect(input.scheduling.pods).toEqual([]);
  expect(input.commands).toEqual(commands);
  const next = planDisruption(input, {}, world.clock.now());
  expect(next.commands).toEqual([]);
  expect(next.nodes[0]!.keeps).toMatchObject([{ block: { code: 'InCommand' } }]);
  // Its node is gone before its replacement is ready, which is in the cluster: the command must not count twice.
  const gone = commands.map((each) => ({
    ...each,
    candidates: each.candidates.map((candidate) => ({ ...candidate, claim: 'gone' })),
  }));
  expect(disruptionInput(context, pools, () => undefined, gone).commands).toEqual([]);
});
