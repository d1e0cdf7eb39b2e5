/**
 * helm and kubeconform: compiled once into the user's cache, in the versions of `tools/go.mod` and with the hashes of
 * `tools/go.sum`. It says why when that is not possible.
 */
import { join } from 'node:path';
import { buildGo, type GoProgram } from '../upstream/build-go.ts';

const folder = join(import.meta.dirname, 'tools');
const PROGRAMS = {
  helm: {
    name: 'helm',
    title: 'helm',
    folder,
    module: 'helm.sh/helm/v4',
    package: 'helm.sh/helm/v4/cmd/helm',
    isStatic: true,
  },
  kubeconform: {
    name: 'kubeconform',
    title: 'kubeconform',
    folder,
    module: 'github.com/yannh/kubeconform',
    package: 'github.com/yannh/kubeconform/cmd/kubeconform',
    isStatic: true,
  },
} as const satisfies Record<string, GoProgram>;

export type Tool = keyof typeof PROGRAMS;

export type Tools = Readonly<Record<Tool, string>> | { readonly missing: string };

/** The paths of both. */
export async function findTools(say: (line: string) => void): Promise<Tools> {
  const helm = await buildGo(PROGRAMS.helm, say);
  if ('missing' in helm) return { missing: `helm cannot be built: ${helm.missing}` };
  const kubeconform = await buildGo(PROGRAMS.kubeconform, say);
  if ('missing' in kubeconform) return { missing: `kubeconform cannot be built: ${kubeconform.missing}` };
  return { helm: helm.binary, kubeconform: kubeconform.binary };
}
