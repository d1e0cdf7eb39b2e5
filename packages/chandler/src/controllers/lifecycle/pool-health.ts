/**
 * Whether a pool's nodes join: the last four outcomes of each pool. Two failures of four say that something is wrong
 * with the pool itself; the last of them says what. After a restart the pool's condition stands for what was known.
 */
import type { Stored } from '@chandler/kube';
import { type Clock, type KubeClient, keyOfObject, type ResourceRef } from '@chandler/kube';
import { ConditionSet, NODE_POOLS, type NodePool } from '../../api/index.ts';
import { conditionOf } from '../../state/index.ts';

const RING_SIZE = 4;
const UNHEALTHY_FAILURES = 2;

type Pool = Stored<NodePool>;

/** What the claim's condition Launched said when it was given up without a machine. */
export interface LaunchFailure {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

interface Outcome {
  readonly joined: boolean;
  /** Of a failure: absent where there was a machine and it did not join. */
  readonly launch?: LaunchFailure;
}

export class PoolHealth {
  readonly #clock: Clock;
  /** By pool UID. */
  readonly #rings = new Map<string, Outcome[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param launch given where no machine came of the claim. */
  record(pool: Pool, joined: boolean, launch?: LaunchFailure): void {
    const ring = this.#ring(pool);
    ring.push(launch === undefined ? { joined } : { joined, launch });
    if (ring.length > RING_SIZE) ring.shift();
  }

  /** The pool or its class was edited: what was before says nothing any more. */
  reset(poolUid: string): void {
    this.#rings.delete(poolUid);
  }

  retain(poolUids: ReadonlySet<string>): void {
    for (const uid of this.#rings.keys()) if (!poolUids.has(uid)) this.#rings.delete(uid);
  }

  #ring(pool: Pool): Outcome[] {
    const uid = pool.metadata.uid ?? '';
    let ring = this.#rings.get(uid);
    if (ring === undefined) {
      ring = remembered(pool);
      this.#rings.set(uid, ring);
    }
    return ring;
  }

  /** Writes what is remembered on the pool, where it does not say so already. */
  async show(client: KubeClient, pool: Pool): Promise<void> {
    const ring = this.#ring(pool);
    const failures = ring.filter(({ joined }) => !joined);
    const conditions = ConditionSet.of('NodePool', pool as never, this.#clock.now());
    if (failures.length >= UNHEALTHY_FAILURES) {
      const { reason, message } = words(failures, ring.length);
      conditions.setFalse('NodeRegistrationHealthy', reason, message);
    } else if (ring.some(({ joined }) => joined)) conditions.setTrue('NodeRegistrationHealthy');
    else return;
    if (!conditions.modified) return;
    const { resourceVersion } = pool.metadata;
    const patch = { metadata: { resourceVersion }, status: { conditions: conditions.list() } };
    await client.patchStatus(NODE_POOLS as ResourceRef<Pool>, keyOfObject(pool), { type: 'merge', patch });
  }
}

// ---------------------------------------------------------------------------------------------------

const NO_NODE = 'RegistrationFailed';
const NO_MACHINE = 'LaunchFailed';

function remembered(pool: Pool): Outcome[] {
  const { status, reason, message } = conditionOf(pool, 'NodeRegistrationHealthy') ?? {};
  if (status === 'True') return [{ joined: true }];
  if (status !== 'False') return [];
  const failure: Outcome =
    reason === NO_NODE ? { joined: false } : { joined: false, launch: { reason, message } };
  return [failure, failure];
}

function words(
  failures: readonly Outcome[],
  all: number,
): { readonly reason: string; readonly message: string } {
  const launch = failures.at(-1)?.launch;
  if (launch === undefined)
    return { reason: NO_NODE, message: `${failures.length} of the last ${all} nodes failed to register` };
  const { reason = '', message = '' } = launch;
  // A claim that was only kept waiting has no reason of its own.
  if (reason === '' || reason === 'AwaitingReconciliation')
    return {
      reason: NO_MACHINE,
      message: `${failures.length} of the last ${all} claims came to nothing, the last was not launched in time`,
    };
  return { reason, message };
}
