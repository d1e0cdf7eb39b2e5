/**
 * Whether a pool's nodes join: the last four outcomes of each pool. Two failures of four say that something is wrong
 * with the pool itself. After a restart the pool's condition stands for what was known.
 */
import { ConditionSet, type KubeObject, type NodePool } from '../../api/index.ts';
import { type KubeClient, keyOfObject, NODE_POOLS, type ResourceRef } from '../../kube/index.ts';
import { conditionOf } from '../../state/index.ts';
import type { Clock } from '../../world.ts';

const RING_SIZE = 4;
const UNHEALTHY_FAILURES = 2;

type Pool = NodePool & KubeObject;

export class PoolHealth {
  readonly #clock: Clock;
  /** By pool UID; true = joined. */
  readonly #rings = new Map<string, boolean[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async record(client: KubeClient, pool: Pool, joined: boolean): Promise<void> {
    const ring = this.#ring(pool);
    ring.push(joined);
    if (ring.length > RING_SIZE) ring.shift();
    await this.#write(client, pool, ring);
  }

  /** The pool or its class was edited: what was before says nothing any more. */
  reset(poolUid: string): void {
    this.#rings.delete(poolUid);
  }

  retain(poolUids: ReadonlySet<string>): void {
    for (const uid of this.#rings.keys()) if (!poolUids.has(uid)) this.#rings.delete(uid);
  }

  #ring(pool: Pool): boolean[] {
    const uid = pool.metadata.uid ?? '';
    let ring = this.#rings.get(uid);
    if (ring === undefined) {
      const known = conditionOf(pool, 'NodeRegistrationHealthy')?.status;
      ring = known === 'True' ? [true] : known === 'False' ? [false, false] : [];
      this.#rings.set(uid, ring);
    }
    return ring;
  }

  async #write(client: KubeClient, pool: Pool, ring: readonly boolean[]): Promise<void> {
    const failures = ring.filter((joined) => !joined).length;
    const conditions = ConditionSet.of('NodePool', pool as never, this.#clock.now());
    if (failures >= UNHEALTHY_FAILURES) {
      conditions.setFalse(
        'NodeRegistrationHealthy',
        'RegistrationFailed',
        `${failures} of the last ${ring.length} nodes failed to register`,
      );
    } else if (ring.some((joined) => joined)) conditions.setTrue('NodeRegistrationHealthy');
    else return;
    if (!conditions.modified) return;
    const { resourceVersion } = pool.metadata;
    const patch = { metadata: { resourceVersion }, status: { conditions: conditions.list() } };
    await client.patchStatus(NODE_POOLS as ResourceRef<Pool>, keyOfObject(pool), { type: 'merge', patch });
  }
}
