/**
 * Builds the Go harness beside this file into the user's cache, once per state of its sources, and asks
 * it questions. Upstream's Go code answers them; what is compared with what, the tests decide.
 */
import { spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export interface Question {
  readonly kind: string;
  readonly object: unknown;
  readonly caBundle?: string | undefined;
  readonly after?: string | undefined;
}

export interface Answer {
  readonly value?: string;
  readonly error?: string;
}

export type Harness =
  | { readonly ready: true; ask(questions: readonly Question[]): Answer[] }
  /** Go or the modules are not available: the suite is skipped with this reason. */
  | { readonly ready: false; readonly reason: string };

/** @throws when Go is there and the harness does not build. */
export function openHarness(): Harness {
  const binary = join(cacheFolder(), `hash-harness-${sourceHash()}`);
  if (!existsSync(binary)) {
    const reason = build(binary);
    if (reason !== undefined) return { ready: false, reason };
  }
  return { ready: true, ask: (questions) => ask(binary, questions) };
}

// ---------------------------------------------------------------------------------------------

const SOURCES = import.meta.dirname;
const BUILD_LIMIT_MS = 20 * 60_000;
const OFFLINE =
  /dial tcp|no such host|connection refused|i\/o timeout|TLS handshake|proxyconnect|403 Forbidden/;

function cacheFolder(): string {
  const folder = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'chandler');
  mkdirSync(folder, { recursive: true });
  return folder;
}

function sourceHash(): string {
  const hash = createHash('sha256');
  const names = readdirSync(SOURCES).filter((name) => name.endsWith('.go') || /^go\.(mod|sum)$/.test(name));
  for (const name of names.sort()) hash.update(name).update(readFileSync(join(SOURCES, name)));
  return hash.digest('hex').slice(0, 12);
}

/** Returns why it cannot be built here, or nothing when it has been built. */
function build(binary: string): string | undefined {
  // Built under a temporary name and renamed, so that two runs at once do not disturb each other.
  const unfinished = `${binary}.${randomUUID()}`;
  const run = spawnSync('go', ['build', '-mod=readonly', '-o', unfinished, '.'], {
    cwd: SOURCES,
    encoding: 'utf8',
    timeout: BUILD_LIMIT_MS,
  });
  if (run.error !== undefined && 'code' in run.error && run.error.code === 'ENOENT')
    return 'Go is not on the PATH';
  if (run.status === 0) {
    renameSync(unfinished, binary);
    return undefined;
  }
  if (OFFLINE.test(run.stderr))
    return `the Go modules cannot be downloaded: ${run.stderr.trim().split('\n').at(-1)}`;
  throw new Error(`the hash harness does not build:\n${run.stderr}${run.error ?? ''}`);
}

function ask(binary: string, questions: readonly Question[]): Answer[] {
  const input = questions.map((question) => `${JSON.stringify(question)}\n`).join('');
  const run = spawnSync(binary, { input, encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (run.status !== 0) throw new Error(`the hash harness failed: ${run.stderr}${run.error ?? ''}`);
  const answers = run.stdout.trimEnd().split('\n');
  if (answers.length !== questions.length) {
    throw new Error(`asked ${questions.length} questions, got ${answers.length} answers`);
  }
  return answers.map((line) => JSON.parse(line) as Answer);
}
