/**
 * The `Artifacts` of a real run: decides the hash, the path and the order; `download.ts` or `bundle.ts` gets the bytes.
 * A few files are downloaded at a time in the background; the file that a step waits for bypasses that queue.
 */
import type { Fetch, World } from '@chandler/kube';
import type { FlexConfig } from '../config/config.ts';
import { FlexError } from '../flex-error.ts';
import type { Host } from '../host/host.ts';
import type { Architecture, ArtifactRequest, Artifacts, VerifiedFile } from './artifacts.ts';
import { obtainFromBundle } from './bundle.ts';
import { download } from './download.ts';
import { artifactKey } from './known-hash.ts';
import { expectedHash } from './published-checksum.ts';
import { localName, sourcesOf } from './sources.ts';

export const STATE_FOLDER = '/var/lib/chandler-flexnode';
export const DOWNLOADS_FOLDER = `${STATE_FOLDER}/downloads`;

export interface ArtifactOptions {
  readonly config: FlexConfig;
  readonly architecture: Architecture;
  /** Uses the proxy of the config, if any: see `proxiedFetch`. */
  readonly fetch: Fetch;
  readonly say: (message: string, fields?: Readonly<Record<string, string | number>>) => void;
  /**
   * The real host, not one that records for a step: downloads belong to the agent and to no step. Without it,
   * prefetching starts with the first `obtain`, which passes a host.
   */
  readonly host?: Host;
  /** Aborts at the end of the run and stops downloads in progress. */
  readonly signal?: AbortSignal;
}

export function createArtifacts(
  world: World,
  options: ArtifactOptions,
): Artifacts & { stop(): Promise<void> } {
  const ended = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, ended.signal]) : ended.signal;
  const queue = new Queue(MAX_CONCURRENT);
  const begun = new Map<string, Promise<VerifiedFile>>();
  /** Those of `begun` that have failed. */
  const failed = new Set<string>();
  let waiting: ArtifactRequest[] = [];

  const bring = async (request: ArtifactRequest, host: Host): Promise<VerifiedFile> => {
    signal.throwIfAborted();
    const tools = { world, host, fetch: options.fetch, say: options.say, signal };
    const folder = await downloadsFolder(host);
    const { bundle } = options.config.downloads;
    if (bundle !== undefined) return await obtainFromBundle(request, options.config, { ...tools, folder });
    const hash = await expectedHash(request, options.config, tools);
    return await download(
      {
        what: artifactKey(request),
        sources: sourcesOf(request, options.config),
        sha256: hash.sha256,
        path: `${folder}/${localName(request)}`,
      },
      tools,
    );
  };

  const begin = (request: ArtifactRequest, host: Host, urgent: boolean): Promise<VerifiedFile> => {
    const key = artifactKey(request);
    if (urgent) queue.expedite(key);
    // A download in the background may have failed minutes ago: the step that needs the file requests it again.
    if (urgent && failed.delete(key)) begun.delete(key);
    const under = begun.get(key);
    if (under !== undefined) return under;
    const work = queue.add(key, urgent, () => bring(request, host));
    begun.set(key, work);
    // `obtain` reports the error if a step needs the file.
    work.catch(() => {
      if (begun.get(key) === work) failed.add(key);
    });
    return work;
  };

  return {
    prefetch(requests) {
      if (options.host === undefined) waiting.push(...requests);
      else for (const request of requests) void begin(request, options.host, false);
    },
    async obtain(request, host) {
      const machine = options.host ?? host;
      const work = begin(request, machine, true);
      const later = waiting;
      waiting = [];
      for (const other of later) void begin(other, machine, false);
      try {
        return await work;
      } catch (error) {
        begun.delete(artifactKey(request));
        failed.delete(artifactKey(request));
        throw error;
      }
    },
    async discard(host) {
      const machine = options.host ?? host;
      await Promise.allSettled(begun.values());
      begun.clear();
      failed.clear();
      for (const name of await machine.list(DOWNLOADS_FOLDER)) {
        if (!/\.part(?:\.json)?$/.test(name)) await machine.remove(`${DOWNLOADS_FOLDER}/${name}`);
      }
    },
    async stop() {
      waiting = [];
      ended.abort(
        new FlexError({ class: 'signal', code: 'download.stopped', message: 'the download was stopped' }),
      );
      queue.releaseAll();
      await Promise.allSettled(begun.values());
    },
  };
}

// ---------------------------------------------------------------------------------------------------

/** More would take bandwidth from the file that is needed first. */
const MAX_CONCURRENT = 3;

async function downloadsFolder(host: Host): Promise<string> {
  if ((await host.lstat(STATE_FOLDER)) === undefined) await host.makeDirectory(STATE_FOLDER, 0o700);
  await host.makeDirectory(DOWNLOADS_FOLDER, 0o700);
  return DOWNLOADS_FOLDER;
}

/** A FIFO queue with limited concurrency; an expedited task starts immediately. */
class Queue {
  readonly #limit: number;
  #running = 0;
  readonly #waiting = new Map<string, () => void>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  async add<T>(key: string, urgent: boolean, work: () => Promise<T>): Promise<T> {
    if (!urgent && this.#running >= this.#limit) {
      await new Promise<void>((start) => {
        this.#waiting.set(key, start);
      });
    }
    this.#running++;
    try {
      return await work();
    } finally {
      this.#running--;
      this.#next();
    }
  }

  expedite(key: string): void {
    const start = this.#waiting.get(key);
    this.#waiting.delete(key);
    start?.();
  }

  /** Called at the end: each task finds that its signal is aborted. */
  releaseAll(): void {
    for (const key of [...this.#waiting.keys()]) this.expedite(key);
  }

  #next(): void {
    const [first] = this.#waiting;
    if (first === undefined || this.#running >= this.#limit) return;
    this.#waiting.delete(first[0]);
    first[1]();
  }
}
