import type { KubeClient, Stored } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { knownReason, type NodePool } from '../../api/index.ts';
import { conditionOf } from '../../state/index.ts';

import { PoolHealth } from './pool-health.ts';

const QUOTA = { reason: 'QuotaExceeded', message: 'no cores are left in eastus' };
const LATE = { reason: 'AwaitingReconciliation', message: 'object is awaiting reconciliation' };

/** A pool, and outcomes that are recorded one after another; a restart forgets all but the pool. */
function aPool() {
  const { clock } = virtualWorld();
  const metadata = { name: 'general', uid: 'u', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' };
  let pool = { metadata, spec: {}, status: {} } as unknown as Stored<NodePool>;
  let writes = 0;
  const client = {
    async patchStatus(_: unknown, __: unknown, { patch }: { patch: { status: object } }) {
      writes++;
      pool = { ...pool, status: { ...pool.status, ...patch.status } } as never;
    },
  } as unknown as KubeClient;
  let health = new PoolHealth(clock);
  return {
    record(joined: boolean, why?: { reason: string; message: string }) {
      health.record(pool, joined, why);
      return health.show(client, pool);
    },
    restart() {
      health = new PoolHealth(clock);
    },
    get writes() {
      return writes;
    },
    get condition() {
      const { status, reason, message } = conditionOf(pool, 'NodeRegistrationHealthy') ?? {};
      return { status, reason, message };
    },
  };
}

describe('the registration health of a pool', () => {
  test('says why launches failed, with the reason of the claim', async () => {
    const pool = aPool();
    await pool.record(false, QUOTA);
    await pool.record(false, QUOTA);
    expect(pool.condition).toEqual({ status: 'False', ...QUOTA });
    expect(knownReason('NodePool', 'NodeRegistrationHealthy', 'False', QUOTA.reason)).toBe(true);
  });

  test('names registration when launched instances did not register', async () => {
    const pool = aPool();
    await pool.record(false);
    await pool.record(false);
    const message = '2 of the last 2 nodes failed to register';
    expect(pool.condition).toEqual({ status: 'False', reason: 'RegistrationFailed', message });
  });

  test('names the last failure, also when a node registered after it', async () => {
    const pool = aPool();
    await pool.record(false);
    await pool.record(false, QUOTA);
    await pool.record(true);
    expect(pool.condition).toEqual({ status: 'False', ...QUOTA });
    await pool.record(false);
    expect(pool.condition.reason).toBe('RegistrationFailed');
  });

  test('does not name a pending request as the reason', async () => {
    const pool = aPool();
    await pool.record(false, LATE);
    await pool.record(false, LATE);
    const message = '2 of the last 2 claims failed; the last was not launched in time';
    expect(pool.condition).toEqual({ status: 'False', reason: 'LaunchFailed', message });
  });

  test('keeps its reason across a restart, and does not write the same reason again', async () => {
    const pool = aPool();
    await pool.record(false, QUOTA);
    await pool.record(false, QUOTA);
    pool.restart();
    const { writes } = pool;
    await pool.record(true);
    expect(pool.condition).toEqual({ status: 'False', ...QUOTA });
    expect(pool.writes).toBe(writes);
    await pool.record(true);
    await pool.record(true);
    expect(pool.condition.status).toBe('True');
  });
});
