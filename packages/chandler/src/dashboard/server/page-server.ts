/**
 * The server of the page: files of the app, rows, the stream, and answers. It only shows: nothing that it is sent changes the
 * cluster or a cloud, the playground apart, whose changes need a second token. `guard.ts` decides who may ask.
 */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, isApiError, TransportError, type World, withoutSecrets } from '@chandler/kube';
import type { Assets } from '../page-assets.ts';
import { QuestionError } from '../questions.ts';
import { Snapshots } from '../snapshot.ts';
import type { Session } from '../wire.ts';
import { Guard, type Refusal } from './guard.ts';
import { SECURITY_HEADERS } from './headers.table.ts';
import { type Exchange, send, sendError } from './respond.ts';
import { type OpenedPage, type RouteContext, routeOf, type Shown } from './routes.ts';
import { Streams } from './stream.ts';

export interface PageServerOptions {
  readonly world: Pick<World, 'clock' | 'log'>;
  /** What is shown; opened when somebody asks for the first time. */
  readonly open: () => Promise<OpenedPage>;
  readonly assets: () => Promise<Assets>;
  readonly session: Pick<Session, 'program' | 'cluster' | 'views' | 'recording'>;
  /** Who sends it may look. */
  readonly token: string;
  /** Who sends it besides may change the playground. Undefined: nothing can be changed. */
  readonly playgroundToken?: string;
  /** 0: any that is free. */
  readonly port: number;
}

export interface PageServer {
  readonly port: number;
  /** `http://127.0.0.1:8080/`, without a token. */
  readonly url: string;
  /** With the tokens, in the fragment: a browser does not send it, so no log has it. */
  readonly address: string;
  close(): Promise<void>;
}

/** Listens on loopback, and nowhere else. @throws when the port cannot be listened on. */
export async function startPageServer(options: PageServerOptions): Promise<PageServer> {
  const { createServer } = await import('node:http');
  const { port, world } = options;
  let guard: Guard | undefined;
  let shown: Promise<Shown> | undefined;
  let streams: Streams | undefined;
  const show = async (): Promise<Shown> => {
    const opened = await options.open();
    streams = new Streams(opened.model.log, world.clock);
    return { ...opened, streams, snapshots: new Snapshots(opened.model, world.clock) };
  };
  const context: RouteContext = {
    ...options,
    shown: () => {
      shown ??= show();
      // The next request tries again.
      shown.catch(() => {
        shown = undefined;
      });
      return shown;
    },
  };
  const server = createServer(LIMITS, (request, response) => {
    const exchange = { request, response };
    answer(context, guard!, exchange).catch((error: unknown) => fail(context, exchange, error));
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('clientError', (_, socket) => socket.destroy());
  await listening(server, port);
  const actual = (server.address() as AddressInfo).port;
  const hosts = hostsOf(actual);
  guard = new Guard({ clock: world.clock, hosts, token: options.token });
  const url = `http://${hosts[0]}/`;
  const second = options.playgroundToken;
  return {
    port: actual,
    url,
    address: `${url}#token=${options.token}${second === undefined ? '' : `&playground=${second}`}`,
    close: () => closed(server, () => streams?.end(), world.clock),
  };
}

// ---------------------------------------------------------------------------------------------------

const LIMITS = {
  requestTimeout: 30_000,
  headersTimeout: 10_000,
  keepAliveTimeout: 30_000,
  maxHeaderSize: 8_192,
};
const MAX_CONNECTIONS = 100;
const CLOSE_MS = 1_000;

const LOOPBACK = '127.0.0.1';

/** Names under which a browser on this machine reaches it; it leaves the port of the scheme away. */
function hostsOf(port: number): readonly string[] {
  return [LOOPBACK, 'localhost', '[::1]'].flatMap((name) =>
    port === 80 ? [name, `${name}:80`] : [`${name}:${port}`],
  );
}

async function answer(context: RouteContext, guard: Guard, exchange: Exchange): Promise<void> {
  const { request } = exchange;
  const place = guard.refusesPlace(request);
  if (place !== undefined) return refuse(exchange, place);
  const url = parsed(request.url);
  if (url === undefined) return sendError(exchange, 400, { error: 'the path cannot be read' });
  if (!url.pathname.startsWith('/api/')) return sendAsset(context, exchange, url.pathname);
  const caller = guard.refusesCaller(request.headers);
  if (caller !== undefined) return refuse(exchange, caller);
  const route = routeOf(url.pathname);
  if (route === undefined) return sendError(exchange, 404, { error: 'there is nothing at this path' });
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
  const handle = method === 'GET' || method === 'POST' ? route[method] : undefined;
  if (handle === undefined)
    return sendError(
      exchange,
      405,
      { error: `${method} is not possible here` },
      { allow: Object.keys(route).join(', ') },
    );
  await handle(context, exchange, url);
}

function refuse(exchange: Exchange, { status, ...error }: Refusal): void {
  sendError(exchange, status, error, status === 429 ? { 'retry-after': '1' } : {});
}

function parsed(path: string | undefined): URL | undefined {
  return path?.startsWith('/') === true && URL.canParse(path, 'http://page')
    ? new URL(`http://page${path}`)
    : undefined;
}

async function sendAsset({ assets }: RouteContext, exchange: Exchange, path: string): Promise<void> {
  const { request } = exchange;
  const asset = (await assets()).get(path);
  if (asset === undefined) return sendError(exchange, 404, { error: 'there is nothing at this path' });
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return sendError(exchange, 405, { error: `${request.method} is not possible here` }, { allow: 'GET' });
  const headers = {
    ...SECURITY_HEADERS,
    'content-type': asset.type,
    etag: asset.tag,
    'cache-control': 'no-cache',
  };
  if (request.headers['if-none-match'] === asset.tag) return send(exchange, 304, headers, Buffer.alloc(0));
  send(exchange, 200, headers, asset.body);
}

/** An answer that cannot be given is the answer, as is an API server that gives none; anything else is a bug, which the reader is not told. */
function fail({ world }: RouteContext, exchange: Exchange, error: unknown): void {
  if (error instanceof QuestionError) {
    const { status, message, cure } = error;
    sendError(exchange, status, {
      error: withoutSecrets(message),
      ...(cure === undefined ? {} : { cure }),
    });
    return;
  }
  if (isApiError(error) || error instanceof TransportError) {
    const isDenied = isApiError(error, 'forbidden');
    sendError(exchange, isDenied ? 403 : 503, {
      error: withoutSecrets(error.message),
      cure: isDenied
        ? 'ask for a role that permits it, and start the page again'
        : 'check the connection to the API server',
    });
    return;
  }
  // The client is gone.
  if (exchange.response.destroyed) return;
  world.log.error('the page could not answer', {
    path: exchange.request.url?.split('?', 1)[0],
    error: String(error),
  });
  sendError(exchange, 500, { error: 'the page could not answer', cure: 'its log says why' });
  if (exchange.response.headersSent) exchange.response.destroy();
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, LOOPBACK, () => {
      server.off('error', reject);
      // For example too many open files: it must not end the process.
      server.on('error', () => undefined);
      resolve();
    });
  });
}

/** Streams are ended, not cut. What is not read or answered in time is. */
function closed(server: Server, endStreams: () => void, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.after(CLOSE_MS, () => server.closeAllConnections());
    server.close(() => {
      timer.cancel();
      resolve();
    });
    endStreams();
  });
}
