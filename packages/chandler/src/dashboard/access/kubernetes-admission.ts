/**
 * Admits people by their Kubernetes tokens: the API server says who they are and what they may list, and of nothing else they are
 * shown anything. What it said holds for half a minute; while it says nothing, nobody is admitted anew.
 */
import { type Clock, type Log, NODES, type ResourceRef, resourceName, TokenBucket } from '@chandler/kube';
import {
  type Admission,
  type Admitted,
  bearer,
  REQUEST_RATE,
  type Refusal,
  TOO_OFTEN,
} from '../server/admission.ts';
import type { OpenedPage } from '../server/routes.ts';
import { ExpiringMap } from './expiring-map.ts';
import { KnownTokens } from './known-tokens.ts';
import { type KubernetesUser, ReviewFailure, type Reviews } from './reviews.ts';

/** Somebody who is known, and what is shown to them. */
export interface Viewer {
  /** The same for the same user with the same groups. */
  readonly key: string;
  readonly user: KubernetesUser;
  /** Only for requests to the API server in the name of this user. */
  readonly token: string;
  /** As kubectl names them: `pods`, `nodeclaims.karpenter.sh`. */
  readonly listable: ReadonlySet<string>;
}

export interface KubernetesAdmissionOptions {
  readonly reviews: Pick<Reviews, 'userOf' | 'mayList'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly log: Log;
  /** What is shown, nodes among them: each is asked about. */
  kinds(): readonly ResourceRef[];
  /** How long the API server is not asked again about a token or a permission. Default 30 s. */
  readonly reviewTtlMs?: number;
  open(viewer: Viewer): Promise<OpenedPage>;
}

export function kubernetesAdmission(options: KubernetesAdmissionOptions): Admission {
  const { clock, log, open, reviewTtlMs = REVIEW_TTL_MS } = options;
  const tokens = new KnownTokens(options.reviews, clock, reviewTtlMs);
  const permissions = new Permissions(options, reviewTtlMs);
  const rates = new ExpiringMap<TokenBucket>({ clock, maxSize: MAX_USERS });
  let lastFailure = '';

  const admit = async (token: string): Promise<Admitted | Refusal> => {
    const user = await tokens.userOf(token);
    if (user === 'tooOften') return TOO_OFTEN;
    if (user === 'unknown') return UNKNOWN;
    const key = keyOf(user);
    const rate = rates.get(key) ?? new TokenBucket(clock, REQUEST_RATE);
    rates.set(key, rate, RATE_MS);
    if (!rate.tryTake()) return TOO_OFTEN;
    const listable = await permissions.of(key, user);
    if (!listable.has(resourceName(NODES))) return noNodes(user);
    return { open: () => open({ key, user, token, listable }), recheckMs: reviewTtlMs, reader: key };
  };

  return {
    signIn: 'kubernetes',
    async admit(headers) {
      const token = bearer(headers.authorization);
      if (token === undefined) return NO_TOKEN;
      try {
        const admitted = await admit(token);
        lastFailure = '';
        return admitted;
      } catch (error) {
        if (!(error instanceof ReviewFailure)) throw error;
        // Once: people try again every few seconds.
        if (error.message !== lastFailure)
          log.warn('nobody can be admitted to the page', { error: error.message, cure: error.cure });
        lastFailure = error.message;
        return { status: 503, error: error.message, cure: error.cure };
      }
    },
  };
}

// ---------------------------------------------------------------------------------------------------

const REVIEW_TTL_MS = 30_000;
const MAX_USERS = 500;
/** A bucket is full again after this time. */
const RATE_MS = 60_000;

const NO_TOKEN: Refusal = {
  status: 401,
  error: 'this page needs a token of Kubernetes',
  cure: 'paste one that the API server accepts, such as that of `kubectl create token`',
  signIn: 'kubernetes',
};

const UNKNOWN: Refusal = {
  status: 401,
  error: 'the API server does not accept the token',
  cure: 'it may have expired: paste a new one',
  signIn: 'kubernetes',
};

function noNodes({ username }: KubernetesUser): Refusal {
  return {
    status: 403,
    error: `${username} lacks the permission "list" on "nodes"; without nodes there is nothing to show`,
    cure: 'ask for a role that permits it, or sign in as somebody else',
    signIn: 'kubernetes',
  };
}

/** Of one user; the order of groups means nothing. */
function keyOf({ username, uid = '', groups, extra = {} }: KubernetesUser): string {
  const more = Object.entries(extra).sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([username, uid, [...groups].sort(), more]);
}

/** What users may list, remembered for a short time. */
class Permissions {
  readonly #options: KubernetesAdmissionOptions;
  readonly #ttlMs: number;
  readonly #known: ExpiringMap<ReadonlySet<string>>;
  readonly #asking = new Map<string, Promise<ReadonlySet<string>>>();

  constructor(options: KubernetesAdmissionOptions, ttlMs: number) {
    this.#options = options;
    this.#ttlMs = ttlMs;
    this.#known = new ExpiringMap({ clock: options.clock, maxSize: MAX_USERS });
  }

  /** @throws {ReviewFailure} when one of them is not known: a part would look like a missing permission. */
  async of(key: string, user: KubernetesUser): Promise<ReadonlySet<string>> {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const asking = this.#asking.get(key) ?? this.#ask(key, user);
    return asking;
  }

  async #ask(key: string, user: KubernetesUser): Promise<ReadonlySet<string>> {
    const asking = this.#listable(user).finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    const listable = await asking;
    this.#known.set(key, listable, this.#ttlMs);
    return listable;
  }

  async #listable(user: KubernetesUser): Promise<ReadonlySet<string>> {
    const { kinds, reviews } = this.#options;
    const answers = await Promise.all(
      kinds().map(async (kind) => ((await reviews.mayList(user, kind)) ? [resourceName(kind)] : [])),
    );
    return new Set(answers.flat());
  }
}
