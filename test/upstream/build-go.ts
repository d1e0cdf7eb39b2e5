/**
 * Builds a Go program of this repository into the user's cache, once per state of its sources, and says why when Go or the
 * modules are not available.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, onPath, withLock } from '../cluster/control-plane/binaries.ts';

export type Built = { readonly binary: string; readonly version: string } | { readonly missing: string };

export interface GoProgram {
  /** Of the file in the cache. */
  readonly name: string;
  /** The folder of its sources, go.mod and go.sum. */
  readonly folder: string;
  /** What is compiled, for people. */
  readonly title: string;
  /** The module of upstream whose version counts. */
  readonly module: string;
  /** The package that is compiled, of a module that go.mod names. Default: that of the folder. */
  readonly package?: string;
  /** Linked without the C library, and without what only debuggers need. Default false. */
  readonly isStatic?: boolean;
}

/** @throws when Go and the modules are there, and the program does not compile. */
export async function buildGo(program: GoProgram, say: (line: string) => void): Promise<Built> {
  const cache = cacheFolder();
  mkdirSync(cache, { recursive: true });
  const built = {
    binary: join(cache, `${program.name}-${sourceHash(program.folder)}`),
    version: moduleVersion(program),
  };
  if (existsSync(built.binary)) return built;
  if (!onPath('go')) return { missing: 'Go is not on the PATH' };
  return withLock(`${built.binary}.building`, say, () => {
    if (existsSync(built.binary)) return built;
    say(`compiling ${program.title} ${built.version} (once; some minutes)`);
    const missing = compile(program, built.binary);
    return missing === undefined ? built : { missing };
  });
}

// ---------------------------------------------------------------------------------------------------

const OFFLINE =
  /dial tcp|no such host|connection refused|i\/o timeout|TLS handshake|proxyconnect|403 Forbidden|module lookup disabled/;

/** Nothing when it has been compiled, else the reason to skip. */
function compile(program: GoProgram, binary: string): string | undefined {
  // Compiled under a temporary name and renamed: a binary in the cache is always complete.
  const unfinished = `${binary}.${process.pid}`;
  const { folder, package: name = '.', isStatic = false } = program;
  const flags = isStatic ? ['-trimpath', '-ldflags', '-s -w'] : [];
  const run = spawnSync('go', ['build', ...flags, '-o', unfinished, name], {
    cwd: folder,
    // Upstream may need a newer Go than the one on the PATH; the Go command downloads it as a module, like the others.
    env: {
      ...process.env,
      ...(isStatic ? { CGO_ENABLED: '0' } : {}),
      GOFLAGS: '-mod=readonly -buildvcs=false',
      GOTOOLCHAIN: 'auto',
      GOWORK: 'off',
    },
    encoding: 'utf8',
  });
  if (run.status === 0) {
    renameSync(unfinished, binary);
    return undefined;
  }
  rmSync(unfinished, { force: true });
  const output = run.stderr ?? String(run.error);
  if (OFFLINE.test(output))
    return `the Go modules cannot be downloaded: ${output.trim().split('\n').at(-1)!.trim()}`;
  throw new Error(`the program in ${folder} does not compile:\n${output}`);
}

function sourceHash(folder: string): string {
  const hash = createHash('sha256');
  const names = readdirSync(folder).filter((name) => name.endsWith('.go') || /^go\.(mod|sum)$/.test(name));
  for (const name of names.sort()) hash.update(name).update(readFileSync(join(folder, name)));
  return hash.digest('hex').slice(0, 12);
}

function moduleVersion({ folder, module }: GoProgram): string {
  const lines = readFileSync(join(folder, 'go.mod'), 'utf8').split('\n');
  const line = lines.map((each) => each.trim().split(/\s+/)).find(([name]) => name === module);
  if (line?.[1] === undefined) throw new Error(`${folder}/go.mod does not require ${module}`);
  return line[1];
}
