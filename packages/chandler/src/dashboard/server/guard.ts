/**
 * From where may be asked. A request is looked at before anything is done for it: its host and origin, so that no other page and no
 * name that somebody lets point to this machine gets an answer. `admission.ts` decides who may ask.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Refusal } from './admission.ts';

/** Names of the page, in lower case: `127.0.0.1:8080` with this port alone, `page.example.com` with any port or none. */
export type HostNames = readonly string[];

/** Of every request, also for the files of the app. Undefined: go on. */
export function refusesPlace(
  hosts: HostNames,
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
): Refusal | undefined {
  const host = headers.host?.toLowerCase() ?? '';
  if (!isOurs(hosts, host))
    return {
      status: 403,
      error: 'this name is not an address of the page',
      cure: `use ${hosts[0]}, or another name that it was given`,
    };
  const { origin } = headers;
  // With TLS ended by an ingress the page itself has the origin https.
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`)
    return { status: 403, error: 'another page may not ask here' };
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none' && !isOpened(method, headers))
    return { status: 403, error: 'another page may not ask here' };
  return undefined;
}

/** Names under which a browser on this machine reaches it, on any port: a port that is forwarded has another number. */
export const LOOPBACK_NAMES: HostNames = ['localhost', '127.0.0.1', '[::1]'];

// ---------------------------------------------------------------------------------------------------

function isOurs(hosts: HostNames, host: string): boolean {
  return hosts.includes(host) || hosts.includes(host.replace(/:\d{1,5}$/, ''));
}

/** By a link on another page: a tab of its own, which gets no data without the token. */
function isOpened(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  return (
    method === 'GET' &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document' &&
    headers.authorization === undefined
  );
}
