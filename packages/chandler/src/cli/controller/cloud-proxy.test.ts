import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, connect, createServer as createTcp, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fetch } from '@chandler/kube';
import { createAuthority, issueServingCertificate } from '@chandler/kube/tls';
import { afterEach, describe, expect, test } from 'vitest';
import { cloudWire } from './cloud-wire.ts';

const NO_CA = { path: '', flag: 'arm-ca-file' };

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port;
}

/** Azure with an authority of its own, which only the proxy can find. */
async function behindProxy() {
  const authority = await createAuthority(Date.now, 'own authority');
  const names = ['management.example', 'bootstrap.example'];
  const served = await issueServingCertificate(authority, { names });
  const azure = createHttps({ cert: served.certificatePem, key: served.privateKeyPem }, (request, response) =>
    response.end(`${request.method} ${request.headers.host}${request.url}`),
  );
  const at = await listen(azure);
  const tunnels: string[] = [];
  const proxy = createHttp((request, response) => {
    tunnels.push(`${request.method} ${request.url}`);
    response.end('by the proxy');
  });
  proxy.on('connect', (request, socket) => {
    tunnels.push(`CONNECT ${request.url}`);
    const onward = connect(at, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    for (const end of [onward, socket]) end.on('error', () => undefined);
  });
  const dir = mkdtempSync(join(tmpdir(), 'azure-proxy-'));
  cleanups.push(() => rmSync(dir, { recursive: true }));
  const caFile = join(dir, 'ca.pem');
  writeFileSync(caFile, authority.certificatePem);
  return { caFile, tunnels, proxy: `http://127.0.0.1:${await listen(proxy)}` };
}

const direct: Fetch = async (input) => new Response(`straight to ${String(input)}`);

function opened(...[usual, caFile, env]: Parameters<typeof cloudWire>) {
  const wire = cloudWire(usual, caFile, env);
  cleanups.push(() => wire.close());
  return wire;
}

describe('where only a proxy leads to Azure', () => {
  test('calls go through the one of the environment, with the authority of arm-ca-file', async () => {
    const { caFile, tunnels, proxy } = await behindProxy();
    const { fetch, fetchWithBody } = opened(
      direct,
      { path: caFile, flag: 'arm-ca-file' },
      { HTTPS_PROXY: proxy },
    );
    const answer = await fetch('https://management.example/subscriptions', { method: 'GET' });
    expect(await answer.text()).toBe('GET management.example/subscriptions');
    const got = await fetchWithBody('https://bootstrap.example/bootstrap', { method: 'GET', body: '{}' });
    expect(await got.text()).toBe('GET bootstrap.example/bootstrap');
    expect(tunnels).toEqual(['CONNECT management.example:443', 'CONNECT bootstrap.example:443']);
  });

  test('a SOCKS proxy is spoken to as such, not over TLS', async () => {
    const first = Promise.withResolvers<number | undefined>();
    const socks = createTcp((socket) => {
      socket.once('data', (bytes) => {
        first.resolve(bytes[0]);
        socket.destroy();
      });
      socket.on('error', () => undefined);
    });
    const { caFile } = await behindProxy();
    const { fetch } = opened(
      direct,
      { path: caFile, flag: 'arm-ca-file' },
      { HTTPS_PROXY: `socks5://127.0.0.1:${await listen(socks)}` },
    );
    await expect(fetch('https://management.example/')).rejects.toThrow();
    expect(await first.promise).toBe(5);
  });

  test('they do so without arm-ca-file, too', async () => {
    const { tunnels, proxy } = await behindProxy();
    const { fetch, fetchWithBody } = opened(direct, NO_CA, { https_proxy: proxy });
    // The system does not know the authority; what matters is the way.
    await expect(fetch('https://management.example/')).rejects.toThrow();
    await expect(fetchWithBody('https://bootstrap.example/')).rejects.toThrow();
    expect(tunnels).toEqual(['CONNECT management.example:443', 'CONNECT bootstrap.example:443']);
  });

  test('what NO_PROXY names and the metadata service of the machine are asked directly', async () => {
    const { tunnels, proxy } = await behindProxy();
    const env = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, NO_PROXY: '.example' };
    const { fetch } = opened(direct, NO_CA, env);
    for (const url of ['https://management.example/', 'http://169.254.169.254/metadata'])
      expect(await (await fetch(url)).text()).toBe(`straight to ${url}`);
    expect(tunnels).toEqual([]);
    expect(await (await fetch('http://prices.test/')).text()).toBe('by the proxy');
    expect(tunnels).toEqual(['GET http://prices.test/']);
  });

  test('a proxy that is no address is named at the start', () => {
    expect(() => cloudWire(direct, NO_CA, { HTTPS_PROXY: 'ftp://x' })).toThrow(
      'HTTPS_PROXY is not the address of a proxy',
    );
    expect(() => cloudWire(direct, NO_CA, { HTTPS_PROXY: 'ftp://x' })).toThrow(
      expect.objectContaining({ name: 'Failure' }),
    );
  });
});
