/**
 * Downloads one file from the first source that has it. The file is hashed while it streams, resumed after a broken
 * connection, and returned only if it has the expected hash. `http-response.ts` interprets the responses; the caller
 * decides the sources and the hash.
 */
import { createHash, type Hash } from 'node:crypto';
import type { Fetch, World } from '@chandler/kube';
import { FlexError } from '../flex-error.ts';
import type { Host } from '../host/host.ts';
import type { VerifiedFile } from './artifacts.ts';
import { type Body, type Refusal, requestFile, withoutQuery } from './http-response.ts';

export interface DownloadRequest {
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

export async function download(request: DownloadRequest, tools: DownloadTools): Promise<VerifiedFile> {
  const kept = await existingFile(request, tools);
  if (kept !== undefined) return kept;
  const refusals: Refusal[] = [];
  for (const source of request.sources) {
    const outcome = await fromSource(source, request, tools);
    if ('path' in outcome) return outcome;
    refusals.push(outcome);
    tools.say(`download of ${request.what} from ${withoutQuery(source)} failed: ${outcome.text}`);
  }
  throw allRefused(request, refusals);
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

async function existingFile(
  request: DownloadRequest,
  tools: DownloadTools,
): Promise<VerifiedFile | undefined> {
  const bytes = await tools.host.readFile(request.path);
  if (bytes === undefined) return undefined;
  if (sha256Of(bytes) === request.sha256) {
    return { path: request.path, sha256: request.sha256, bytes: bytes.length, from: request.path };
  }
  await tools.host.remove(request.path);
  return undefined;
}

async function fromSource(
  source: string,
  request: DownloadRequest,
  tools: DownloadTools,
): Promise<VerifiedFile | Refusal> {
  let refusal: Refusal | undefined;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    tools.signal.throwIfAborted();
    const outcome = await attemptOnce(source, request, tools);
    if ('path' in outcome) return outcome;
    refusal = outcome;
    if (outcome.retry === 'never' || attempt === ATTEMPTS) break;
    if (outcome.retry === 'at-once') continue;
    const pauseMs = Math.min(outcome.afterMs ?? MIN_BACKOFF_MS * 2 ** (attempt - 1), MAX_BACKOFF_MS);
    await tools.world.clock.sleep(pauseMs, tools.signal);
  }
  return refusal!;
}

async function attemptOnce(
  source: string,
  request: DownloadRequest,
  tools: DownloadTools,
): Promise<VerifiedFile | Refusal> {
  const part = await openPart(source, request, tools.host);
  if (part.sha256 === request.sha256) return await finish(request, tools.host, part.bytes, source);
  const answer = await requestFile(
    source,
    { from: part.bytes, ...(part.validator === undefined ? {} : { validator: part.validator }) },
    tools,
  );
  if (answer.kind === 'refused') {
    if (answer.refusal.code === 'range-refused') await dropPart(request, tools.host);
    return answer.refusal;
  }
  try {
    const tooMuch = await tooLarge(answer.body, request, tools.host);
    if (tooMuch !== undefined) return tooMuch;
    const resumed = part.bytes > 0 && answer.body.resumed;
    return await store(source, request, tools, answer.body, resumed ? part : NOTHING);
  } finally {
    // A body that was not read keeps its connection and a timer, and with them the process.
    await answer.body.cancel();
  }
}

interface Part {
  readonly bytes: number;
  readonly hash: Hash;
  readonly sha256: string;
  readonly validator?: string;
}

const NOTHING: Pick<Part, 'bytes'> & { hash?: undefined } = { bytes: 0 };

async function openPart(source: string, request: DownloadRequest, host: Host): Promise<Part> {
  const hash = createHash('sha256');
  const origin = await readOrigin(request, host);
  if (origin?.source !== source) {
    if (origin !== undefined) await dropPart(request, host);
    return { bytes: 0, hash, sha256: '' };
  }
  const bytes = (await host.readFile(partOf(request))) ?? new Uint8Array();
  hash.update(bytes);
  return {
    bytes: bytes.length,
    hash,
    sha256: hash.copy().digest('hex'),
    ...(origin.validator === undefined ? {} : { validator: origin.validator }),
  };
}

async function readOrigin(request: DownloadRequest, host: Host): Promise<PartOrigin | undefined> {
  const bytes = await host.readFile(`${partOf(request)}.json`);
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
  request: DownloadRequest,
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
  await host.writeFile(`${partOf(request)}.json`, JSON.stringify(origin), { mode: 0o600 });
  const limit = (request.maxBytes ?? MAX_BYTES) - before.bytes;
  const flow = { received: 0, refusal: undefined as Refusal | undefined };
  await host.writeStream(partOf(request), pour(body, hash, limit, flow), {
    mode: 0o600,
    append: before.bytes > 0,
  });
  tools.signal.throwIfAborted();
  if (flow.refusal !== undefined) {
    if (flow.refusal.retry === 'never') await dropPart(request, host);
    return flow.refusal;
  }
  const found = hash.digest('hex');
  if (found === request.sha256) return await finish(request, host, before.bytes + flow.received, source);
  await dropPart(request, host);
  if (body.encoding !== undefined && before.bytes === 0) {
    return {
      code: 'encoded',
      text: `the server declares the file as encoded with ${body.encoding}, and without that encoding it has SHA-256 ${found}, expected ${request.sha256}; it was deleted`,
      retry: 'never',
    };
  }
  return {
    code: 'hash-mismatch',
    text: `the file has SHA-256 ${found}, expected ${request.sha256}; it was deleted`,
    // A resumed file may consist of parts of two files: retry from the beginning.
    retry: before.bytes > 0 ? 'at-once' : 'never',
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
        flow.refusal = { code: 'too-large', text: 'the file exceeds the size limit', retry: 'never' };
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
      retry: 'later',
    };
  }
}

