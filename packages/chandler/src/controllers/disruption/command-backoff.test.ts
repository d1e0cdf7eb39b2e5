import { describe, expect, test } from 'vitest';
import { handmade } from '../../state/testing.ts';
import { CommandBackoff } from './command-backoff.ts';
import type { CommandRecord } from './command-record.ts';

const MINUTE_MS = 60_000;

function aBackoff() {
  const { world, stores, put } = handmade();
  const nodeClassRef = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' };
  put(stores.pools, {
    metadata: { name: 'general', uid: 'pool', generation: 1 },
    spec: { template: { spec: { nodeClassRef } } },
  });
  const backoff = new CommandBackoff(stores, world.clock);
  const begin = (nodePool = 'general') =>
    ({
      startedAtMs: world.clock.now(),
      replacements: [{ metadata: { labels: { 'karpenter.sh/nodepool': nodePool } } }],
    }) as unknown as CommandRecord;
  const held = () => backoff.pools(world.clock.now()).get('general');
  return { world, backoff, begin, held };
}

describe('commands whose replacements fail', () => {
  test('together count as one failure: the pool waits for a minute', async () => {
    const { world, backoff, begin, held } = aBackoff();
    const commands = Array.from({ length: 8 }, () => begin());
    for (const command of commands) {
      await world.clock.advance(1_000);
      backoff.failed(command);
    }
    expect(held()?.failures).toBe(1);
    await world.clock.advance(MINUTE_MS);
    expect(held()).toBeUndefined();
  });

  test('one after the other count each, and the pool waits twice as long each time', async () => {
    const { world, backoff, begin, held } = aBackoff();
    for (const minutes of [1, 2, 4]) {
      const command = begin();
      await world.clock.advance(1_000);
      backoff.failed(command);
      expect(held()?.untilMs).toBe(world.clock.now() + minutes * MINUTE_MS);
      await world.clock.advance(minutes * MINUTE_MS);
      expect(held()).toBeUndefined();
    }
  });

  test('count by pool', async () => {
    const { world, backoff, begin, held } = aBackoff();
    const [one, other] = [begin(), begin('other')];
    await world.clock.advance(1_000);
    backoff.failed(other);
    expect(held()).toBeUndefined();
    backoff.failed(one);
    expect(held()?.failures).toBe(1);
  });
});
