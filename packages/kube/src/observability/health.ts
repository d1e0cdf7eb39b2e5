/**
 * What the platform asks the process: is it alive, is it ready, what are its numbers. Routes are plain functions;
 * the server around them answers GET and HEAD and nothing else.
 */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Answer {
  readonly status: number;
  /** As a whole, or piece by piece. */
  readonly body: string | AsyncIterable<string>;
  readonly contentType?: string;
}

export type Routes = Readonly<Record<string, (url: URL) => Promise<Answer> | Answer>>;

/** Throws or rejects when the check fails. */
export type Check = () => Promise<void> | void;

/** `/healthz` and `/readyz`, each also by check (`/readyz/crd`), as controller-runtime serves them. */
export function healthRoutes(checks: {
  readonly live?: Readonly<Record<string, Check>>;
  readonly ready?: Readonly<Record<string, Check>>;
}): Routes {
  return { ...checkRoutes('healthz', checks.live ?? {}), ...checkRoutes('readyz', checks.ready ?? {}) };
}

export function metricsRoutes(metrics: {
  readonly contentType: string;
  pieces(): AsyncIterable<string>;
}): Routes {
  return {
    '/metrics': () => ({ status: 200, body: metrics.pieces(), contentType: metrics.contentType }),
  };
}

export interface HttpServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Listens until closed. Port 0 takes any that is free. */
export async function serve(options: { routes: Routes; port: number; host?: string }): Promise<HttpServer> {
  // An import of node:http also loads Node's HTTP client: not for commands that serve nothing.
  const { createServer } = await import('node:http');
  const server = createServer((request, response) => {
    answer(options.routes, request).then(
      (found) => send(response, request, found),
      // The error is not part of the response: clients of the health endpoint need not know internals.
      () => send(response, request, { status: 500, body: 'internal error\n' }),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  // For example too many open files: an unanswered probe must not end the process.
  server.on('error', () => undefined);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

// ------------------------------------------------------------------------------------------------

function checkRoutes(path: string, checks: Readonly<Record<string, Check>>): Routes {
  const all = Object.entries({ ping: () => undefined, ...checks });
  const routes: Record<string, (url: URL) => Promise<Answer>> = {
    [`/${path}`]: (url) => runChecks(path, all, url.searchParams.has('verbose')),
  };
  for (const [name, check] of all) {
    routes[`/${path}/${name}`] = (url) => runChecks(path, [[name, check]], url.searchParams.has('verbose'));
  }
  return routes;
}

async function runChecks(
  path: string,
  checks: readonly [string, Check][],
  verbose: boolean,
): Promise<Answer> {
  const lines = await Promise.all(
    checks.map(async ([name, check]) => {
      try {
        await check();
        return { well: true, line: `[+]${name} ok` };
      } catch {
        return { well: false, line: `[-]${name} failed: reason withheld` };
      }
    }),
  );
  const text = lines.map(({ line }) => `${line}\n`).join('');
  if (!lines.every(({ well }) => well)) return { status: 500, body: `${text}${path} check failed\n` };
  return { status: 200, body: verbose ? `${text}${path} check passed\n` : 'ok' };
}

async function answer(routes: Routes, request: IncomingMessage): Promise<Answer> {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return { status: 405, body: 'method not allowed\n' };
  const url = new URL(request.url ?? '/', 'http://localhost');
  const route = Object.hasOwn(routes, url.pathname) ? routes[url.pathname] : undefined;
  return route ? route(url) : { status: 404, body: '404 page not found\n' };
}

function send(response: ServerResponse, request: IncomingMessage, found: Answer): void {
  const { body } = found;
  response.writeHead(found.status, {
    'content-type': found.contentType ?? 'text/plain; charset=utf-8',
    ...(typeof body === 'string' ? { 'content-length': Buffer.byteLength(body) } : {}),
    'x-content-type-options': 'nosniff',
  });
  if (request.method === 'HEAD') response.end();
  else if (typeof body === 'string') response.end(body);
  // Writing stops when the client disconnects. An error half way aborts the response.
  else sendPieces(response, body).catch(() => response.destroy());
}

/** Writes no faster than the client reads, so that a slow client costs no memory. */
async function sendPieces(response: ServerResponse, pieces: AsyncIterable<string>): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  for await (const piece of pieces) {
    if (gone.signal.aborted) return;
    if (!response.write(piece)) await once(response, 'drain', { signal: gone.signal });
  }
  response.end();
}
