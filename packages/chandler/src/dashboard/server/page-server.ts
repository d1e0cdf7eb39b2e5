/**
 * The server of the page: files of the app, rows, the stream, and answers. It only shows: nothing that it is sent changes the
 * cluster or a cloud, the playground apart, whose changes need a second token. `guard.ts` decides from where may be asked,
 * `admission.ts` by whom.
 */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, isApiError, TransportError, type World, withoutSecrets } from '@chandler/kube';
import type { Assets } from '../page-assets.ts';
import { QuestionError } from '../questions.ts';
import type { Session } from '../wire.ts';
import { type Admission, isRefusal, ownToken, type Refusal } from './admission.ts';
import { type HostNames, LOOPBACK_NAMES, refusesPlace } from './guard.ts';
import { SECURITY_HEADERS } from './headers.table.ts';
import { type Exchange, send, sendError } from './respond.ts';
import { type OpenedPage, type RouteContext, routeOf } from './routes.ts';
import { ShownPages } from './shown-pages.ts';

export interface PageServerOptions {
  readonly world: Pick<World, 'clock' | 'log'>;
  /** How much faster than its timers the clock shows the time; it may change. Default 1. */
  readonly speed?: () => number;
  readonly assets: () => Promise<Assets>;
  readonly session: Pick<Session, 'program' | 'cluster' | 'views' | 'recording'>;
  /** Who sends it besides may change the playground. Undefined: nothing can be changed. */
  readonly playgroundToken?: string;
  /** 0: any that is free. */
  readonly port: number;
}

/** For the person who started it: on loopback, and nowhere else. */
export interface OwnPageOptions extends PageServerOptions {
  /** What is shown; opened when somebody asks for the first time. */
  readonly open: () => Promise<OpenedPage>;
  /** Who sends it may look. */
  readonly token: string;
}

/** For several people, each of whom may see something else. */
export interface SharedPageOptions extends PageServerOptions {
  readonly admission: Admission;
  /** An IP address. */
  readonly address: string;
  /** Names of the page besides those of loopback, each with a port or without. */
  readonly hosts: HostNames;
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
export async function startPageServer(options: OwnPageOptions): Promise<PageServer> {
  const { world, token, playgroundToken: second } = options;
  const open = once(options.open);
  const admission = ownToken({ clock: world.clock, token, open });
  const { port, close } = await listen(options, admission, LOOPBACK, ownNames);
  const url = `http://${ownNames(port)[0]}/`;
  const address = `${url}#token=${token}${second === undefined ? '' : `&playground=${second}`}`;
  return { port, url, address, close };
}

/** @throws when the address and port cannot be listened on. */
export async function startSharedPage(
  options: SharedPageOptions,
): Promise<Pick<PageServer, 'port' | 'close'>> {
  const hosts = [...options.hosts.map((host) => host.toLowerCase()), ...LOOPBACK_NAMES];
  return listen(options, options.admission, options.address, () => hosts);
}

// ---------------------------------------------------------------------------------------------------

const LIMITS = {
  requestTimeout: 30_000,
  headersTimeout: 10_000,
  keepAliveTimeout: 30_000,
  // Tokens of an identity provider are long.
  maxHeaderSize: 16_384,
};
const MAX_CONNECTIONS = 100;
const CLOSE_MS = 1_000;

const LOOPBACK = '127.0.0.1';

interface ServerContext extends PageServerOptions {
  readonly admission: Admission;
  readonly shown: ShownPages;
  readonly simulation: RouteContext['simulation'];
  readonly time: RouteContext['time'];
}

async function listen(
  options: PageServerOptions,
  admission: Admission,
  address: string,
  namesOn: (port: number) => HostNames,
): Promise<Pick<PageServer, 'port' | 'close'>> {
  const { createServer } = await import('node:http');
  const { world, speed = () => 1 } = options;
  const time = () => ({ nowMs: world.clock.now(), speed: speed() });
  const shown = new ShownPages(world.clock, time);
  const context: ServerContext = { ...options, time, admission, shown, simulation: { isRunning: false } };
  let hosts: HostNames = [];
  const server = createServer(LIMITS, (request, response) => {
    const exchange = { request, response };
    answer(context, hosts, exchange).catch((error: unknown) => fail(options, exchange, error));
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('clientError', (_, socket) => socket.destroy());
  await listening(server, options.port, address);
  const { port } = server.address() as AddressInfo;
  hosts = namesOn(port);
  return { port, close: () => closed(server, () => shown.endStreams(), world.clock) };
}

/** Names under which a browser on this machine reaches it; it leaves the port of the scheme away. */
function ownNames(port: number): HostNames {
  return [LOOPBACK, 'localhost', '[::1]'].flatMap((name) =>
    port === 80 ? [name, `${name}:80`] : [`${name}:${port}`],
  );
}

/** What was opened once is not opened again, unless it failed. */
function once(open: () => Promise<OpenedPage>): () => Promise<OpenedPage> {
  let opened: Promise<OpenedPage> | undefined;
  return () => {
    opened ??= open();
    opened.catch(() => {
      opened = undefined;
    });
    return opened;
  };
}

async function answer(context: ServerContext, hosts: HostNames, exchange: Exchange): Promise<void> {
  const { request } = exchange;
  const place = refusesPlace(hosts, request);
  if (place !== undefined) return refuse(exchange, place);
  const url = parsed(request.url);
  if (url === undefined) return sendError(exchange, 400, { error: 'the path cannot be read' });
  if (!url.pathname.startsWith('/api/')) return sendAsset(context, exchange, url.pathname);
  const admitted = await context.admission.admit(request.headers);
  if (isRefusal(admitted)) return refuse(exchange, admitted);
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
  const { admission, shown } = context;
  const { recheckMs } = admitted;
  await handle(
    {
      ...context,
      signIn: admission.signIn,
      page: async () => shown.of(await admitted.open()),
      ...(recheckMs === undefined ? {} : { recheckMs }),
      ...(admitted.reader === undefined ? {} : { reader: admitted.reader }),
      async mayStillSee(model) {
        const again = await admission.admit(request.headers);
        return !isRefusal(again) && (await again.open()).model === model;
      },
    },
    exchange,
    url,
  );
}

function refuse(exchange: Exchange, { status, ...error }: Refusal): void {
  sendError(exchange, status, error, status === 429 ? { 'retry-after': '1' } : {});
}

function parsed(path: string | undefined): URL | undefined {
  return path?.startsWith('/') === true && URL.canParse(path, 'http://page')
    ? new URL(`http://page${path}`)
    : undefined;
}

async function sendAsset({ assets }: PageServerOptions, exchange: Exchange, path: string): Promise<void> {
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
function fail({ world }: PageServerOptions, exchange: Exchange, error: unknown): void {
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

function listening(server: Server, port: number, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, () => {
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
