/** helm and kubeconform: built once from the Go module proxy into the user's cache. It says why when that is not possible. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, onPath, withLock } from '../cluster/control-plane/binaries.ts';

const HELM_VERSION = '4.3.1';
const KUBECONFORM_VERSION = '0.8.0';

const MODULES = {
  helm: `helm.sh/helm/v4/cmd/helm@v${HELM_VERSION}`,
  kubeconform: `github.com/yannh/kubeconform/cmd/kubeconform@v${KUBECONFORM_VERSION}`,
} as const;

export type Tool = keyof typeof MODULES;

export type Tools = Readonly<Record<Tool, string>> | { readonly missing: string };

export async function findTools(say: (line: string) => void): Promise<Tools> {
  const folder = join(cacheFolder(), `chart-tools-helm-${HELM_VERSION}-kubeconform-${KUBECONFORM_VERSION}`);
  const names = Object.keys(MODULES) as Tool[];
  const absent = () => names.filter((name) => !existsSync(join(folder, name)));
  const found = Object.fromEntries(names.map((name) => [name, join(folder, name)])) as Record<Tool, string>;
  if (absent().length === 0) return found;
  if (!onPath('go')) return { missing: 'there is no Go on PATH to build helm and kubeconform with' };
  mkdirSync(folder, { recursive: true });
  return withLock(join(folder, 'building'), say, () => {
    for (const name of absent()) {
      say(`building ${name} (once; four minutes of CPU in all)`);
      const problem = install(name, folder);
      if (problem !== undefined) return { missing: problem };
    }
    return found;
  });
}

// ---------------------------------------------------------------------------------------------------

/** Go puts the file in place when it is whole. */
function install(name: Tool, folder: string): string | undefined {
  const result = spawnSync('go', ['install', '-trimpath', '-ldflags', '-s -w', MODULES[name]], {
    env: { ...process.env, CGO_ENABLED: '0', GOBIN: folder },
    encoding: 'utf8',
  });
  if (result.status === 0) return undefined;
  const lines = (result.stderr ?? String(result.error)).trim().split('\n');
  return `go install of ${name} failed: ${lines.slice(-3).join(' | ')}`;
}
