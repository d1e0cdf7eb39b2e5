/**
 * Who may look, and at what. One admission is the token of the command that serves the page: who has it sees everything that the
 * command can read. The other (`access/`) asks the API server about Kubernetes tokens. Decisions are values; the server sends them.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { type Clock, TokenBucket } from '@chandler/kube';
import { isToken } from '../tokens.ts';
import type { SignIn } from '../wire.ts';
import type { OpenedPage } from './routes.ts';

export interface Refusal {
  readonly status: 401 | 403 | 429 | 503;
  readonly error: string;
  readonly cure?: string;
  readonly signIn?: SignIn;
}

/** Somebody who may look. */
export interface Admitted {
  /** What this person may see. */
  open(): Promise<OpenedPage>;
  /** After this time a stream asks again whether it may go on. Undefined: it may as long as the server runs. */
  readonly recheckMs?: number;
  /** Who it is, where several people look. */
  readonly reader?: string;
}

export interface Admission {
  readonly signIn: SignIn;
  /** Of every request for data. */
  admit(headers: IncomingHttpHeaders): Promise<Admitted | Refusal>;
}

export function isRefusal(given: Admitted | Refusal): given is Refusal {
  return 'status' in given;
}

export interface OwnTokenOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly token: string;
  readonly open: () => Promise<OpenedPage>;
}

/** Who sends this one token may look at everything. */
export function ownToken({ clock, token, open }: OwnTokenOptions): Admission {
  const requests = new TokenBucket(clock, REQUEST_RATE);
  // Who guesses tokens waits; who has one does not wait for them.
  const strangers = new TokenBucket(clock, { perSecond: 1, burst: 20 });
  return {
    signIn: 'page',
    async admit(headers) {
      if (!isToken(token, bearer(headers.authorization))) return strangers.tryTake() ? NOT_OURS : TOO_OFTEN;
      return requests.tryTake() ? { open } : TOO_OFTEN;
    },
  };
}

/** Of one person. */
export const REQUEST_RATE = { perSecond: 20, burst: 100 };

export const TOO_OFTEN: Refusal = {
  status: 429,
  error: 'too many requests',
  cure: 'wait a moment and try again',
};

/** Undefined: there is none, or it cannot be one. */
export function bearer(authorization: string | undefined): string | undefined {
  return /^Bearer ([\w.~+/-]{1,12000}=*)$/i.exec(authorization ?? '')?.[1];
}

// ---------------------------------------------------------------------------------------------------

const NOT_OURS: Refusal = {
  status: 401,
  error: 'the token is missing or is not that of this page',
  cure: 'open the address that the command printed, whole, with what follows the #',
};
