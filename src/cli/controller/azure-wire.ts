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
  close(): Promise<void>;
}

export function azureWire(usual: Fetch, caFile: string): AzureWire {
  if (caFile === '') return { fetch: usual, bootstrapFetch: getWithBody(), close: async () => undefined };
  const dispatcher = new Agent({ connect: { ca: [...rootCertificates, readCa(caFile)] } });
  const send: Fetch = (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    return undiciFetch(url, { ...(init as object), dispatcher }) as unknown as Promise<Response>;
  };
  return { fetch: send, bootstrapFetch: getWithBody(dispatcher), close: () => dispatcher.close() };
}

// ---------------------------------------------------------------------------------------------------

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
