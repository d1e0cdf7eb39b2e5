/**
 * Whose a token is, remembered for a short time under the digest of the token: the token itself is not kept. Who sends tokens that
 * nobody has waits; those whose token was accepted before do not wait for them.
 */
import { createHash } from 'node:crypto';
import { type Clock, TokenBucket } from '@chandler/kube';
import { ExpiringMap } from './expiring-map.ts';
import type { KubernetesUser, Reviews } from './reviews.ts';

export class KnownTokens {
  readonly #reviews: Pick<Reviews, 'userOf'>;
  readonly #ttlMs: number;
  readonly #users: ExpiringMap<KubernetesUser>;
  readonly #strangers: ExpiringMap<true>;
  /** Whose review is due again soon. */
  readonly #accepted: ExpiringMap<true>;
  readonly #asking = new Map<string, Promise<KubernetesUser | undefined>>();
  readonly #newTokens: TokenBucket;

  /** @param ttlMs how long an accepted token is not asked about again. */
  constructor(reviews: Pick<Reviews, 'userOf'>, clock: Pick<Clock, 'monotonic'>, ttlMs: number) {
    this.#reviews = reviews;
    this.#ttlMs = ttlMs;
    this.#users = new ExpiringMap({ clock, maxSize: MAX_USERS });
    this.#accepted = new ExpiringMap({ clock, maxSize: MAX_USERS });
    this.#strangers = new ExpiringMap({ clock, maxSize: MAX_STRANGERS });
    this.#newTokens = new TokenBucket(clock, { perSecond: 2, burst: 20 });
  }

  /** `unknown`: the API server does not accept it. `tooOften`: it was not asked. @throws {ReviewFailure} */
  async userOf(token: string): Promise<KubernetesUser | 'unknown' | 'tooOften'> {
    const digest = createHash('sha256').update(token).digest('base64url');
    const known = this.#users.get(digest);
    if (known !== undefined) return known;
    const asking = this.#asking.get(digest);
    if (asking === undefined) {
      if (this.#strangers.get(digest) !== undefined) return 'unknown';
      if (this.#accepted.get(digest) === undefined && !this.#newTokens.tryTake()) return 'tooOften';
    }
    return (await (asking ?? this.#ask(token, digest))) ?? 'unknown';
  }

  async #ask(token: string, digest: string): Promise<KubernetesUser | undefined> {
    const asking = this.#reviews.userOf(token).finally(() => this.#asking.delete(digest));
    this.#asking.set(digest, asking);
    const user = await asking;
    if (user === undefined) {
      this.#accepted.delete(digest);
      this.#strangers.set(digest, true, STRANGER_TTL_MS);
    } else {
      this.#users.set(digest, user, this.#ttlMs);
      this.#accepted.set(digest, true, ACCEPTED_MS);
    }
    return user;
  }
}

// ---------------------------------------------------------------------------------------------------

const MAX_USERS = 500;
const MAX_STRANGERS = 1_000;
const STRANGER_TTL_MS = 10_000;
const ACCEPTED_MS = 600_000;
