import { expect, test } from 'vitest';
import type { Playground, Scenario } from '../../playground/index.ts';
import { PlaygroundAnswers } from './playground-page.ts';
import type { ScenarioRun, ScenarioRuns } from './scenario-runs.ts';

/** A playground whose faults and scenarios are written down, not acted on. */
function answers(cloud: string | undefined = 'azure') {
  const active = new Set<string>();
  const started: string[] = [];
  const runs = {
    current: undefined as ScenarioRun | undefined,
    run: async ({ name }: Scenario) => {
      started.push(name);
      runs.current = { scenario: name, step: '1/2 pods', outcome: 'running' };
      return { outcome: 'completed' } as const;
    },
  };
  const simulated = {
    name: cloud,
    title: 'Cloud',
    faults: () => ['throttle', 'slow'].map((name) => ({ name, help: `${name}!`, on: active.has(name) })),
    addFault: (name: string) => active.add(name),
    removeFaults: (name: string) => active.delete(name),
  };
  const running = { cloud: simulated, clouds: [simulated] } as unknown as Playground;
  const clock = { speed: 20 };
  const setSpeed = async (speed: number) => {
    clock.speed = speed;
  };
  const world = { clock };
  const notes: string[] = [];
  const note = (reason: string, text: string) => void notes.push(`${reason}: ${text}`);
  const page = new PlaygroundAnswers({
    running,
    runs: runs as unknown as ScenarioRuns,
    world,
    setSpeed,
    note,
  });
  return { page, active, started, runs, clock, notes };
}

test('it shows faults with what they do, and scenarios that need no other flags of the controller', async () => {
  const { page } = answers();
  const state = await page.state();
  expect(state).toMatchObject({ cloud: 'Cloud', speed: 20, running: null });
  expect(state.faults).toEqual([
    { name: 'throttle', text: 'throttle!', on: false },
    { name: 'slow', text: 'slow!', on: false },
  ]);
  const names = state.scenarios.map(({ name }) => name);
  expect(names).toContain('burst');
  expect(names).not.toContain('spot-to-spot');
  expect(names).not.toContain('spot-interruption');
});

test('a fault is switched on once and off again', async () => {
  const { page, active } = answers();
  await page.change({ fault: 'throttle', on: true });
  const state = await page.change({ fault: 'throttle', on: true });
  expect(state.faults.filter(({ on }) => on).map(({ name }) => name)).toEqual(['throttle']);
  await page.change({ fault: 'throttle', on: false });
  expect(active.size).toBe(0);
});

test('one scenario runs at a time', async () => {
  const { page, started, runs } = answers();
  expect((await page.change({ scenario: 'burst' })).running).toMatchObject({ scenario: 'burst' });
  await expect(page.change({ scenario: 'consolidation' })).rejects.toThrow('the scenario burst is running');
  runs.current = { scenario: 'burst', step: '', outcome: 'passed' };
  await page.change({ scenario: 'consolidation' });
  expect(started).toEqual(['burst', 'consolidation']);
});

test('the speed changes, within its limits', async () => {
  const { page, clock } = answers();
  expect(await page.change({ speed: 0.5 })).toMatchObject({ speed: 0.5 });
  expect(clock.speed).toBe(0.5);
  expect(await page.change({ speed: 100 })).toMatchObject({ speed: 100 });
});

test('what is done is on the timeline, once', async () => {
  const { page, notes } = answers();
  await page.change({ fault: 'throttle', on: true });
  await page.change({ fault: 'throttle', on: true });
  await page.change({ speed: 20 });
  await page.change({ speed: 5 });
  await page.change({ scenario: 'burst' });
  expect(notes).toEqual([
    'Fault: fault throttle is switched on',
    'Speed: time runs 5 times as fast as real time',
    'Scenario: scenario burst is started',
  ]);
});

test.each([
  [{ fault: 'no-such', on: true }, 'there is no fault no-such here'],
  [{ scenario: 'no-such' }, 'there is no scenario no-such here'],
  [{ scenario: '__proto__' }, 'there is no scenario'],
  [{ speed: 0 }, 'the speed must be a number from 0.1 to 100'],
  [{ speed: 101 }, 'the speed must be a number'],
  [{ speed: '20' }, 'the speed must be a number'],
  [{ speed: null }, 'the speed must be a number'],
  [{ speed: Number.NaN }, 'the speed must be a number'],
  [{ fault: 'throttle' }, 'send { "fault"'],
  [null, 'send { "fault"'],
  ['burst', 'send { "fault"'],
])('%j is a bad question', async (wish, message) => {
  const { page, active, started, clock } = answers();
  await expect(page.change(wish)).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining(message),
  });
  expect([active.size, started, clock.speed]).toEqual([0, [], 20]);
});
