/** A server of the page over a model that is filled by hand, and requests with any headers. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { TransportError } from '@chandler/kube';
import { realTimeWorld } from '@chandler/kube/testing';
import { aNode, aPod, TestModel } from '../dashboard.fixture.ts';
import { pageAssets } from '../page-assets.ts';
import { type DashboardQuestions, QuestionError } from '../questions.ts';
import { type PageServer, startPageServer } from './page-server.ts';

export const TOKEN = 'a-token-of-the-page';
export const SECOND_TOKEN = 'a-token-of-the-playground';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** False: no token is sent. */
  readonly token?: boolean;
}

export interface TestServer {
  readonly server: PageServer;
  readonly made: TestModel<ReturnType<typeof realTimeWorld>>;
  ask(path: string, how?: Ask): Promise<Answer>;
}

const QUESTIONS: DashboardQuestions = {
  pending: async () => ({ atMs: 1, sequence: 0, groups: [], further: 0 }),
  claims: () => Promise.reject(new TransportError('unreachable', 'GET /api/v1/nodes: connect ECONNREFUSED')),
  savings: () => Promise.reject(new Error('a bug with a password=hunter2')),
  timeline: async (fromMs = 0, toMs = 1) => ({ fromMs, toMs, sequence: 0, happened: [], prices: [] }),
  object: (subject) => Promise.reject(new QuestionError(404, `there is no ${subject}`)),
  whatIf: async (manifests, signal) => {
    // One that takes long, until its reader leaves.
    if (manifests === 'slow') await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return {
      nodes: [],
      onExisting: manifests.length,
      pricePerHour: null,
      refused: [],
      pendingBefore: { pods: 0, refused: 0, nodes: 0, pricePerHour: 0 },
      problems: [],
    };
  },
};
const PLAYGROUND = { cloud: 'x', speed: 1, speeds: [1], faults: [], scenarios: [], running: null };

export async function withServer(use: (server: TestServer) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-page-'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><script src="main.js" type="module"></script>');
  writeFileSync(join(folder, 'main.tsx'), 'document.title = "page";\n');
  writeFileSync(join(folder, 'style.css'), 'body { color: black }\n');
  const made = new TestModel(realTimeWorld());
  made.put(made.nodes, aNode('n1'));
  made.put(made.pods, aPod('web-1', 'n1'));
  await made.model.start();
  let speed = 1;
  const playground = {
    state: async () => PLAYGROUND,
    change: async () => {
      speed = 2;
      return { ...PLAYGROUND, speed };
    },
  };
  const server = await startPageServer({
    open: async () => ({ model: made.model, questions: { ...QUESTIONS, playground } }),
    world: made.world,
    speed: () => speed,
    assets: pageAssets(folder),
    session: { program: '1.0.0', cluster: 'test', views: ['cluster'] },
    token: TOKEN,
    playgroundToken: SECOND_TOKEN,
    port: 0,
  });
  try {
    await use({ server, made, ask: (path, how) => asked(server.port, path, how) });
  } finally {
    await server.close();
    made.model.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A stream, and the events that it has sent so far. */
export class TestStream {
  readonly events: string[] = [];
  text = '';
  status = 0;
  readonly ended: Promise<void>;
  readonly #request;

  constructor(port: number, path: string, headers: Readonly<Record<string, string>> = {}) {
    this.#request = request({
      port,
      host: '127.0.0.1',
      path,
      headers: { authorization: `Bearer ${TOKEN}`, ...headers },
    });
    this.ended = new Promise((resolve) => {
      this.#request.on('error', () => resolve());
      this.#request.on('response', (response) => {
        this.status = response.statusCode ?? 0;
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          this.text += chunk;
        });
        response.on('close', () => resolve());
      });
    });
    this.#request.end();
  }

  async until(holds: (text: string) => boolean): Promise<void> {
    while (!holds(this.text)) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  leave(): void {
    this.#request.destroy();
  }
}

// ---------------------------------------------------------------------------------------------------

function asked(port: number, path: string, { method = 'GET', headers = {}, body, token = true }: Ask = {}) {
  return new Promise<Answer>((resolve, reject) => {
    const sent = request(
      {
        port,
        host: '127.0.0.1',
        path,
        method,
        headers: { ...(token ? { authorization: `Bearer ${TOKEN}` } : {}), ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const isCompressed = response.headers['content-encoding'] === 'gzip' && bytes.length > 0;
          const text = (isCompressed ? gunzipSync(bytes) : bytes).toString('utf8');
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
