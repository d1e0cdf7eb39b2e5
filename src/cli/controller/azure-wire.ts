/** The way to Azure: the usual one, or one that trusts further certificates (arm-ca-file). */
import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import { Agent, fetch as undiciFetch } from 'undici';
import { getWithBody } from '../../bootstrap/index.ts';
import type { Fetch } from '../../world.ts';
import { Failure } from '../verb.ts';

export interface AzureWire {
  readonly fetch: Fetch;
  /** For the one server that wants a body with GET. */
  readonly bootstrapFetch: Fetch;
  /** Nobody waits for answers any more: calls without one are given up, and new ones refused. */
  close(): Promise<void>;
}

export function azureWire(usual: Fetch, caFile: string): AzureWire {
  const ending = new Ending();
  if (caFile === '') {
    const close = async () => ending.end();
    return { fetch: ending.over(usual), bootstrapFetch: ending.over(getWithBody()), close };
  }
  const dispatcher = new Agent({ connect: { ca: [...rootCertificates, readCa(caFile)] } });
  const send: Fetch = (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    return undiciFetch(url, { ...(init as object), dispatcher }) as unknown as Promise<Response>;
  };
  return {
    fetch: ending.over(send),
    bootstrapFetch: ending.over(getWithBody(dispatcher)),
    async close() {
      ending.end();
      await dispatcher.destroy();
    },
  };
}

// ---------------------------------------------------------------------------------------------------

/** A call that waits for Azure keeps the process alive until its own deadline, a minute later. */
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
  return new Error('the way to Azure was closed');
}

function readCa(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure(`--arm-ca-file: ${file} cannot be read (${code}); name a file with PEM certificates`);
  }
  if (!text.includes('-----BEGIN CERTIFICATE-----'))
    throw new Failure(`--arm-ca-file: ${file} holds no PEM certificate`);
  return text;
}
