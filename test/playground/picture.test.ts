import { afterAll, beforeAll, expect, test } from 'vitest';
import { ClusterWatch, CostMeter, takePicture } from '../../packages/chandler/src/playground/index.ts';
import { deployment } from '../../packages/chandler/src/playground/testing.ts';

import { inTime } from '../operator/operator-stage.ts';
import { type StoryStage, storyStage } from './story-stage.ts';

let stage: StoryStage;
let watch: ClusterWatch;
beforeAll(async () => {
  stage = await storyStage();
  watch = new ClusterWatch(stage.world, stage.playground);
  watch.start();
}, 120_000);
afterAll(async () => {
  await inTime(stage.world, watch.stop());
  await stage.end();
});

const picture = () =>
  takePicture({
    nowMs: stage.world.clock.now(),
    speed: 1,
    controller: 'leading',
    story: undefined,
    news: [],
    kubeconfig: '',
    watch,
    bill: new CostMeter(stage.playground.azure!).now(),
  });

test('the picture has what runs, what it costs by the price list, and what is on its way', async () => {
  expect(picture()).toMatchObject({ machines: [], systemNodes: 3, bill: { machines: 0, perHour: 0 } });
  const pods = deployment('web', 4, { cpu: '400m', memory: '512Mi' });
  const launched = { say: '', acts: [{ apply: pods }], until: [{ vms: { exactly: 1 } }] };
  await stage.play({ name: '', summary: '', speed: 1, steps: [launched] });
  expect(picture().machines.map(({ state }) => state)).toEqual([
    expect.stringMatching(/^(launching|booting)$/),
  ]);
  expect(picture().pods).toEqual({ running: 0, pending: 4, other: 0 });
  const running = { say: '', until: [{ pods: { app: 'web', running: 4 } }] };
  await stage.play({ name: '', summary: '', speed: 1, steps: [running] });
  await stage.world.clock.advance(1_000);
  const { machines, bill, workloads, systemNodes } = picture();
  expect(machines).toEqual([
    expect.objectContaining({
      state: 'Ready',
      pods: 4,
      capacity: 'on-demand',
      pool: 'default',
      warning: false,
    }),
  ]);
  expect(machines[0]!.cpu).toBeGreaterThan(0.5);
  expect(bill.perHour).toBe(machines[0]!.pricePerHour);
  expect(bill.perHour).toBeGreaterThan(0.05);
  expect(workloads).toEqual([{ name: 'web', running: 4, pending: 0, other: 0 }]);
  expect(systemNodes).toBe(3);
});
