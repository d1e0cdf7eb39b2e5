/**
 * Where the programs of a real control plane come from: `KUBEBUILDER_ASSETS`, or a build from the Go module proxy
 * into the user's cache, one build at a time. It says why when neither is possible.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cacheFolder } from '../../../scripts/build/paths.ts';

export { cacheFolder };

export const KUBERNETES_VERSION = '1.36.3';
export const ETCD_VERSION = '3.6.8';

export const PROGRAMS = {
  etcd: 'go.etcd.io/etcd/server/v3',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
  'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
} as const;

export type Program = keyof typeof PROGRAMS;

export type Binaries = { readonly folder: string } | { readonly missing: string };

const MODULE = import.meta.dirname;
const STALE_LOCK_MS = 45 * 60_000;

export async function findBinaries(say: (line: string) => void): Promise<Binaries> {
  const given = process.env['KUBEBUILDER_ASSETS'];
  if (given !== undefined && given !== '') {
    const absent = ['etcd', 'kube-apiserver'].filter((program) => !existsSync(join(given, program)));
    if (absent.length === 0) return { folder: given };
    return { missing: `KUBEBUILDER_ASSETS is ${given}, which has no ${absent.join(' and no ')}` };
  }
  const folder = join(cacheFolder(), `control-plane-${KUBERNETES_VERSION}-etcd-${ETCD_VERSION}`);
  if (absentFrom(folder).length === 0) return { folder };
  if (!onPath('go')) return { missing: 'there is no Go on PATH to build kube-apiserver and etcd with' };
  mkdirSync(folder, { recursive: true });
  return withLock(join(folder, 'building'), say, () => build(folder, say));
}

export function onPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
}

/** Runs the work while holding a lock file; a lock left by a process that is gone, or is very old, is taken over. */
export async function withLock<T>(
  file: string,
  say: (line: string) => void,
  work: () => T | Promise<T>,
): Promise<T> {
  let announced = false;
  while (!takeLock(file)) {
    if (!announced) say(`another build is running (${file}); waiting for it`);
    announced = true;
    await sleep(1000);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

// ---------------------------------------------------------------------------------------------------

function absentFrom(folder: string): Program[] {
  return (Object.keys(PROGRAMS) as Program[]).filter((program) => !existsSync(join(folder, program)));
}

function build(folder: string, say: (line: string) => void): Binaries {
  for (const program of absentFrom(folder)) {
    say(`building ${program} (once; about ten minutes in all on two cores)`);
    const partial = join(folder, `.${program}.${process.pid}`);
    const flags = [
      '-trimpath',
      '-ldflags',
      `-s -w -X k8s.io/component-base/version.gitVersion=v${KUBERNETES_VERSION}`,
    ];
    const result = spawnSync('go', ['build', ...flags, '-o', partial, PROGRAMS[program]], {
      cwd: MODULE,
      env: { ...process.env, CGO_ENABLED: '0' },
      encoding: 'utf8',
    });
    if (result.status !== 0) {
      rmSync(partial, { force: true });
      return {
        missing: `go build of ${program} failed: ${lastLines(result.stderr ?? String(result.error))}`,
      };
    }
    renameSync(partial, join(folder, program));
  }
  return { folder };
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-3).join(' | ');
}

function takeLock(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    if (isStale(file)) rmSync(file, { force: true });
    return false;
  }
}

function isStale(file: string): boolean {
  try {
    const owner = Number(readFileSync(file, 'utf8'));
    if (Date.now() - statSync(file).mtimeMs > STALE_LOCK_MS) return true;
    process.kill(owner, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
