/**
 * Downloads one file from the first source that has it. The file is hashed while it streams, resumed after a broken
 * connection, and returned only if it has the expected hash. `http-answer.ts` interprets the responses; the caller
 * decides the sources and the hash.
 */
import { createHash, type Hash } from 'node:crypto';
import type { Fetch, World } from '@chandler/kube';
import { FlexError } from '../flex-error.ts';
import type { Host } from '../host/host.ts';
import type { VerifiedFile } from './artifacts.ts';
import { ask, type Body, type Refusal, withoutQuery } from './http-answer.ts';

export interface DownloadWish {
  /** `containerd/1.7.20/amd64`. */
  readonly what: string;
  readonly sources: readonly string[];
  readonly sha256: string;
  /** The path of the complete file; until then `.part` and `.part.json` are next to it. */
  readonly path: string;
  /** Default 1 GiB. */
  readonly maxBytes?: number;
}

export interface DownloadTools {
  readonly world: World;
  readonly host: Host;
  readonly fetch: Fetch;
  readonly signal: AbortSignal;
  readonly say: (message: string, fields?: Readonly<Record<string, string | number>>) => void;
}

export async function download(wish: DownloadWish, tools: DownloadTools): Promise<VerifiedFile> {
  const kept = await keptFile(wish, tools);
  if (kept !== undefined) return kept;
  const refusals: Refusal[] = [];
  for (const source of wish.sources) {
    const outcome = await fromSource(source, wish, tools);
    if ('path' in outcome) return outcome;
    refusals.push(outcome);
    tools.say(`download of ${wish.what} from ${withoutQuery(source)} failed: ${outcome.text}`);
  }
  throw allRefused(wish, refusals);
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

// ---------------------------------------------------------------------------------------------------

const MAX_BYTES = 2 ** 30;
const ATTEMPTS = 5;
const MIN_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 120_000;

/** The origin of a partial file, so that parts of two different files are never combined. */
interface PartOrigin {
  readonly source: string;
  /** The ETag or Last-Modified date that the server sent for exactly these bytes. */
  readonly validator?: string;
}

async function keptFile(wish: DownloadWish, tools: DownloadTools): Promise<VerifiedFile | undefined> {
  const bytes = await tools.host.readFile(wish.path);
  if (bytes === undefined) return undefined;
  if (sha256Of(bytes) === wish.sha256) {
    return { path: wish.path, sha256: wish.sha256, bytes: bytes.length, from: wish.path };
  }
  await tools.host.remove(wish.path);
  return undefined;
}

async function fromSource(
  source: string,
  wish: DownloadWish,
  tools: DownloadTools,
): Promise<VerifiedFile | Refusal> {
  let refusal: Refusal | undefined;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    tools.signal.throwIfAborted();
    const outcome = await attemptOnce(source, wish, tools);
    if ('path' in outcome) return outcome;
    refusal = outcome;
    if (outcome.again === 'never' || attempt === ATTEMPTS) break;
    if (outcome.again === 'at-once') continue;
    const pauseMs = Math.min(outcome.afterMs ?? MIN_BACKOFF_MS * 2 ** (attempt - 1), MAX_BACKOFF_MS);
    await tools.world.clock.sleep(pauseMs, tools.signal);
  }
  return refusal!;
}

async function attemptOnce(
  source: string,
  wish: DownloadWish,
  tools: DownloadTools,
): Promise<VerifiedFile | Refusal> {
  const part = await openPart(source, wish, tools.host);
  if (part.sha256 === wish.sha256) return await finish(wish, tools.host, part.bytes, source);
  const answer = await ask(
    source,
    { from: part.bytes, ...(part.validator === undefined ? {} : { validator: part.validator }) },
    tools,
  );
  if (answer.kind === 'refused') {
    if (answer.refusal.code === 'range-refused') await dropPart(wish, tools.host);
    return answer.refusal;
  }
  const tooMuch = await tooLarge(answer.body, wish, tools.host);
  if (tooMuch !== undefined) {
    await answer.body.cancel();
    return tooMuch;
  }
  const resumed = part.bytes > 0 && answer.body.resumed;
  return await store(source, wish, tools, answer.body, resumed ? part : NOTHING);
}

interface Part {
  readonly bytes: number;
  readonly hash: Hash;
  readonly sha256: string;
  readonly validator?: string;
}

const NOTHING: Pick<Part, 'bytes'> & { hash?: undefined } = { bytes: 0 };

async function openPart(source: string, wish: DownloadWish, host: Host): Promise<Part> {
  const hash = createHash('sha256');
  const origin = await readOrigin(wish, host);
  if (origin?.source !== source) {
    if (origin !== undefined) await dropPart(wish, host);
    return { bytes: 0, hash, sha256: '' };
  }
  const bytes = (await host.readFile(partOf(wish))) ?? new Uint8Array();
  hash.update(bytes);
  return {
    bytes: bytes.length,
    hash,
    sha256: hash.copy().digest('hex'),
    ...(origin.validator === undefined ? {} : { validator: origin.validator }),
  };
}

async function readOrigin(wish: DownloadWish, host: Host): Promise<PartOrigin | undefined> {
  const bytes = await host.readFile(`${partOf(wish)}.json`);
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof value === 'object' && value !== null && 'source' in value) return value as PartOrigin;
  } catch {
    // A damaged origin file is treated as missing.
  }
  return { source: '' };
}

