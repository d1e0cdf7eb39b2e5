/**
 * The HTTP connection to the cloud: the default one, one that trusts additional certificates, or one through the proxy of
 * HTTPS_PROXY and HTTP_PROXY for hosts that NO_PROXY does not exclude.
 */
import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import { CredentialsError, type Fetch, proxiesOf, proxyFor } from '@chandler/kube';
import { Agent, type Dispatcher, ProxyAgent, fetch as undiciFetch } from 'undici';
import { getWithBody } from '../../bootstrap/index.ts';
import type { Environment } from '../../settings/index.ts';

import { Failure } from '../verb.ts';

export interface CloudWire {
  readonly fetch: Fetch;
  /** For the bootstrap server, which expects a body with GET. */
  readonly fetchWithBody: Fetch;
  /** Aborts the calls in flight and rejects new ones. */
  close(): Promise<void>;
}

/** A file with PEM certificates, and the flag that names it. An empty path is none. */
export interface CaFile {
  readonly path: string;
  readonly flag: string;
}

/** @throws {Failure} */
export function cloudWire(usual: Fetch, ca: CaFile, env: Environment = {}): CloudWire {
  checkProxies(env);
  const dispatchers = new Dispatchers(ca.path === '' ? undefined : [...rootCertificates, readCa(ca)], env);
  const ending = new Ending();
  const send: Fetch = (input, init) => {
    const url = urlOf(input);
    const dispatcher = dispatchers.to(url);
    if (dispatcher === undefined) return usual(input, init);
    return undiciFetch(url, { ...(init as object), dispatcher }) as unknown as Promise<Response>;
  };
  const sendWithBody: Fetch = (input, init) => getWithBody(dispatchers.to(urlOf(input)))(input, init);
  return {
    fetch: ending.over(send),
    fetchWithBody: ending.over(sendWithBody),
    async close() {
      ending.end();
      await dispatchers.close();
    },
  };
}

// ---------------------------------------------------------------------------------------------------

/** One connection pool for each proxy, and one for direct connections. */
class Dispatchers {
  readonly #ca: string[] | undefined;
  readonly #env: Environment;
  readonly #open = new Map<string, Dispatcher>();

  constructor(ca: string[] | undefined, env: Environment) {
    this.#ca = ca;
    this.#env = env;
  }

  /** Undefined: the default connection is used. */
  to(url: string): Dispatcher | undefined {
    const proxy = proxyFor(new URL(url), this.#env);
    if (proxy === undefined && this.#ca === undefined) return undefined;
    const known = this.#open.get(proxy ?? '');
    if (known !== undefined) return known;
    const made = this.#make(proxy);
    this.#open.set(proxy ?? '', made);
    return made;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map((way) => way.destroy()));
  }

  #make(proxy: string | undefined): Dispatcher {
    const tls = this.#ca === undefined ? {} : { ca: this.#ca };
    // HTTP/1.1: aborting a call closes its connection, so a broken tunnel is not reused.
    if (proxy === undefined) return new Agent({ connect: tls, allowH2: false });
    const isTls = proxy.startsWith('https:');
    return new ProxyAgent({
      uri: proxy,
      requestTls: tls,
      allowH2: false,
      ...(isTls ? { proxyTls: tls } : {}),
    });
  }
}

function urlOf(input: Parameters<Fetch>[0]): string {
  return input instanceof Request ? input.url : String(input);
}

function checkProxies(env: Environment): void {
  try {
    proxiesOf(env);
  } catch (error) {
    throw error instanceof CredentialsError ? new Failure(error.message) : error;
  }
}

/** Aborts calls on close: a call in flight would keep the process alive until its own deadline, up to a minute. */
class Ending {
  readonly #open = new Set<AbortController>();
  #ended = false;

  over(send: Fetch): Fetch {
    return async (input, init) => {
      if (this.#ended) throw closed();
      const call = new AbortController();
      const theirs = init?.signal ?? (input instanceof Request ? input.signal : undefined);
      const signal = theirs ? AbortSignal.any([theirs, call.signal]) : call.signal;
      this.#open.add(call);
      try {
        return await send(input, { ...init, signal });
      } finally {
        this.#open.delete(call);
      }
    };
  }

  end(): void {
    this.#ended = true;
    for (const call of this.#open) call.abort(closed());
  }
}

function closed(): Error {
  return new Error('the connection to the cloud is closed');
}

function readCa({ path: file, flag }: CaFile): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure(`--${flag}: ${file} cannot be read (${code}); specify a file with PEM certificates`);
  }
  if (!text.includes('-----BEGIN CERTIFICATE-----'))
    throw new Failure(`--${flag}: ${file} contains no PEM certificate`);
  return text;
}
