/** What each path answers, one row for each. `wire.ts` describes the JSON. */
import { pipeline } from 'node:stream/promises';
import type { World } from '@chandler/kube';
import { type DashboardQuestions, type PlaygroundQuestions, QuestionError } from '../questions.ts';
import type { ReadModel } from '../read-model.ts';
import type { RecordingSource } from '../recording/recorder.ts';
import type { Snapshots } from '../snapshot.ts';
import { isToken } from '../tokens.ts';
import type { ServerTime, Session, SignIn } from '../wire.ts';
import { readBody } from './body.ts';
import { acceptsGzip, type Exchange, JSON_HEADERS, sendError, sendGzip, sendJson } from './respond.ts';
import { sendRecording } from './send-recording.ts';
import type { StreamStart, Streams } from './stream.ts';

/** A cluster that is read. */
export interface OpenedPage {
  readonly model: ReadModel;
  readonly questions: DashboardQuestions;
  /** Undefined: nothing is recorded. */
  readonly recording?: RecordingSource;
}

export interface Shown extends OpenedPage {
  readonly streams: Streams;
  readonly snapshots: Snapshots;
}

export interface RouteContext {
  readonly world: Pick<World, 'clock' | 'log'>;
  readonly time: () => ServerTime;
  /** What this person may see. */
  readonly page: () => Promise<Shown>;
  readonly signIn: SignIn;
  readonly session: Pick<Session, 'program' | 'cluster' | 'views' | 'recording'>;
  readonly playgroundToken?: string;
  /** Who asks, where several people do. */
  readonly reader?: string;
  /** A stream asks this often whether it may go on; undefined: never. */
  readonly recheckMs?: number;
  /** Asks anew whether this person may look, and at this. */
  readonly mayStillSee: (model: ReadModel) => Promise<boolean>;
  /** One at a time on this server: each takes a processor. */
  readonly simulation: { isRunning: boolean };
}

export type Handle = (context: RouteContext, exchange: Exchange, url: URL) => Promise<void>;

/** Methods of a path. */
export interface Route {
  readonly GET?: Handle;
  readonly POST?: Handle;
}

export function routeOf(path: string): Route | undefined {
  return Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined;
}

// ---------------------------------------------------------------------------------------------------

/** Manifests of some hundred workloads. */
const MAX_MANIFEST_BYTES = 1024 * 1024;
const MAX_WISH_BYTES = 4 * 1024;
const MAX_SUBJECT = 600;
/** Sent beside the token of the page. */
const PLAYGROUND_HEADER = 'x-playground-token';

const ROUTES: Readonly<Record<string, Route>> = {
  '/api/v1/session': asked(({ model }, _, context) => sessionOf(model, context)),
  '/api/v1/snapshot': { GET: sendSnapshot },
  '/api/v1/stream': { GET: openStream },
  '/api/v1/recording': {
    GET: async (context, exchange) => sendRecording(exchange, (await readyPage(context, exchange)).recording),
  },
  '/api/v1/pending': asked(({ questions }) => questions.pending()),
  '/api/v1/claims': asked(({ questions }) => questions.claims()),
  '/api/v1/savings': asked(({ questions }) => questions.savings()),
  '/api/v1/timeline': asked(({ questions }, url) =>
    questions.timeline(timeIn(url, 'from'), timeIn(url, 'to')),
  ),
  '/api/v1/object': asked(({ questions }, url) => questions.object(subjectIn(url))),
  '/api/v1/what-if': { POST: answerWhatIf },
  '/api/v1/playground': {
    ...asked(({ questions }) => playgroundOf(questions).state()),
    POST: changePlayground,
  },
};

type Ask = (shown: Shown, url: URL, context: RouteContext) => unknown;

function asked(question: Ask): Route {
  return {
    GET: async (context, exchange, url) =>
      sendJson(exchange, await question(await readyPage(context, exchange), url, context)),
  };
}

/** @throws {QuestionError} while the first lists are not complete, or when the reader has left meanwhile: nothing tells it later. */
async function readyPage(context: RouteContext, { response }: Exchange): Promise<Shown> {
  const shown = await context.page();
  if (response.destroyed) throw new QuestionError(400, 'the reader has left');
  if (!shown.model.isReady)
    throw new QuestionError(503, 'the cluster is still being read', 'wait a moment and try again');
  return shown;
}

function sessionOf({ log, missing }: ReadModel, { session, signIn, time }: RouteContext): Session {
  return { version: 1, ...session, signIn, epoch: log.epoch, missing, time: time() };
}

