/** moto: the package of requirements.txt, installed with pip into the user's cache. It says why when it cannot be installed. */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, onPath, withLock } from '../cluster/control-plane/binaries.ts';

export interface InstalledMoto {
  readonly python: string;
  /** The folder of its packages. */
  readonly packages: string;
  readonly version: string;
}

export function motoVersion(): string {
  return /==(\S+)/.exec(readFileSync(REQUIREMENTS, 'utf8'))![1]!;
}

export async function findMoto(
  say: (line: string) => void,
): Promise<InstalledMoto | { readonly missing: string }> {
  const python = ['python3', 'python'].find(onPath);
  if (python === undefined) return { missing: 'there is no python3 on PATH' };
  const asked = spawnSync(python, ['-c', ASK_VERSION], { encoding: 'utf8' });
  if (asked.status !== 0) return { missing: `${python} does not run: ${lastLine(asked)}` };
  const pip = spawnSync(python, ['-m', 'pip', '--version'], { encoding: 'utf8' });
  if (pip.status !== 0) return { missing: `${python} has no pip: ${lastLine(pip)}` };
  const version = motoVersion();
  const packages = join(cacheFolder(), `moto-${version}-python-${asked.stdout.trim()}`);
  mkdirSync(cacheFolder(), { recursive: true });
  return withLock(`${packages}.installing`, say, () => install({ python, packages, version }, say));
}

// ---------------------------------------------------------------------------------------------------

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
const ASK_VERSION = 'import sys; print("%d.%d" % sys.version_info[:2])';
/** Of a registry that does not answer, too. */
const INSTALL_TIMEOUT_MS = 300_000;

function install(
  moto: InstalledMoto,
  say: (line: string) => void,
): InstalledMoto | { readonly missing: string } {
  const { python, packages, version } = moto;
  if (existsSync(packages)) return moto;
  say(`installing moto ${version} (once)`);
  const partial = `${packages}.${process.pid}`;
  const flags = ['--quiet', '--no-input', '--no-compile', '--disable-pip-version-check', '--retries', '1'];
  const result = spawnSync(
    python,
    ['-m', 'pip', 'install', ...flags, '--target', partial, '--requirement', REQUIREMENTS],
    { encoding: 'utf8', timeout: INSTALL_TIMEOUT_MS },
  );
  if (result.status !== 0) {
    rmSync(partial, { recursive: true, force: true });
    return { missing: `pip cannot install moto ${version}: ${lastLine(result)}` };
  }
  renameSync(partial, packages);
  return moto;
}

function lastLine({ stderr, error }: SpawnSyncReturns<string>): string {
  return (stderr || String(error ?? 'it said nothing')).trim().split('\n').at(-1)!;
}
