/**
 * Serves the app and a fixture world with the paths of `wire.ts`, so that the app can be looked at, tested and measured without a
 * cluster. `node test/page/fixture-server.ts [--world small|huge|empty|hostile|denied]` prints an address to open.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { PlaygroundAnswer, ServerTime, Session } from '../../packages/chandler/src/dashboard/wire.ts';
import { type Asset, bundleApp } from './bundle.ts';
import { objectAnswer, pendingAnswer, savingsAnswer, timelineAnswer, whatIfAnswer } from './world/answers.ts';
import { claimsAnswer } from './world/claims-answer.ts';
import { HOUR_MS, type World } from './world/world.ts';

export const TOKEN = 'fixture-token';
export const PLAYGROUND_TOKEN = 'fixture-playground-token';
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
const EVENTS_PER_SECOND = 10;
const KEPT_EVENTS = 200;
const SEQUENCED = /\/(pending|claims|savings|timeline|object)$/;

export class FixtureServer {
  readonly world: World;
  /** What the views of the session are; a test may take some away. */
  views: Session['views'] = ['cluster', 'pending', 'claims', 'savings', 'timeline', 'what-if', 'playground'];
  /** While it holds, every path of the API is answered with this status. */
  failWith: number | undefined;
  /** Sent as the recording; undefined: the session has none. */
  recording: string | undefined;
  recordingOf: 'live' | 'file' = 'live';
  /** The time of the cluster; undefined: that of the world. */
  time: ServerTime | undefined;
  /** Answers that are given again, by path, as those that take long to make are. */
  readonly kept = new Map<string, unknown>();
  /** Requests so far, by path. */
  readonly requests = new Map<string, number>();
  readonly #server: Server;
  readonly #assets: ReadonlyMap<string, Asset>;
  readonly #streams = new Set<ServerResponse>();
  readonly #past: { before: number; after: number; text: string }[] = [];
  readonly #faults = new Map([
    ['no capacity in zone a', false],
    ['nodes boot slowly', false],
    ['API server drops watches', false],
  ]);
  #running: PlaygroundAnswer['running'] = null;
  #speed = 1;
  #ticker: NodeJS.Timeout | undefined;

  constructor(world: World, assets: ReadonlyMap<string, Asset>) {
    this.world = world;
    this.#assets = assets;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  /** Serves on loopback; the address is without tokens. */
  async listen(port = 0): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Calls `step` ten times a second and sends what it changed. */
  play(step: () => void): void {
    this.#ticker = setInterval(() => {
      step();
      this.send();
    }, 1000 / EVENTS_PER_SECOND);
  }

  pause(): void {
    clearInterval(this.#ticker);
  }

  /** Sends what changed in the world since the last time. */
  send(): void {
    const before = this.world.sequence;
    const changes = this.world.takeChanges();
    if (changes.length === 0) return;
    const text = `id: ${this.world.epoch}:${this.world.sequence}\nevent: changes\ndata: ${JSON.stringify(changes)}\n\n`;
    this.#past.push({ before, after: this.world.sequence, text });
    if (this.#past.length > KEPT_EVENTS) this.#past.shift();
    for (const stream of this.#streams) stream.write(`${this.#timeEvent()}${text}`);
  }

  /** As the heartbeat does. */
  sendTime(): void {
    for (const stream of this.#streams) stream.write(this.#timeEvent());
  }

  /** Ends all streams, as a server that is killed does. */
  cutStreams(): void {
    for (const stream of this.#streams) stream.destroy();
    this.#streams.clear();
  }

  async close(): Promise<void> {
    this.pause();
    this.cutStreams();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, 'http://fixture');
    response.setHeader('content-security-policy', CSP);
    response.setHeader('x-content-type-options', 'nosniff');
    const asset = this.#assets.get(url.pathname);
    if (asset !== undefined) {
      response.writeHead(200, { 'content-type': asset.type }).end(asset.body);
      return;
    }
    this.requests.set(url.pathname, (this.requests.get(url.pathname) ?? 0) + 1);
    if (this.failWith !== undefined) return fail(response, this.failWith, 'the server was told to fail');
    if (request.headers.authorization !== `Bearer ${TOKEN}`)
      return fail(
        response,
        401,
        'the token is missing or wrong',
        'Open the address that the server printed.',
      );
    if (url.pathname === '/api/v1/stream') return this.#stream(url, response);
    if (url.pathname === '/api/v1/recording') {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(this.recording);
      return;
    }
    const body = request.method === 'POST' ? await bodyOf(request) : '';
    const isPlayground = url.pathname === '/api/v1/playground' && request.method === 'POST';
    if (isPlayground && request.headers['x-playground-token'] !== PLAYGROUND_TOKEN)
      return fail(
        response,
        403,
        'faults need the second token',
        'Open the address that the playground printed.',
      );
    const answer = this.kept.get(url.pathname) ?? this.answer(url, body, request.method ?? 'GET');
    if (answer === undefined)
      return fail(response, 404, `nothing is known about ${url.searchParams.get('subject') ?? url.pathname}`);
    const text = JSON.stringify(answer);
    response.writeHead(200, {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'content-encoding': 'gzip',
    });
    response.end(gzipSync(text, { level: 1 }));
  }

  /** What is answered now; of questions that depend on changes with the number of the last one. */
  answer(url: URL, body = '', method = 'GET'): unknown {
    const answer = this.#questions(url, body, method);
    const isSequenced = answer !== undefined && SEQUENCED.test(url.pathname);
    return isSequenced ? { ...(answer as object), sequence: this.world.sequence } : answer;
  }

  #questions(url: URL, body: string, method: string): unknown {
    const number = (name: string, otherwise: number) => Number(url.searchParams.get(name) ?? otherwise);
    const { world } = this;
    switch (url.pathname) {
      case '/api/v1/session':
        return this.#session();
      case '/api/v1/snapshot':
        return world.snapshot();
      case '/api/v1/pending':
        return pendingAnswer(world);
      case '/api/v1/claims':
        return claimsAnswer(world);
      case '/api/v1/savings':
        return savingsAnswer(world);
      case '/api/v1/timeline':
        return timelineAnswer(world, number('from', world.nowMs - 6 * HOUR_MS), number('to', world.nowMs));
      case '/api/v1/object':
        return objectAnswer(world, url.searchParams.get('subject') ?? '');
      case '/api/v1/what-if':
        return whatIfAnswer(body);
      case '/api/v1/playground':
        return this.#playground(method === 'POST' ? body : undefined);
      default:
        return undefined;
    }
  }

  #session(): Session {
    return {
      version: 1,
      program: '0.2.0',
      cluster: 'fixture',
      signIn: 'page',
      epoch: this.world.epoch,
      views: this.views,
      missing: this.world.missing,
      ...(this.recording === undefined ? {} : { recording: this.recordingOf }),
      time: this.#time(),
    };
  }

  #time(): ServerTime {
    return this.time ?? { nowMs: this.world.nowMs, speed: 1 };
  }

  #timeEvent(): string {
    return `event: time\ndata: ${JSON.stringify(this.#time())}\n\n`;
  }

  #stream(url: URL, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.write(this.#timeEvent());
    const after = Number(url.searchParams.get('after'));
    const known = url.searchParams.get('epoch') === this.world.epoch;
    const missed = this.#past.filter(({ before }) => before >= after);
    const complete = after === this.world.sequence || missed[0]?.before === after;
    if (!known || !complete) response.write('event: reset\ndata: {}\n\n');
    else for (const { text } of missed) response.write(text);
    this.#streams.add(response);
    response.on('close', () => this.#streams.delete(response));
  }

  #playground(body: string | undefined): PlaygroundAnswer {
    if (body !== undefined) {
      const asked = JSON.parse(body) as { fault?: string; on?: boolean; scenario?: string; speed?: number };
      if (asked.speed !== undefined) this.#speed = asked.speed;
      if (asked.fault !== undefined) this.#faults.set(asked.fault, asked.on === true);
      if (asked.scenario !== undefined)
        this.#running = {
          scenario: asked.scenario,
          step: 'waits until 12 pods are running',
          outcome: 'running',
        };
    }
    return {
      cloud: 'simulated',
      speed: this.#speed,
      speeds: [1, 10, 100],
      faults: [...this.#faults].map(([name, on]) => ({ name, text: `Fault: ${name}.`, on })),
      scenarios: [
        { name: 'burst', text: '200 pods at once: nodes are launched, then consolidated.' },
        { name: 'spot-interruption', text: 'A spot node is interrupted; its pods move before it ends.' },
        { name: 'zone-outage', text: 'A zone fails; nodes are launched in the others.' },
      ],
      running: this.#running,
    };
  }
}

function fail(response: ServerResponse, status: number, error: string, cure?: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error, ...(cure === undefined ? {} : { cure }) }));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

if (import.meta.main) {
  const { makeWorld } = await import('./world/index.ts');
  const option = process.argv.indexOf('--world');
  const { world, step } = makeWorld(option < 0 ? 'small' : process.argv[option + 1]!);
  const server = new FixtureServer(world, await bundleApp());
  const address = await server.listen(Number(process.env['PORT'] ?? 0));
  server.play(step);
  console.log(`${address}/#token=${TOKEN}&playground=${PLAYGROUND_TOKEN}`);
}
