/**
 * Whether a pool's nodes register: the last four outcomes of each pool. Two failures of four mean that the pool
 * itself is at fault; the last failure gives the reason. After a restart the pool's condition replaces the earlier
 * outcomes.
 */
import type { Stored } from '@chandler/kube';
import { type Clock, type KubeClient, keyOfObject } from '@chandler/kube';
import { ConditionSet, NODE_POOLS, type NodePool } from '../../api/index.ts';
import { conditionOf } from '../../state/index.ts';

const RING_SIZE = 4;
const UNHEALTHY_FAILURES = 2;

type Pool = Stored<NodePool>;

/** The condition Launched of a claim that was deleted before its launch. */
export interface LaunchFailure {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

interface Outcome {
  readonly joined: boolean;
  /** Of a failure: absent when the instance was launched and did not register. */
  readonly launch?: LaunchFailure;
}

export class PoolHealth {
  readonly #clock: Clock;
  /** By pool UID. */
  readonly #rings = new Map<string, Outcome[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param launch set when the claim was never launched. */
  record(pool: Pool, joined: boolean, launch?: LaunchFailure): void {
    const ring = this.#ring(pool);
    ring.push(launch === undefined ? { joined } : { joined, launch });
    if (ring.length > RING_SIZE) ring.shift();
  }

  /** The pool or its class was edited: earlier outcomes no longer count. */
  reset(poolUid: string): void {
    this.#rings.delete(poolUid);
  }

  retain(poolUids: ReadonlySet<string>): void {
    for (const uid of this.#rings.keys()) if (!poolUids.has(uid)) this.#rings.delete(uid);
  }

  #ring(pool: Pool): Outcome[] {
    const uid = pool.metadata.uid;
    let ring = this.#rings.get(uid);
    if (ring === undefined) {
      ring = outcomesFromCondition(pool);
      this.#rings.set(uid, ring);
    }
    return ring;
  }

  /** Writes the condition to the pool, if it differs. */
  async show(client: KubeClient, pool: Pool): Promise<void> {
    const ring = this.#ring(pool);
    const failures = ring.filter(({ joined }) => !joined);
    const conditions = ConditionSet.of('NodePool', pool as never, this.#clock.now());
    if (failures.length >= UNHEALTHY_FAILURES) {
      const { reason, message } = conditionOfFailures(failures, ring.length);
      conditions.setFalse('NodeRegistrationHealthy', reason, message);
    } else if (ring.some(({ joined }) => joined)) conditions.setTrue('NodeRegistrationHealthy');
    else return;
    if (!conditions.modified) return;
    const { resourceVersion } = pool.metadata;
    const patch = { metadata: { resourceVersion }, status: { conditions: conditions.list() } };
    await client.patchStatus(NODE_POOLS, keyOfObject(pool), { type: 'merge', patch });
  }
}

// ---------------------------------------------------------------------------------------------------

const NO_NODE = 'RegistrationFailed';
const NO_MACHINE = 'LaunchFailed';

function outcomesFromCondition(pool: Pool): Outcome[] {
  const { status, reason, message } = conditionOf(pool, 'NodeRegistrationHealthy') ?? {};
  if (status === 'True') return [{ joined: true }];
  if (status !== 'False') return [];
  const failure: Outcome =
    reason === NO_NODE ? { joined: false } : { joined: false, launch: { reason, message } };
  return [failure, failure];
}

function conditionOfFailures(
  failures: readonly Outcome[],
  all: number,
): { readonly reason: string; readonly message: string } {
  const launch = failures.at(-1)?.launch;
  if (launch === undefined)
    return { reason: NO_NODE, message: `${failures.length} of the last ${all} nodes failed to register` };
  const { reason = '', message = '' } = launch;
  // A claim that only waited has no reason of its own.
  if (reason === '' || reason === 'AwaitingReconciliation')
    return {
      reason: NO_MACHINE,
      message: `${failures.length} of the last ${all} claims failed; the last was not launched in time`,
    };
  return { reason, message };
}
