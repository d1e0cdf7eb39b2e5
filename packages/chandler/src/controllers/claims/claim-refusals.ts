/**
 * NodePools with NodeClaims that the API server rejects permanently: by validation, an admission policy, a webhook or a
 * quota. Such a pool is excluded from planning and is not Ready, longer after each refusal; an edit of the pool ends it.
 * `pools/validation.ts` writes the condition.
 */
import { type Clock, isApiError, type Source, type Stored, withoutSecrets } from '@chandler/kube';
import type { NodePool } from '../../api/index.ts';
import { type BackoffKey, LaunchBackoff } from '../launch-backoff.ts';

export const CLAIM_REFUSED = 'NodeClaimRefused';

export interface ClaimRefusal {
  /** For conditions and events. */
  readonly message: string;
  /** Until the next attempt. */
  readonly remainingMs: number;
}

export class ClaimRefusals {
  readonly #backoff: LaunchBackoff;
  readonly #listeners = new Set<(nodePool: string) => void>();

  constructor(clock: Clock) {
    this.#backoff = new LaunchBackoff(clock);
  }

  /** Claims of one plan are rejected together and count once. */
  refused(nodePool: Stored<NodePool>, error: Error): void {
    const key = keyOf(nodePool);
    if (this.#backoff.holding(key) !== undefined) return;
    this.#backoff.failed(key, refusalText(error.message), 0);
    for (const listener of this.#listeners) listener(nodePool.metadata.name);
  }

  /** Undefined when claims may be created. */
  of(nodePool: Stored<NodePool>): ClaimRefusal | undefined {
    const held = this.#backoff.holding(keyOf(nodePool));
    return held === undefined ? undefined : { message: held.reason, remainingMs: held.remainingMs };
  }

  /** Ends the growth of the delay. Another claim of the same plan may have been rejected: its refusal stays. */
  accepted(nodePool: Stored<NodePool>): void {
    const key = keyOf(nodePool);
    if (this.#backoff.holding(key) === undefined) this.#backoff.succeeded(key);
  }

  /** Deleted pools are forgotten. */
  retain(nodePools: Iterable<Stored<NodePool>>): void {
    this.#backoff.retain([...nodePools].map(keyOf));
  }

  /** The names of pools that were refused. */
  source(): Source {
    return {
      synced: Promise.resolve(),
      start: (queue) => {
        const listener = (nodePool: string) => queue.add(nodePool);
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
    };
  }
}

/** The same claim would be rejected again. RBAC is included: the roles have to change first. */
export function isRefusal(error: unknown): error is Error {
  return isApiError(error, 'invalid', 'forbidden', 'badRequest', 'tooLarge');
}

// ---------------------------------------------------------------------------------------------------

const MAX_MESSAGE = 500;

function refusalText(message: string): string {
  const text = withoutSecrets(message);
  const cut = text.length <= MAX_MESSAGE ? text : `${text.slice(0, MAX_MESSAGE)}...`;
  return `the API server rejects NodeClaims of this NodePool: ${cut}`;
}

function keyOf({ metadata }: Stored<NodePool>): BackoffKey {
  return {
    nodePool: metadata.name,
    nodeClass: '',
    generation: `${metadata.uid}/${metadata.generation}`,
  };
}
