/**
 * HTTPS on loopback, with a certificate of a CA created for this server. Reads bodies up
 * to the limit and passes requests to the gateway; malformed requests are rejected before.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAuthority, issueServingCertificate, serverCloser } from '@chandler/kube/tls';
import { type Gateway, MAX_BODY_BYTES } from './gateway.ts';

export interface HttpsServerOptions {
  readonly host: string;
  readonly port: number;
  readonly now: () => number;
}

export interface HttpsServer {
  readonly url: string;
  readonly port: number;
  readonly caPem: string;
  close(): Promise<void>;
}

export async function startHttpsServer(gateway: Gateway, options: HttpsServerOptions): Promise<HttpsServer> {
  const authority = await createAuthority(options.now, 'chandler playground');
  const addresses = [
    ...new Set(['127.0.0.1', '::1', ...(/^[\d.]+$|:/.test(options.host) ? [options.host] : [])]),
  ];
  const serving = await issueServingCertificate(authority, { names: ['localhost'], addresses });
  const server = createServer({
    key: serving.privateKeyPem,
    cert: serving.certificatePem,
    keepAlive: true,
    noDelay: true,
  });
  const close = serverCloser(server);
  server.keepAliveTimeout = IDLE_MS;
  server.headersTimeout = HEADERS_MS;
  server.requestTimeout = REQUEST_MS;
  await listening(server, options);
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  const url = `https://${host}:${port}`;
  server.on('request', (request, response) => receive(gateway, url, request, response));
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n');
  });
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return { url, port, caPem: authority.certificatePem, close };
}

// ---------------------------------------------------------------------------------------------------

const IDLE_MS = 120_000;
const HEADERS_MS = 20_000;
const REQUEST_MS = 60_000;

function receive(gateway: Gateway, ownUrl: string, request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  });
  request.on('error', () => response.destroy());
  request.on('end', () => {
    const tooLarge = bytes > MAX_BODY_BYTES;
    void gateway
      .handle({
        method: request.method ?? 'GET',
        target: request.url ?? '/',
        headers: request.headers as Record<string, string | undefined>,
        body: tooLarge ? '' : Buffer.concat(chunks).toString(),
        baseUrl: baseUrlOf(request.headers.host, ownUrl),
        ...(tooLarge ? { tooLarge } : {}),
      })
      .then((reply) => {
        if (response.destroyed) return;
        if (reply.cut) return void request.socket.destroy();
        const body = Buffer.from(reply.body);
        const length = reply.status === 204 ? {} : { 'content-length': String(body.length) };
        response.writeHead(reply.status, { ...reply.headers, ...length });
        response.end(request.method === 'HEAD' ? undefined : body);
      })
      .catch(() => request.socket.destroy());
  });
}

/** Links use the address that the caller used, if that is a plain host name. */
function baseUrlOf(host: string | undefined, ownUrl: string): string {
  return host !== undefined && /^[\w.[\]:-]{1,255}$/.test(host) ? `https://${host}` : ownUrl;
}

function listening(server: Server, options: HttpsServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}
