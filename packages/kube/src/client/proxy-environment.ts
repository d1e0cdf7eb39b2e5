/**
 * Selects the proxy for an address, from HTTP_PROXY, HTTPS_PROXY and NO_PROXY, as Go programs do (upper case before
 * lower case, no proxy for plain HTTP where only one for HTTPS is set, and the other way
 * round). How to talk to a proxy is left to the transports.
 */
import { BlockList, isIP } from 'node:net';
import { CredentialsError } from './kubeconfig.ts';

export type ProxyEnvironment = Readonly<Record<string, string | undefined>>;

export interface Proxies {
  /** Addresses of the proxies, with their scheme. */
  readonly http?: string;
  readonly https?: string;
}

/** @throws {CredentialsError} for an invalid address; it may contain a password and is not repeated. */
export function proxiesOf(env: ProxyEnvironment): Proxies {
  const http = addressIn(env, 'HTTP_PROXY');
  const https = addressIn(env, 'HTTPS_PROXY');
  return { ...(http === undefined ? {} : { http }), ...(https === undefined ? {} : { https }) };
}

/** Undefined: no proxy. @throws {CredentialsError} */
export function proxyFor(url: URL, env: ProxyEnvironment): string | undefined {
  if (isReachedDirectly(url, env)) return undefined;
  const proxies = proxiesOf(env);
  return url.protocol === 'https:' ? proxies.https : proxies.http;
}

// ------------------------------------------------------------------------------------------------

/** Local addresses, which a proxy cannot reach, among them the metadata service and the host address of an Azure VM. */
const OWN = new BlockList();
OWN.addSubnet('127.0.0.0', 8, 'ipv4');
OWN.addSubnet('169.254.0.0', 16, 'ipv4');
OWN.addAddress('168.63.129.16', 'ipv4');
OWN.addAddress('::1', 'ipv6');
OWN.addSubnet('fe80::', 10, 'ipv6');

const SCHEMES: readonly string[] = ['http:', 'https:', 'socks5:', 'socks:'];

function addressIn(env: ProxyEnvironment, name: string): string | undefined {
  const text = valueIn(env, name);
  if (text === '') return undefined;
  const address = text.includes('://') ? text : `http://${text}`;
  // Go's name for a proxy that is given host names, as undici does with every one.
  const plain = address.replace(/^socks5h:/i, 'socks5:');
  const url = URL.parse(plain);
  if (url === null || url.hostname === '' || !SCHEMES.includes(url.protocol))
    throw new CredentialsError(
      `${name} is not the address of a proxy: expected a URL such as http://proxy:3128`,
    );
  return plain;
}

function valueIn(env: ProxyEnvironment, name: string): string {
  return (env[name] || env[name.toLowerCase()] || '').trim();
}

function isReachedDirectly(url: URL, env: ProxyEnvironment): boolean {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  if (host === 'localhost' || isIn(OWN, host)) return true;
  return valueIn(env, 'NO_PROXY')
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => covers(entry.toLowerCase(), host, port));
}

function covers(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const range = /^(.+)\/(\d+)$/.exec(entry);
  if (range) return isInRange(range[1] ?? '', Number(range[2]), host);
  const { name, onlyPort } = splitPort(entry);
  if (name === '' || (onlyPort !== undefined && onlyPort !== port)) return false;
  if (isIP(name)) return sameAddress(name, host);
  const suffix = name.replace(/^\*(?=\.)/, '');
  // With a dot in front it means what is below the name, without one the name itself, too.
  return suffix.startsWith('.') ? host.endsWith(suffix) : host === suffix || host.endsWith(`.${suffix}`);
}

/** `host:port`, `[::1]:port`; a bare IPv6 address has no port. */
function splitPort(entry: string): { readonly name: string; readonly onlyPort: string | undefined } {
  const bracketed = /^\[(.+)\](?::(\d+))?$/.exec(entry);
  const plain = /^([^:]+):(\d+)$/.exec(entry);
  const [, name = entry, onlyPort] = bracketed ?? plain ?? [];
  return { name, onlyPort };
}

function isInRange(network: string, prefix: number, host: string): boolean {
  const family = isIP(network);
  if (family === 0 || isIP(host) !== family || prefix > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(network, prefix, family === 4 ? 'ipv4' : 'ipv6');
  return isIn(list, host);
}

/** An IPv6 address can be written in many ways. */
function sameAddress(left: string, right: string): boolean {
  return isIP(left) === isIP(right) && isInRange(left, isIP(left) === 4 ? 32 : 128, right);
}

function isIn(list: BlockList, host: string): boolean {
  const family = isIP(host);
  return family !== 0 && list.check(host, family === 4 ? 'ipv4' : 'ipv6');
}
