/**
 * Compiles the test packages of upstream's modules into the user's cache, once per state of their go.mod. The Go command
 * downloads the modules and verifies them with go.sum; nothing of them is copied here.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, onPath, withLock } from '../cluster/control-plane/binaries.ts';
import type { UpstreamSuite } from './suites.table.ts';

export interface BuiltSpecs {
  readonly suite: UpstreamSuite;
  readonly binary: string;
  /** The folder of the package in the module cache; Go runs tests in it. */
  readonly folder: string;
  /** Such as `sigs.k8s.io/karpenter v1.15.0 pkg/apis/v1`. */
  readonly title: string;
}

/**
 * Says why when Go or the modules are not available.
 * @throws when they are, and the package does not compile.
 */
export async function buildSpecs(
  suite: UpstreamSuite,
  say: (line: string) => void,
): Promise<BuiltSpecs | { readonly missing: string }> {
  if (!onPath('go')) return { missing: 'Go is not on the PATH' };
  const found = findPackage(suite);
  if ('missing' in found) return found;
  const binary = join(cacheFolder(), 'upstream-api', `${cacheKey(suite)}.test`);
  const built = { suite, binary, ...found };
  mkdirSync(join(cacheFolder(), 'upstream-api'), { recursive: true });
  return withLock(`${binary}.building`, say, () => {
    if (existsSync(binary)) return built;
    say(`compiling ${found.title} (once; up to ten minutes on two cores)`);
    return compile(suite, binary) ?? built;
  });
}

// ---------------------------------------------------------------------------------------------------

const OFFLINE =
  /dial tcp|no such host|connection refused|i\/o timeout|TLS handshake|proxyconnect|403 Forbidden|module lookup disabled/;

/** Upstream may need a newer Go than the one on the PATH; the Go command downloads it as a module, like the others. */
const GO_ENVIRONMENT = {
  ...process.env,
  GOFLAGS: '-mod=readonly -buildvcs=false',
  GOTOOLCHAIN: 'auto',
  GOWORK: 'off',
};

function findPackage(suite: UpstreamSuite): { folder: string; title: string } | { missing: string } {
  const run = go(suite, ['list', '-f', '{{.Dir}}|{{.Module.Path}}|{{.Module.Version}}', suite.package]);
  const [folder, module, version] = run.stdout.trim().split('|');
  if (run.status !== 0 || folder === undefined || module === undefined) return unavailable(suite, run.stderr);
  return { folder, title: `${module} ${version} ${suite.package.slice(module.length + 1)}` };
}

/** Nothing when it has been compiled, else the reason to skip. */
function compile(suite: UpstreamSuite, binary: string): { missing: string } | undefined {
  // Compiled under a temporary name and renamed: a binary in the cache is always complete.
  const unfinished = `${binary}.${process.pid}`;
  const run = go(suite, ['test', '-vet=off', '-c', '-o', unfinished, suite.package]);
  if (run.status === 0 && existsSync(unfinished)) {
    renameSync(unfinished, binary);
    return undefined;
  }
  rmSync(unfinished, { force: true });
  return unavailable(suite, run.stderr);
}

/** The reason to skip when the network is the cause. @throws otherwise. */
function unavailable(suite: UpstreamSuite, output: string): { missing: string } {
  const lines = output.trim().split('\n');
  if (OFFLINE.test(output)) return { missing: `the modules cannot be downloaded: ${lines.at(-1)!.trim()}` };
  throw new Error(`go cannot build the tests of ${suite.package}:\n${lines.slice(-20).join('\n')}`);
}

function go(suite: UpstreamSuite, args: readonly string[]) {
  const run = spawnSync('go', args, {
    cwd: moduleFolder(suite),
    env: GO_ENVIRONMENT,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  return { status: run.status, stdout: run.stdout ?? '', stderr: run.stderr ?? String(run.error) };
}

function cacheKey(suite: UpstreamSuite): string {
  const hash = createHash('sha256');
  for (const file of ['go.mod', 'go.sum']) hash.update(readFileSync(join(moduleFolder(suite), file)));
  return `${suite.package.replaceAll('/', '_')}-${hash.digest('hex').slice(0, 12)}`;
}

function moduleFolder({ folder }: UpstreamSuite): string {
  return join(import.meta.dirname, folder);
}
