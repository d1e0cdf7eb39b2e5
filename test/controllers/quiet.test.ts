import { afterEach, describe, expect, test } from 'vitest';
import { NODE_CLAIMS } from '../../packages/chandler/src/api/index.ts';
import { type FullStage, fullStage, settledPod } from './all-controllers.ts';

let full: FullStage;
afterEach(() => full.stage.end());

const HOUR_MS = 60 * 60_000;
/** Until the last of the slow looks (consistency, every ten minutes) has come round. */
const SETTLE_MS = 15 * 60_000;

describe('a quiet cluster', () => {
  test('has no write in an hour', async () => {
    full = await fullStage();
    await settledPod(full, { pool: { disruption: { consolidateAfter: '5m' } } });
    await full.stage.world.clock.advance(SETTLE_MS);
    const before = full.stage.writes.length;
    await full.stage.world.clock.advance(HOUR_MS);
    expect(full.stage.writes.slice(before)).toEqual([]);
  });

  test('has none after a restart either, not even the annotations that Karpenter renews', async () => {
    full = await fullStage();
    const name = await settledPod(full);
    await full.stage.world.clock.advance(SETTLE_MS);
    const stamp = (await full.stage.get(NODE_CLAIMS, name))?.['status'] as { lastPodEventTime?: string };
    expect(stamp.lastPodEventTime).toBeDefined();
    const before = full.stage.writes.length;
    await full.restart();
    await full.stage.world.clock.advance(SETTLE_MS);
    // What keeps each node is published once by every process.
    const written = full.stage.writes.slice(before).filter((write) => !write.endsWith('/events'));
    expect(written).toEqual([]);
    expect(full.stage.writes.length - before).toBeLessThanOrEqual(2);
  });

  test('has none with all gates on', async () => {
    const gates = {
      NodeRepair: true,
      ReservedCapacity: true,
      SpotToSpotConsolidation: true,
      NodeOverlay: true,
      StaticCapacity: true,
      CapacityBuffer: true,
      TerminateFirstDrift: true,
      TerminateFirstRepair: true,
      PodDeletionCostManagement: true,
    };
    full = await fullStage({ settings: { gates } });
    await settledPod(full);
    await full.stage.world.clock.advance(SETTLE_MS);
    const before = full.stage.writes.length;
    await full.stage.world.clock.advance(SETTLE_MS);
    expect(full.stage.writes.slice(before)).toEqual([]);
  });
});
