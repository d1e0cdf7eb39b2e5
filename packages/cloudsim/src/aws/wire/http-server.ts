/**
 * HTTP on loopback: reads bodies up to a limit and passes requests to the gateway. Requests are signed, so there is no TLS;
 * the SDKs take an `http:` endpoint.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Gateway } from './gateway.ts';

export interface HttpServer {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

export async function startHttpServer(
  gateway: Gateway,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<HttpServer> {
  const server = createServer({ keepAlive: true, noDelay: true }, (request, response) =>
    receive(gateway, request, response),
  );
  server.keepAliveTimeout = IDLE_MS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
  const { port: bound } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${name}:${bound}`, port: bound, close: () => closed(server) };
}

// ---------------------------------------------------------------------------------------------------

/** Longer than clients keep an idle connection: one that the server closes first may be lost under a request. */
const IDLE_MS = 65_000;
const MAX_BODY_BYTES = 4 * 1024 * 1024;

function receive(gateway: Gateway, request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const closed = new AbortController();
  response.on('close', () => closed.abort(new Error('the caller closed the connection')));
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
  });
  request.on('error', () => response.destroy());
  request.on('end', () => {
    if (bytes > MAX_BODY_BYTES) {
      response.writeHead(413, { connection: 'close' }).end();
      return;
    }
    gateway
      .handle({
        method: request.method ?? 'GET',
        target: request.url ?? '/',
        headers: request.headers as Record<string, string | undefined>,
        body: Buffer.concat(chunks).toString(),
        signal: closed.signal,
      })
      .then((reply) => {
        if (response.destroyed) return;
        if (reply.cut) return void request.socket.destroy();
        const body = Buffer.from(reply.body);
        response.writeHead(reply.status, { ...reply.headers, 'content-length': String(body.length) });
        response.end(body);
      })
      .catch(() => request.socket.destroy());
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
