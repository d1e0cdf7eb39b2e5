/** NodeClaims that were removed while the page ran: no object shows them any more, and the timeline does. */
import type { Clock, Store } from '@chandler/kube';
import type { NodeClaim } from '../../api/index.ts';
import type { wire } from '../../dashboard/index.ts';

export class RemovedClaims {
  #removed: wire.Happened[] = [];
  readonly #unsubscribe: () => void;

  constructor(claims: Store<NodeClaim>, clock: Pick<Clock, 'now'>) {
    this.#unsubscribe = claims.subscribe(({ type, object }) => {
      if (type === 'deleted') this.#note(object.metadata.name, clock.now());
    });
  }

  all(): readonly wire.Happened[] {
    return this.#removed;
  }

  stop(): void {
    this.#unsubscribe();
  }

  #note(name: string, atMs: number): void {
    const text = `NodeClaim ${name} was removed`;
    const subject = `NodeClaim/${name}`;
    this.#removed.push({ atMs, what: 'removed', subject, reason: 'Removed', text, warning: false });
    if (this.#removed.length > MAX_REMOVED) this.#removed = this.#removed.slice(-MAX_REMOVED / 2);
  }
}

// ---------------------------------------------------------------------------------------------------

const MAX_REMOVED = 1_000;
