/** Requests and answers: HTTP without sockets. */
import type { CertificateIdentity } from '@chandler/kube/tls';
import type { UserInfo } from '../resource.ts';

export interface ApiRequest {
  readonly method: string;
  /** Path and query, as on the request line. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The headers with repeated ones kept apart, where the caller acts as someone else. */
  readonly impersonation?: Readonly<Record<string, readonly string[] | undefined>>;
  /** Text; of a binary media type one character for each byte. */
  readonly body: string;
  /** The caller is already authenticated: credentials are not checked. */
  readonly user?: UserInfo;
  /** Of a client certificate that TLS has verified. */
  readonly certificate?: CertificateIdentity | undefined;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | EventStream;
  readonly warnings?: readonly string[];
}

/** The body of a watch. It is read when the client can take more. */
export interface EventStream {
  /** Whole lines that are ready, up to about this many characters; undefined when there is nothing now. */
  take(maxLength: number): string | undefined;
  /** No more data will follow once the ready lines have been read. */
  readonly ended: boolean;
  /** It ended because the client read too slowly: pending data is discarded. */
  readonly overrun: boolean;
  /** Called when something is ready or the stream ends; one listener. */
  onReady(listener: () => void): void;
  /** The client has disconnected. */
  cancel(): void;
}

export function jsonAnswer(status: number, body: object): ApiAnswer {
  return { status, headers: JSON_TYPE, body: JSON.stringify(body) };
}

export const JSON_TYPE: Readonly<Record<string, string>> = { 'content-type': 'application/json' };
