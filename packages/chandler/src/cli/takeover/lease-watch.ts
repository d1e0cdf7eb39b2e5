/**
 * Who holds the lease of leader election. As for the replicas themselves, a lease is expired when it has not
 * changed for its duration on our own clock; the times written in it do not count.
 */
import { type KubeClient, LEASES, type ObjectKey, type World } from '@chandler/kube';
import { LEASE_IDENTITY_PREFIX } from '../../api/index.ts';

export interface LeaseState {
  /** `nobody`: there is no lease, or it was released. `expired`: its holder has not renewed it for its whole duration. */
  readonly heldBy: 'nobody' | 'chandler' | 'another';
  readonly holder: string;
  readonly expired: boolean;
  /** Its holder has renewed it since it was seen first. */
  readonly renewed: boolean;
}

export class LeaseWatch {
  readonly #client: KubeClient;
  readonly #clock: World['clock'];
  readonly #key: ObjectKey;
  #seen: { readonly version: string; readonly atMs: number } | undefined;
  #holderSince: { readonly holder: string; readonly version: string } | undefined;

  constructor(client: KubeClient, clock: World['clock'], key: ObjectKey) {
    this.#client = client;
    this.#clock = clock;
    this.#key = key;
  }

  async look(signal: AbortSignal): Promise<LeaseState> {
    const lease = await this.#client.find(LEASES, this.#key, { signal });
    const holder = lease?.spec?.holderIdentity ?? '';
    const version = lease?.metadata.resourceVersion ?? '';
    const nowMs = this.#clock.monotonic();
    if (this.#seen?.version !== version) this.#seen = { version, atMs: nowMs };
    if (this.#holderSince?.holder !== holder) this.#holderSince = { holder, version };
    const durationMs = (lease?.spec?.leaseDurationSeconds ?? DEFAULT_DURATION_S) * 1000;
    return {
      heldBy: holder === '' ? 'nobody' : isChandler(holder) ? 'chandler' : 'another',
      holder,
      expired: holder !== '' && nowMs - this.#seen.atMs >= durationMs,
      renewed: holder !== '' && this.#holderSince.version !== version,
    };
  }
}

/** Identities of Karpenter begin with the name of its pod, which has no underscore. */
export function isChandler(holder: string): boolean {
  return holder.startsWith(LEASE_IDENTITY_PREFIX);
}

// ---------------------------------------------------------------------------------------------------

const DEFAULT_DURATION_S = 15;
