/**
 * Upstream Karpenter as a program: builds the Go harness in `bench/karpenter/` into the user's cache, once
 * per version of its sources, and passes it a workload as a file. Reports the reason when it is not
 * available.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder, onPath, withLock } from '../../test/cluster/control-plane/binaries.ts';
import type { UpstreamRun, UpstreamRuns } from './report.ts';
import type { Workload } from './shapes.ts';

export type Upstream =
  | {
      readonly version: string;
      run(workload: Workload, limitSeconds: number): UpstreamRuns;
      /** Upstream's disruption, with a request that `bench/karpenter/disruption.go` describes. */
      disrupt(request: object): unknown;
    }
  | { readonly missing: string };

export async function openUpstream(say: (line: string) => void): Promise<Upstream> {
  const folder = cacheFolder();
  mkdirSync(folder, { recursive: true });
  const binary = join(folder, `karpenter-bench-${sourceHash()}`);
  if (!existsSync(binary)) {
    if (!onPath('go')) return { missing: 'there is no Go on PATH to build upstream with' };
    const missing = await withLock(`${binary}.building`, say, () => build(binary, say));
    if (missing !== undefined) return { missing };
  }
  return {
    version: upstreamVersion(),
    run: (workload, limitSeconds) => ({
      one: run(binary, workload, limitSeconds, 1),
      five: run(binary, workload, limitSeconds, MANY_WORKERS),
    }),
    disrupt: (request) => ask(binary, request, 'disruption'),
  };
}

// ---------------------------------------------------------------------------------------------------

const SOURCES = join(import.meta.dirname, '..', 'karpenter');
/** As many as upstream's own benchmark uses; its provisioner uses one by default. */
const MANY_WORKERS = 5;
/** Plans per run; upstream has no caches that more would fill. */
const ROUNDS = 10;
const OFFLINE =
  /dial tcp|no such host|connection refused|i\/o timeout|TLS handshake|proxyconnect|403 Forbidden/;

function sourceHash(): string {
  const hash = createHash('sha256');
  const names = readdirSync(SOURCES).filter((name) => name.endsWith('.go') || /^go\.(mod|sum)$/.test(name));
  for (const name of names.sort()) hash.update(name).update(readFileSync(join(SOURCES, name)));
  return hash.digest('hex').slice(0, 12);
}

function upstreamVersion(): string {
  const found = /sigs\.k8s\.io\/karpenter (v\S+)/.exec(readFileSync(join(SOURCES, 'go.mod'), 'utf8'));
  return found![1]!;
}

/** Returns why it cannot be built here, or nothing when it is there. */
function build(binary: string, say: (line: string) => void): string | undefined {
  if (existsSync(binary)) return undefined;
  say(`building upstream Karpenter ${upstreamVersion()} (once; some minutes)`);
  const partial = `${binary}.${process.pid}`;
  const made = spawnSync('go', ['build', '-mod=readonly', '-o', partial, '.'], {
    cwd: SOURCES,
    encoding: 'utf8',
    // Upstream may ask for a newer patch release of Go than the one on PATH.
    env: { ...process.env, GOTOOLCHAIN: 'auto' },
  });
  if (made.status === 0) {
    renameSync(partial, binary);
    return undefined;
  }
  rmSync(partial, { force: true });
  if (OFFLINE.test(made.stderr))
    return `the Go modules are not to be had: ${made.stderr.trim().split('\n').at(-1)}`;
  throw new Error(`the Karpenter harness does not build:\n${made.stderr}${made.error ?? ''}`);
}

function run(binary: string, { name, input }: Workload, limitSeconds: number, workers: number): UpstreamRun {
  return ask(binary, { name, input, workers, limitSeconds, rounds: ROUNDS }) as UpstreamRun;
}

function ask(binary: string, request: object, ...mode: string[]): unknown {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-bench-'));
  try {
    const file = join(folder, 'workload.json');
    writeFileSync(file, JSON.stringify(request));
    const ran = spawnSync(binary, [file, ...mode], { encoding: 'utf8', maxBuffer: 2 ** 28 });
    if (ran.status !== 0)
      throw new Error(
        `upstream failed${'name' in request ? ` on ${request.name}` : ''}: ${ran.stderr}${ran.error ?? ''}`,
      );
    return JSON.parse(ran.stdout);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
