import { type CoreEvent, EVENTS } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { NODE_CLAIMS } from '../../packages/chandler/src/api/index.ts';
import { type FullStage, fullStage, settledPod } from './all-controllers.ts';

let full: FullStage;
afterEach(() => full.stage.end());

const HOUR_MS = 60 * 60_000;
/** Until the last of the slow looks (consistency, every ten minutes) has come round. */
const SETTLE_MS = 15 * 60_000;

describe('a quiet cluster', () => {
  test('has no write in an hour but the repeated events of what keeps its node', async () => {
    full = await fullStage();
    await settledPod(full, { pool: { disruption: { consolidateAfter: '5m' } } });
    await full.stage.world.clock.advance(SETTLE_MS);
    const before = full.stage.writes.length;
    await full.stage.world.clock.advance(HOUR_MS);
    const written = full.stage.writes.slice(before);
    expect(written.filter((write) => !isEvent(write))).toEqual([]);
    // On the Node and on the NodeClaim, every 15 minutes.
    expect(written.length).toBeLessThanOrEqual(2 * 4);
    const minutes = await minutesSince('Unconsolidatable');
    expect(Object.keys(minutes).sort()).toEqual(['Node', 'NodeClaim']);
    expect(Math.max(...Object.values(minutes).flat())).toBeLessThan(16);
  });

  test('repeats that the budgets of a NodePool allow nothing', async () => {
    full = await fullStage();
    await settledPod(full, { pool: { disruption: { budgets: [{ nodes: '0' }] } } });
    await full.stage.world.clock.advance(SETTLE_MS + HOUR_MS);
    const { NodePool: minutes = [] } = await minutesSince('DisruptionBlocked');
    expect(minutes).not.toEqual([]);
    expect(Math.max(...minutes)).toBeLessThan(16);
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
    // What keeps each node is published by every process, and repeated after 15 minutes.
    const written = full.stage.writes.slice(before);
    expect(written.filter((write) => !isEvent(write))).toEqual([]);
    expect(written.length).toBeLessThanOrEqual(4);
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
    expect(full.stage.writes.slice(before).filter((write) => !isEvent(write))).toEqual([]);
  });
});

function isEvent(write: string): boolean {
  return /\/events(?:\/|$)/.test(write);
}

/** By kind of the object: how long ago each event of this reason was published last. */
async function minutesSince(reason: string): Promise<Readonly<Record<string, readonly number[]>>> {
  const nowMs = full.stage.world.clock.now();
  const events = (await full.stage.list(EVENTS)) as unknown as readonly CoreEvent[];
  const about = Map.groupBy(
    events.filter((event) => event.reason === reason),
    ({ involvedObject }) => involvedObject.kind ?? '',
  );
  const minutes = ({ lastTimestamp }: CoreEvent) => (nowMs - Date.parse(lastTimestamp ?? '')) / 60_000;
  return Object.fromEntries([...about].map(([kind, own]) => [kind, own.map(minutes)]));
}
