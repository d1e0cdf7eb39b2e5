import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { systemClock, systemRandom } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { createAuthority, issueServingCertificate } from '@chandler/kube/tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createClusterClient } from '../azure/create-cluster-client.ts';
import { sampleConfig } from '../config/config.fixture.ts';
import { renderProxyEnvironment } from '../kubelet/unit.ts';
import { isInNoProxyRange, proxiedFetch } from './proxy-fetch.ts';

/** Not among the addresses that are always reached directly. */
const HOST = '127.0.0.2';
const world = { ...virtualWorld(), clock: systemClock, random: systemRandom };

let servers: { close(): void; closeAllConnections(): void }[] = [];
let sockets: Socket[] = [];
/** What the proxy was asked for: URLs, and hosts of tunnels. */
let seen: string[] = [];
let proxyUrl: string;

async function listen(server: Server | ReturnType<typeof createTlsServer>, host: string): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  servers.push(server);
  return (server.address() as AddressInfo).port;
}

beforeEach(async () => {
  [servers, sockets, seen] = [[], [], []];
  const proxy = createServer((request, response) => {
    seen.push(request.url ?? '');
    response.end('through the proxy');
  });
  proxy.on('connect', (request, socket: Socket) => {
    seen.push(request.url ?? '');
    const [host = '', port = ''] = (request.url ?? '').split(':');
    const target = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(target).pipe(socket);
    });
    for (const each of [socket, target]) each.on('error', () => undefined);
    sockets.push(socket, target);
  });
  proxyUrl = `http://127.0.0.1:${await listen(proxy, '127.0.0.1')}`;
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

const VALUES = [
  ['through the proxy', []],
  ['directly', ['127.0.0.0/8']],
  ['through the proxy', ['10.0.0.0/8', 'fd00::/8']],
] as const;

describe('a CIDR range in proxy.noProxy', () => {
  test.each(VALUES)('applies to downloads: %s with %j', async (how, noProxy) => {
    const port = await listen(
      createServer((_, response) => response.end('directly')),
      HOST,
    );
    const fetch = proxiedFetch({ http: proxyUrl, noProxy }, globalThis.fetch);
    expect(await (await fetch(`http://${HOST}:${port}/x`)).text()).toBe(how);
  });

  test('applies to each redirect of a download', async () => {
    const port = await listen(
      createServer((_, response) => response.writeHead(302, { location: 'http://files.example/x' }).end()),
      HOST,
    );
    const fetch = proxiedFetch({ http: proxyUrl, noProxy: ['127.0.0.0/8'] }, globalThis.fetch);
    expect(await (await fetch(`http://${HOST}:${port}/x`)).text()).toBe('through the proxy');
    expect(seen).toHaveLength(1);
  });

  test.each(VALUES)('applies to requests to the API server: %s with %j', async (how, noProxy) => {
    const authority = await createAuthority(Date.now, 'cluster');
    const serving = await issueServingCertificate(authority, { addresses: [HOST] });
    const tls = { cert: serving.certificatePem, key: serving.privateKeyPem };
    const version = createTlsServer(tls, (_, response) => response.end('{"gitVersion":"v1.33.1"}'));
    const port = await listen(version, HOST);
    const cluster = createClusterClient(world, { proxy: { http: proxyUrl, noProxy }, budgetMs: 50 });
    const caData = Buffer.from(authority.certificatePem).toString('base64');
    const address = { server: `https://${HOST}:${port}`, caData };
    expect(await cluster.serverVersion(address, new AbortController().signal)).toBe('v1.33.1');
    expect(seen).toEqual(how === 'directly' ? [] : [`${HOST}:${port}`]);
  });

  test.each([
    ['10.1.2.3', true],
    ['11.1.2.3', false],
    ['[fd00::1]', true],
    ['[fe00::1]', false],
    ['10.example', false],
  ])('contains %s: %s', (host, expected) => {
    const noProxy = ['10.0.0.0/8', 'fd00::/8', '10.0.0.0/99', 'a/b', '.corp.example'];
    expect(isInNoProxyRange(noProxy)(host)).toBe(expected);
  });
});

describe('proxy.http alone', () => {
  test('is the proxy for HTTPS, too, of kubelet and containerd as of the agent', () => {
    const config = sampleConfig({ proxy: { http: 'http://proxy.example:3128' } });
    expect(renderProxyEnvironment(config)).toContain('HTTPS_PROXY="http://proxy.example:3128"\n');
    expect(renderProxyEnvironment(config)).toContain('https_proxy="http://proxy.example:3128"\n');
  });

  test('does not replace proxy.https', () => {
    const proxy = { http: 'http://proxy.example:3128', https: 'http://secure.example:3128' };
    expect(renderProxyEnvironment(sampleConfig({ proxy }))).toContain(
      'HTTPS_PROXY="http://secure.example:3128"\n',
    );
  });
});