async function sendSnapshot(context: RouteContext, exchange: Exchange): Promise<void> {
  const { snapshots } = await readyPage(context, exchange);
  const { request, response } = exchange;
  if (acceptsGzip(request)) return sendGzip(exchange, await snapshots.compressed());
  response.writeHead(200, JSON_HEADERS);
  if (request.method === 'HEAD') response.end();
  else await pipeline(snapshots.pieces(), response);
}

async function openStream(context: RouteContext, exchange: Exchange, url: URL): Promise<void> {
  const { streams, model } = await readyPage(context, exchange);
  if (exchange.request.method === 'HEAD')
    return sendError(exchange, 405, { error: 'HEAD is not possible here' }, { allow: 'GET' });
  const start = startIn(exchange, url);
  if (start === undefined)
    throw new QuestionError(
      400,
      'a stream begins after a number: ?epoch=…&after=…, as the snapshot has them',
    );
  if (streams.isFull(context.reader))
    return sendError(exchange, 429, { error: 'too many streams', cure: 'close other tabs of this page' });
  const { recheckMs: everyMs, mayStillSee } = context;
  streams.open(exchange, start, {
    ...(context.reader === undefined ? {} : { reader: context.reader }),
    ...(everyMs === undefined ? {} : { check: { everyMs, holds: () => mayStillSee(model) } }),
  });
}

/** Where the reader stopped, as it says itself, or as it was asked for. */
function startIn({ request }: Exchange, url: URL): StreamStart | undefined {
  const last = /^([\w-]{1,64}):(\d{1,15})$/.exec(String(request.headers['last-event-id'] ?? ''));
  if (last !== null) return { epoch: last[1]!, after: Number(last[2]) };
  const epoch = url.searchParams.get('epoch') ?? '';
  const after = url.searchParams.get('after') ?? '';
  return /^[\w-]{1,64}$/.test(epoch) && /^\d{1,15}$/.test(after)
    ? { epoch, after: Number(after) }
    : undefined;
}

function timeIn(url: URL, name: string): number | undefined {
  const text = url.searchParams.get(name);
  if (text === null || text === '') return undefined;
  if (!/^\d{1,15}$/.test(text))
    throw new QuestionError(400, `${name} is not a time`, 'use milliseconds since 1970');
  return Number(text);
}

function subjectIn(url: URL): string {
  const subject = url.searchParams.get('subject') ?? '';
  if (subject === '' || subject.length > MAX_SUBJECT)
    throw new QuestionError(400, 'name an object: ?subject=Node/x, Pod/namespace/x, NodePool/x');
  return subject;
}

async function answerWhatIf(context: RouteContext, exchange: Exchange): Promise<void> {
  const text = await readBody(exchange.request, MAX_MANIFEST_BYTES);
  if (text === undefined)
    return sendError(exchange, 413, {
      error: `the manifests are larger than ${MAX_MANIFEST_BYTES / 1024 / 1024} MiB`,
      cure: 'use `chandler simulate -f`',
    });
  if (text.trim() === '') throw new QuestionError(400, 'there are no manifests in the request');
  const shown = await readyPage(context, exchange);
  const { simulation } = context;
  if (simulation.isRunning)
    throw new QuestionError(429, 'another simulation is running', 'wait until it has ended and try again');
  const left = new AbortController();
  const leave = () => left.abort(new Error('the reader has left'));
  exchange.response.once('close', leave);
  simulation.isRunning = true;
  try {
    await sendJson(exchange, await shown.questions.whatIf(text, left.signal));
  } finally {
    simulation.isRunning = false;
    exchange.response.off('close', leave);
  }
}

/** @throws {QuestionError} */
function playgroundOf({ playground }: DashboardQuestions): PlaygroundQuestions {
  if (playground === undefined) throw new QuestionError(404, 'this is not a playground');
  return playground;
}

async function changePlayground(context: RouteContext, exchange: Exchange): Promise<void> {
  const { playgroundToken } = context;
  const { questions, streams } = await readyPage(context, exchange);
  const playground = playgroundOf(questions);
  const given = exchange.request.headers[PLAYGROUND_HEADER];
  if (
    playgroundToken === undefined ||
    !isToken(playgroundToken, typeof given === 'string' ? given : undefined)
  )
    throw new QuestionError(
      403,
      'changes of the playground need its second token',
      'open the address that the playground printed, whole',
    );
  const text = await readBody(exchange.request, MAX_WISH_BYTES);
  if (text === undefined) return sendError(exchange, 413, { error: 'the request is too large' });
  const changed = await playground.change(parsedJson(text));
  // It may have been the speed.
  streams.sendTime();
  await sendJson(exchange, changed);
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new QuestionError(400, 'the request is not JSON');
  }
}