async function tooLarge(body: Body, request: DownloadRequest, host: Host): Promise<Refusal | undefined> {
  const { expected } = body;
  if (expected === undefined) return undefined;
  const limit = request.maxBytes ?? MAX_BYTES;
  if (expected > limit) {
    return {
      code: 'too-large',
      text: `the file has ${expected} bytes; the maximum is ${limit}`,
      retry: 'never',
    };
  }
  const free = await host.freeBytes(request.path);
  if (expected <= free) return undefined;
  throw new FlexError({
    class: 'step',
    code: 'download.no-space',
    where: request.path,
    message: `${request.what} has ${expected} bytes, but only ${free} bytes are free in the download directory`,
    remedy: 'Free disk space on that file system, then run bootstrap again. It resumes where it stopped.',
  });
}

async function finish(
  request: DownloadRequest,
  host: Host,
  bytes: number,
  source: string,
): Promise<VerifiedFile> {
  await host.rename(partOf(request), request.path);
  await host.remove(`${partOf(request)}.json`);
  return { path: request.path, sha256: request.sha256, bytes, from: withoutQuery(source) };
}

async function dropPart(request: DownloadRequest, host: Host): Promise<void> {
  await host.remove(partOf(request));
  await host.remove(`${partOf(request)}.json`);
}

function partOf(request: DownloadRequest): string {
  return `${request.path}.part`;
}

/** The most severe failure decides the error code, so that a wrong hash is never hidden by a missing mirror. */
const BY_SEVERITY = [
  'hash-mismatch',
  'encoded',
  'too-large',
  'web-page',
  'insecure',
  'redirected',
  'truncated',
];

function allRefused(request: DownloadRequest, refusals: readonly Refusal[]): FlexError {
  const worst =
    BY_SEVERITY.flatMap((code) => refusals.filter((refusal) => refusal.code === code))[0] ?? refusals.at(-1);
  const lines = request.sources.map((source, at) => `${withoutQuery(source)}: ${refusals[at]!.text}`);
  return new FlexError({
    class: worst?.code === 'insecure' ? 'config' : 'network',
    code: `download.${worst?.code ?? 'no-source'}`,
    where: withoutQuery(request.sources[0] ?? ''),
    message: `could not download ${request.what}: ${lines.join('; ')}`,
    remedy:
      REMEDIES[worst?.code ?? ''] ?? 'Configure a mirror (downloads.mirrors) or a bundle (downloads.bundle).',
  });
}

const REMEDIES: Readonly<Record<string, string>> = {
  'hash-mismatch': 'The file was modified. Check the mirror or the proxy. The file was not installed.',
  encoded:
    'The server sends the archive with Content-Encoding, so that it is unpacked on the way. Remove that header for archives (AddEncoding of Apache, the metadata of an object in a bucket). The file was not installed.',
  'not-found': 'Check the version in the config, and whether the mirror has it.',
  'web-page':
    'A proxy or login page responded instead of the file server. Check proxy and downloads.mirrors in the config.',
  unreachable: 'Check DNS, the firewall and the proxy settings, or use a bundle (downloads.bundle).',
  insecure: 'Use an https URL.',
};
