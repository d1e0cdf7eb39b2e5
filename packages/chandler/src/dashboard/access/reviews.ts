/**
 * Asks the API server whose a token is (TokenReview) and what that user may list (SubjectAccessReview). An answer that is not clear is
 * a failure, never a permission. Nothing that is thrown here has the token in it: the answer to a TokenReview repeats it.
 */
import {
  type Clock,
  isProgramError,
  type ResourceRef,
  type Transport,
  TransportError,
  withoutSecrets,
} from '@chandler/kube';

export interface KubernetesUser {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The API server could not be asked, or did not answer. */
export class ReviewFailure extends Error {
  override readonly name = 'ReviewFailure';
  /** What to do. */
  readonly cure: string;

  constructor(message: string, cure: string) {
    super(message);
    this.cure = cure;
  }
}

export interface ReviewsOptions {
  /** With the credentials of the process. */
  readonly transport: Transport;
  readonly clock: Clock;
}

export class Reviews {
  readonly #options: ReviewsOptions;

  constructor(options: ReviewsOptions) {
    this.#options = options;
  }

  /**
   * Undefined: the API server does not accept the token. No audience is named, so that only tokens for the API server itself count: one
   * that was made for another service opens nothing here. @throws {ReviewFailure}
   */
  async userOf(token: string): Promise<KubernetesUser | undefined> {
    const status = await this.#review(TOKEN_REVIEWS, { token });
    if (status['authenticated'] !== true) {
      // It is also set for tokens that are not valid.
      const problem = textOf(status['error']).replaceAll(token, '');
      if (UNREACHABLE.test(problem)) throw couldNotCheck('token', problem);
      return undefined;
    }
    const user = (status['user'] ?? {}) as Partial<KubernetesUser>;
    const { username, uid, groups = [], extra } = user;
    if (typeof username !== 'string' || username === '') return undefined;
    return {
      username,
      groups,
      ...(uid === undefined ? {} : { uid }),
      ...(extra === undefined ? {} : { extra }),
    };
  }

  /** In all namespaces. @throws {ReviewFailure} */
  async mayList(
    { username, ...user }: KubernetesUser,
    { group, plural }: Pick<ResourceRef, 'group' | 'plural'>,
  ): Promise<boolean> {
    const resourceAttributes = { verb: 'list', group, resource: plural };
    const status = await this.#review(ACCESS_REVIEWS, { ...user, user: username, resourceAttributes });
    const isAllowed = status['allowed'] === true && status['denied'] !== true;
    const problem = textOf(status['evaluationError']);
    // Of an authorizer that failed nobody knows what it would have said.
    if (!isAllowed && status['denied'] !== true && problem !== '')
      throw couldNotCheck('permissions of this user', problem);
    return isAllowed;
  }

  async #review(kind: ReviewKind, spec: object): Promise<Readonly<Record<string, unknown>>> {
    const { group, plural } = kind;
    const body = JSON.stringify({ apiVersion: `${group}/v1`, kind: kind.kind, spec });
    const { status, text } = await this.#send(`/apis/${group}/v1/${plural}`, body);
    if (status === 403)
      throw new ReviewFailure(
        `the controller lacks the permission "create" on "${plural}.${group}"`,
        'apply deploy/rbac-page.yaml, or set page.enabled in the values of the chart',
      );
    const answer = status === 200 || status === 201 ? answerIn(text) : undefined;
    if (answer === undefined)
      throw new ReviewFailure(
        `the API server answered a ${kind.kind} with status ${status}`,
        'wait a moment and try again',
      );
    return answer;
  }

  async #send(path: string, body: string): Promise<{ readonly status: number; readonly text: string }> {
    const { transport, clock } = this.#options;
    const ending = new AbortController();
    const timer = clock.after(TIMEOUT_MS, () => ending.abort(new TransportError('timeout', 'no answer')));
    try {
      const response = await transport({
        method: 'POST',
        path,
        body,
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        signal: ending.signal,
      });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      if (isProgramError(error)) throw error;
      throw new ReviewFailure(
        `the API server does not answer (${error instanceof TransportError ? error.kind : 'failed'})`,
        'wait a moment and try again',
      );
    } finally {
      timer.cancel();
    }
  }
}

// ---------------------------------------------------------------------------------------------------

type ReviewKind = Pick<ResourceRef, 'group' | 'plural' | 'kind'>;

const TOKEN_REVIEWS: ReviewKind = {
  group: 'authentication.k8s.io',
  plural: 'tokenreviews',
  kind: 'TokenReview',
};
const ACCESS_REVIEWS: ReviewKind = {
  group: 'authorization.k8s.io',
  plural: 'subjectaccessreviews',
  kind: 'SubjectAccessReview',
};
/** An authenticator that did not answer; anything else is about the token. */
const UNREACHABLE =
  /deadline exceeded|time(d)? ?out|connection (refused|reset)|no such host|unreachable|\bEOF\b|too many requests|service unavailable|try again/i;
const MAX_PROBLEM = 300;

function textOf(problem: unknown): string {
  return typeof problem === 'string' ? problem : '';
}

function couldNotCheck(what: string, problem: string): ReviewFailure {
  return new ReviewFailure(
    `the API server could not check the ${what}: ${withoutSecrets(problem).slice(0, MAX_PROBLEM)}`,
    'wait a moment and try again',
  );
}

/** With retries. */
const TIMEOUT_MS = 10_000;

/** The status of the review; undefined: it is none. */
function answerIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const { status } = JSON.parse(text) as { readonly status?: unknown };
    return typeof status === 'object' && status !== null ? { ...status } : undefined;
  } catch {
    return undefined;
  }
}
