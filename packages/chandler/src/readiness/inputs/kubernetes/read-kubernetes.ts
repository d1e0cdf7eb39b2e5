/**
 * YAML files: manifests, releases of Karpenter (Argo CD, Flux, files of Helm values) and Applications. Files that hold nothing
 * a check reads are not parsed.
 */
import { posix } from 'node:path';
import type { Tree } from '../../model/tree.ts';
import type { Application, HelmRelease, InputProblem, Manifest } from '../inputs.ts';
import { applicationOf, argoRelease, type ValueFiles } from './argo.ts';
import { fluxRelease } from './flux.ts';
import { karpenterValues } from './helm-values.ts';
import { applyKustomizations } from './kustomize.ts';
import { isManifest, manifestsIn } from './manifests.ts';
import { readYaml, type YamlTrees } from './yaml-trees.ts';

export interface YamlFile {
  readonly name: string;
  readonly text: string;
  /** What was read of it already, so that the text need not be kept. */
  readonly read?: YamlTrees;
}

/** A file of which the text is not kept, unless nobody has read it yet: an Application may name it as a file of values. */
export function readEarly(file: YamlFile): YamlFile {
  if (file.read !== undefined || !isOfInterest(file)) return file;
  return { name: file.name, text: '', read: readYaml(file.text, file.name) };
}

export interface Kubernetes {
  readonly manifests: readonly Manifest[];
  readonly releases: readonly HelmRelease[];
  readonly applications: readonly Application[];
  readonly problems: readonly InputProblem[];
}

export function readKubernetes(files: readonly YamlFile[]): Kubernetes {
  const problems: InputProblem[] = [];
  const trees: { readonly file: string; readonly tree: Tree }[] = [];
  for (const file of files) {
    const { name, read } = readEarly(file);
    problems.push(...(read?.problems ?? []));
    for (const tree of read?.trees ?? []) trees.push({ file: name, tree });
  }
  const written = trees.flatMap(({ tree }) => manifestsIn(tree));
  const kustomized = applyKustomizations(written, trees);
  problems.push(...kustomized.problems);
  const used = new Set<string>();
  const releases = written.flatMap((manifest) => {
    const release =
      argoRelease(manifest, valueFiles(files, used), problems) ?? fluxRelease(manifest, written);
    return release === undefined ? [] : [release];
  });
  return {
    manifests: kustomized.manifests,
    releases: [...releases, ...releasesOfFiles(trees, files, used, releases[0]?.origin)],
    applications: written.flatMap((manifest) => applicationOf(manifest) ?? []),
    problems,
  };
}

// ---------------------------------------------------------------------------------------------------------------

const MANIFEST = /^[ \t"'{-]*(?:.*[,{]\s*)?["']?kind["']?\s*:/m;
const VALUES =
  /karpenter|clusterName|clusterEndpoint|interruptionQueue|AZURE_NODE_RESOURCE_GROUP|VNET_SUBNET_ID/;

function isOfInterest({ name, text }: YamlFile): boolean {
  return /^kustomization\.ya?ml$/i.test(posix.basename(name)) || MANIFEST.test(text) || VALUES.test(text);
}

/** A value file by the end of its path, which begins at the root of a repository that may be elsewhere. */
function valueFiles(files: readonly YamlFile[], used: Set<string>): ValueFiles {
  return (path) => {
    const wanted = posix.normalize(path).replace(/^(\.\.\/)+/, '');
    const found = files.filter(({ name }) => name === wanted || name.endsWith(`/${wanted}`));
    const [only] = found;
    if (only === undefined || found.length > 1) return undefined;
    used.add(only.name);
    return (only.read ?? readYaml(only.text, only.name)).trees[0];
  };
}

/** Files of Helm values that no Application names. Several of them may be given to Helm together. */
function releasesOfFiles(
  trees: readonly { readonly file: string; readonly tree: Tree }[],
  files: readonly YamlFile[],
  used: ReadonlySet<string>,
  other: string | undefined,
): readonly HelmRelease[] {
  const charts = new Set(
    files.map(({ name }) => name).filter((name) => posix.basename(name) === 'Chart.yaml'),
  );
  const own = trees.flatMap(({ file, tree }) => {
    if (used.has(file) || isManifest(tree)) return [];
    const values = karpenterValues(tree);
    // The defaults of the chart itself.
    const isDefault = values === tree && charts.has(posix.join(posix.dirname(file), 'Chart.yaml'));
    return values === undefined || isDefault ? [] : [{ file, values }];
  });
  return own.map(({ file, values }) => ({
    origin: file,
    source: 'values',
    at: { file, line: 1 },
    values,
    incomplete: [
      ...(own.length > 1 ? ['there are several files of values, which Helm may merge'] : []),
      ...(other === undefined ? [] : [`${other} may set more values`]),
    ],
  }));
}