/** Writes and hashes the part file, and renames it when it is complete and has the right hash. */
async function store(
  source: string,
  wish: DownloadWish,
  tools: DownloadTools,
  body: Body,
  before: { readonly bytes: number; readonly hash?: Hash | undefined },
): Promise<VerifiedFile | Refusal> {
  const { host } = tools;
  const hash = before.hash ?? createHash('sha256');
  const origin: PartOrigin = {
    source,
    ...(body.validator === undefined ? {} : { validator: body.validator }),
  };
  await host.writeFile(`${partOf(wish)}.json`, JSON.stringify(origin), { mode: 0o600 });
  const limit = (wish.maxBytes ?? MAX_BYTES) - before.bytes;
  const flow = { received: 0, refusal: undefined as Refusal | undefined };
  await host.writeStream(partOf(wish), pour(body, hash, limit, flow), {
    mode: 0o600,
    append: before.bytes > 0,
  });
  tools.signal.throwIfAborted();
  if (flow.refusal !== undefined) {
    if (flow.refusal.again === 'never') await dropPart(wish, host);
    return flow.refusal;
  }
  const found = hash.digest('hex');
  if (found === wish.sha256) return await finish(wish, host, before.bytes + flow.received, source);
  await dropPart(wish, host);
  return {
    code: 'hash-mismatch',
    text: `the file has SHA-256 ${found}, expected ${wish.sha256}; it was deleted`,
    // A resumed file may consist of parts of two files: retry from the beginning.
    again: before.bytes > 0 ? 'at-once' : 'never',
  };
}

/** Ends without an error when the connection breaks, so that the part is kept; `flow` records how it ended. */
async function* pour(
  body: Body,
  hash: Hash,
  limit: number,
  flow: { received: number; refusal: Refusal | undefined },
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body.chunks()) {
      flow.received += chunk.length;
      if (flow.received > limit) {
        flow.refusal = { code: 'too-large', text: 'the file exceeds the size limit', again: 'never' };
        return;
      }
      hash.update(chunk);
      yield chunk;
    }
  } catch (error) {
    flow.refusal = body.broken(error);
    return;
  }
  if (body.expected !== undefined && flow.received < body.expected) {
    flow.refusal = {
      code: 'truncated',
      text: `the connection was closed after ${flow.received} of ${body.expected} bytes`,
      again: 'later',
    };
  }
}

async function tooLarge(body: Body, wish: DownloadWish, host: Host): Promise<Refusal | undefined> {
  const { expected } = body;
  if (expected === undefined) return undefined;
  const limit = wish.maxBytes ?? MAX_BYTES;
  if (expected > limit) {
    return {
      code: 'too-large',
      text: `the file has ${expected} bytes; the maximum is ${limit}`,
      again: 'never',
    };
  }
  const free = await host.freeBytes(wish.path);
  if (expected <= free) return undefined;
  throw new FlexError({
    class: 'step',
    code: 'download.no-space',
    where: wish.path,
    message: `${wish.what} has ${expected} bytes, but only ${free} bytes are free in the download directory`,
    remedy: 'Free disk space on that file system, then run bootstrap again. It resumes where it stopped.',
  });
}

async function finish(wish: DownloadWish, host: Host, bytes: number, source: string): Promise<VerifiedFile> {
  await host.rename(partOf(wish), wish.path);
  await host.remove(`${partOf(wish)}.json`);
  return { path: wish.path, sha256: wish.sha256, bytes, from: withoutQuery(source) };
}

async function dropPart(wish: DownloadWish, host: Host): Promise<void> {
  await host.remove(partOf(wish));
  await host.remove(`${partOf(wish)}.json`);
}

function partOf(wish: DownloadWish): string {
  return `${wish.path}.part`;
}

/** The most severe failure decides the error code, so that a wrong hash is never hidden by a missing mirror. */
const BY_SEVERITY = ['hash-mismatch', 'too-large', 'web-page', 'insecure', 'redirected', 'truncated'];

function allRefused(wish: DownloadWish, refusals: readonly Refusal[]): FlexError {
  const worst =
    BY_SEVERITY.flatMap((code) => refusals.filter((refusal) => refusal.code === code))[0] ?? refusals.at(-1);
  const lines = wish.sources.map((source, at) => `${withoutQuery(source)}: ${refusals[at]!.text}`);
  return new FlexError({
    class: worst?.code === 'insecure' ? 'config' : 'network',
    code: `download.${worst?.code ?? 'no-source'}`,
    where: withoutQuery(wish.sources[0] ?? ''),
    message: `could not download ${wish.what}: ${lines.join('; ')}`,
    remedy:
      REMEDIES[worst?.code ?? ''] ?? 'Configure a mirror (downloads.mirrors) or a bundle (downloads.bundle).',
  });
}

const REMEDIES: Readonly<Record<string, string>> = {
  'hash-mismatch': 'The file was modified. Check the mirror or the proxy. The file was not installed.',
  'not-found': 'Check the version in the config, and whether the mirror has it.',
  'web-page':
    'A proxy or login page responded instead of the file server. Check proxy and downloads.mirrors in the config.',
  unreachable: 'Check DNS, the firewall and the proxy settings, or use a bundle (downloads.bundle).',
  insecure: 'Use an https URL.',
};
