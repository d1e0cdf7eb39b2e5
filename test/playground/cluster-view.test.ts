import { afterAll, beforeAll, expect, test } from 'vitest';
import { ClusterWatch, CostMeter, readClusterView } from '../../packages/chandler/src/playground/index.ts';
import { deployment } from '../../packages/chandler/src/playground/testing.ts';

import { inTime } from '../operator/operator-stage.ts';
import { type ScenarioHarness, startScenarioHarness } from './scenario-harness.ts';

let harness: ScenarioHarness;
let watch: ClusterWatch;
beforeAll(async () => {
  harness = await startScenarioHarness();
  watch = new ClusterWatch(harness.world, harness.playground);
  watch.start();
}, 120_000);
afterAll(async () => {
  await inTime(harness.world, watch.stop());
  await harness.stop();
});

const view = () =>
  readClusterView({
    nowMs: harness.world.clock.now(),
    speed: 1,
    controller: 'leading',
    scenario: undefined,
    activities: [],
    kubeconfig: '',
    watch,
    cost: new CostMeter(harness.playground.cloud!).read(),
    cloud: harness.playground.cloud,
  });

test('the cluster view shows running and launching nodes, and their cost by the price list', async () => {
  expect(view()).toMatchObject({ instances: [], systemNodes: 3, cost: { instances: 0, perHour: 0 } });
  const pods = deployment('web', 4, { cpu: '400m', memory: '512Mi' });
  const launched = { description: '', actions: [{ apply: pods }], until: [{ instances: { exactly: 1 } }] };
  await harness.run({ name: '', summary: '', speed: 1, steps: [launched] });
  expect(view().instances.map(({ state }) => state)).toEqual([
    expect.stringMatching(/^(launching|booting)$/),
  ]);
  expect(view().pods).toEqual({ running: 0, pending: 4, other: 0 });
  const running = { description: '', until: [{ pods: { app: 'web', running: 4 } }] };
  await harness.run({ name: '', summary: '', speed: 1, steps: [running] });
  await harness.world.clock.advance(1_000);
  const { instances, cost, workloads, systemNodes } = view();
  expect(instances).toEqual([
    expect.objectContaining({
      state: 'Ready',
      pods: 4,
      capacity: 'on-demand',
      pool: 'default',
      warning: false,
    }),
  ]);
  expect(instances[0]!.cpu).toBeGreaterThan(0.5);
  expect(cost.perHour).toBe(instances[0]!.pricePerHour);
  expect(cost.perHour).toBeGreaterThan(0.05);
  expect(workloads).toEqual([{ name: 'web', running: 4, pending: 0, other: 0 }]);
  expect(systemNodes).toBe(3);
});
