/**
 * HTTPS on loopback with keep-alive. Reads bodies up to the limit, passes requests to the
 * handler, and streams watches as fast as each client reads; one that does not read is disconnected.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { type CertificateIdentity, peerIdentity, serverCloser } from '@chandler/kube/tls';
import { unauthorized } from './edge/auth/authenticator.ts';
import type { ApiAnswer, ApiRequest, EventStream } from './rest/answer.ts';
import { bodyEncoding, bodyTooLarge, MAX_BODY_BYTES } from './rest/body.ts';
import { errorAnswer, handle } from './rest/handle.ts';
import { targetOf, warningHeader } from './rest/in-process.ts';
import type { Parts } from './rest/parts.ts';

export interface HttpsServerOptions {
  readonly host: string;
  readonly port: number;
  readonly certificatePem: string;
  readonly privateKeyPem: string;
  /** Client certificates of this CA are accepted as identities. */
  readonly caPem: string;
}

export interface HttpsServer {
  readonly url: string;
  close(): Promise<void>;
}

export async function startHttpsServer(parts: Parts, options: HttpsServerOptions): Promise<HttpsServer> {
  // An import of node:https also loads Node's HTTP client: not for a server that is used in the process alone.
  const { createServer } = await import('node:https');
  const server = createServer({
    key: options.privateKeyPem,
    cert: options.certificatePem,
    ca: options.caPem,
    requestCert: true,
    rejectUnauthorized: false,
    keepAlive: true,
    keepAliveInitialDelay: TCP_PROBE_MS,
    noDelay: true,
    maxHeaderSize: MAX_HEADER_BYTES,
  });
  const close = serverCloser(server);
  server.keepAliveTimeout = IDLE_MS;
  server.headersTimeout = HEADERS_MS;
  server.requestTimeout = REQUEST_MS;
  server.maxRequestsPerSocket = 0;
  // The size of the headers is limited; dropping some silently would change what a request means.
  server.maxHeadersCount = 0;
  server.on('request', (request, response) => receive(parts, request, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    refuseGarbage(socket as Socket, error.code),
  );
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  await listening(server, options);
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return { url: `https://${host}:${port}`, close };
}

// ---------------------------------------------------------------------------------------------------

/** A client that disappeared without closing the connection is detected by TCP keep-alive. */
const TCP_PROBE_MS = 15_000;
const IDLE_MS = 120_000;
const HEADERS_MS = 20_000;
/** A request whose body does not arrive times out. */
const REQUEST_MS = 60_000;
const CHUNK_LENGTH = 128 * 1024;
/** As much as Go's server takes; selectors and continue tokens make long addresses. */
const MAX_HEADER_BYTES = 1024 * 1024;

const identities = new WeakMap<object, CertificateIdentity | 'none' | 'unknown'>();

function receive(parts: Parts, request: IncomingMessage, response: ServerResponse): void {
  if (request.httpVersionMajor < 1) {
    refuseGarbage(request.socket);
    return;
  }
  const respond = (body: string) => {
    const api = apiRequest(request, body);
    try {
      send(api, response, answerTo(parts, request, api));
    } catch (error) {
      // The process serves others too: a mistake in one answer ends that answer only.
      const failure = errorAnswer(parts, api, error);
      if (response.headersSent) response.destroy();
      else send(api, response, failure);
    }
  };
  if (request.headers['content-length'] === undefined && request.headers['transfer-encoding'] === undefined) {
    respond('');
    return;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  });
  request.on('end', () => {
    if (bytes > MAX_BODY_BYTES) {
      const api = apiRequest(request, '');
      send(api, response, errorAnswer(parts, api, bodyTooLarge()));
    } else {
      const whole = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      respond(whole.toString(bodyEncoding(request.headers['content-type'])));
    }
  });
  request.on('error', () => response.destroy());
}

function apiRequest(request: IncomingMessage, body: string): ApiRequest {
  return {
    method: request.method ?? 'GET',
    target: targetOf(request.url ?? '/'),
    headers: request.headers as Record<string, string | undefined>,
    // Each group comes in a header of its own; joined by commas they would be one group.
    ...(request.headers['impersonate-user'] === undefined ? {} : { impersonation: request.headersDistinct }),
    body,
  };
}

function answerTo(parts: Parts, request: IncomingMessage, api: ApiRequest): ApiAnswer {
  const identity = identityOf(request.socket as TLSSocket);
  // A certificate of another authority says nothing; a token beside it still counts.
  if (identity === 'unknown' && (request.headers.authorization ?? '') === '')
    return errorAnswer(parts, api, unauthorized());
  return handle(parts, typeof identity === 'string' ? api : { ...api, certificate: identity });
}

/** Read once for each connection. */
function identityOf(socket: TLSSocket): CertificateIdentity | 'none' | 'unknown' {
  let identity = identities.get(socket);
  if (identity === undefined) {
    const peer = socket.getPeerCertificate();
    const presented = peer !== undefined && Object.keys(peer).length > 0;
    identity = !presented ? 'none' : socket.authorized ? (peerIdentity(peer) ?? 'none') : 'unknown';
    identities.set(socket, identity);
  }
  return identity;
}

function send(request: ApiRequest, response: ServerResponse, answer: ApiAnswer): void {
  if (response.destroyed) {
    if (typeof answer.body !== 'string') answer.body.cancel();
    return;
  }
  const headers: Record<string, string | string[]> = {
    'cache-control': 'no-cache, private',
    ...answer.headers,
  };
  if (answer.warnings !== undefined) headers['warning'] = answer.warnings.map(warningHeader);
  if (typeof answer.body !== 'string') {
    response.writeHead(answer.status, headers);
    stream(answer.body, response);
    return;
  }
  const bytes = Buffer.from(answer.body);
  if (answer.status !== 304) headers['content-length'] = String(bytes.length);
  response.writeHead(answer.status, headers);
  response.end(request.method === 'HEAD' || answer.status === 304 ? undefined : bytes);
}

function stream(events: EventStream, response: ServerResponse): void {
  response.flushHeaders();
  let full = false;
  let scheduled = false;
  const flush = () => {
    scheduled = false;
    if (response.destroyed) return;
    if (events.overrun && full) return void response.destroy();
    while (!full) {
      const text = events.take(CHUNK_LENGTH);
      if (text === undefined) break;
      full = !response.write(text);
    }
    if (events.ended) response.end();
  };
  events.onReady(() => {
    if (scheduled) return;
    scheduled = true;
    queueMicrotask(flush);
  });
  response.on('drain', () => {
    full = false;
    flush();
  });
  response.on('close', () => events.cancel());
  flush();
}

/** By the parser's code for what is wrong. */
const REFUSALS: ReadonlyMap<string | undefined, string> = new Map([
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
]);

function refuseGarbage(socket: Socket, code?: string): void {
  if (!socket.writable) return void socket.destroy();
  const status = REFUSALS.get(code) ?? '400 Bad Request';
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${status}`,
  );
}

function listening(server: Server, { host, port }: HttpsServerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}
