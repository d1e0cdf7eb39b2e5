/**
 * Argo CD Applications and ApplicationSets: where their manifests come from, and the release of Karpenter that they install.
 * Of the values, parameters win over `valuesObject`, which replaces `values`, which win over value files.
 */
import { find, itemsAt, mergeTrees, type Tree, textAt, textOf } from '../../model/tree.ts';
import type { Application, HelmRelease, InputProblem, Manifest } from '../inputs.ts';
import { isKarpenterChart, karpenterValues, releaseNameOf, valuesText, withSetting } from './helm-values.ts';

/** Finds a file by its path in the repository, which may not begin at the folder that is checked. */
export type ValueFiles = (path: string) => Tree | undefined;

export function applicationOf({ kind, name, tree, at }: Manifest): Application | undefined {
  if (kind !== 'Application' && kind !== 'ApplicationSet') return undefined;
  const spec = specOf(kind, tree);
  const sources = sourcesOf(spec).map((source) => ({
    ...optional('repoURL', textAt(source, 'repoURL')),
    ...optional('path', textAt(source, 'path')),
    ...optional('chart', textAt(source, 'chart')),
  }));
  return { name, sources, tree, at };
}

/** The release of Karpenter that an Application installs, if it does. */
export function argoRelease(
  manifest: Manifest,
  valueFiles: ValueFiles,
  problems: InputProblem[],
): HelmRelease | undefined {
  const { kind, name, tree } = manifest;
  if (kind !== 'Application' && kind !== 'ApplicationSet') return undefined;
  const spec = specOf(kind, tree);
  for (const source of sourcesOf(spec)) {
    const { values, incomplete } = valuesOf(find(source, 'helm'), valueFiles, problems);
    const own = values === undefined ? undefined : karpenterValues(values);
    if (!isKarpenterChart(textAt(source, 'chart'), textAt(source, 'repoURL')) && own === undefined) continue;
    return {
      origin: `${kind}/${name}`,
      source: 'values',
      at: manifest.at,
      releaseName: releaseNameOf(find(source, 'helm'), name),
      ...optional('namespace', find(spec, 'destination', 'namespace')),
      ...(textAt(source, 'chart') === undefined ? {} : optional('version', find(source, 'targetRevision'))),
      ...optional('repository', find(source, 'repoURL')),
      values: own ?? values ?? { kind: 'map', entries: new Map(), at: source.at },
      incomplete,
    };
  }
  return undefined;
}

// ---------------------------------------------------------------------------------------------------------------

function specOf(kind: string, tree: Tree): Tree | undefined {
  return kind === 'ApplicationSet' ? find(tree, 'spec', 'template', 'spec') : find(tree, 'spec');
}

function sourcesOf(spec: Tree | undefined): readonly Tree[] {
  const one = find(spec, 'source');
  return [...(one === undefined ? [] : [one]), ...itemsAt(spec, 'sources')];
}

function valuesOf(
  helm: Tree | undefined,
  valueFiles: ValueFiles,
  problems: InputProblem[],
): { readonly values: Tree | undefined; readonly incomplete: readonly string[] } {
  const incomplete: string[] = [];
  let values: Tree | undefined;
  for (const item of itemsAt(helm, 'valueFiles')) {
    // `$ref/path` names another source of the Application.
    const path = (textOf(item) ?? '').replace(/^\$[\w-]+\//, '');
    const file = valueFiles(path);
    if (file === undefined) incomplete.push(`the value file ${path} was not found`);
    else values = mergeTrees(values, file);
  }
  const text = find(helm, 'values');
  const object = find(helm, 'valuesObject');
  if (object !== undefined) values = mergeTrees(values, object);
  else if (text?.kind === 'scalar') {
    const read = valuesText(String(text.value), text.at, problems);
    if (read === 'broken') incomplete.push('helm.values is no YAML');
    else if (read !== 'empty') values = mergeTrees(values, read);
  }
  for (const parameter of itemsAt(helm, 'parameters')) {
    const name = textAt(parameter, 'name');
    const value = find(parameter, 'value');
    if (name !== undefined && value !== undefined) values = withSetting(values, name, value);
  }
  for (const name of ['fileParameters', 'plugin'])
    if (find(helm, name) !== undefined) incomplete.push(`${name} sets values that are not here`);
  return { values, incomplete };
}

/** A field only where it has a value: optional fields may not hold undefined. */
function optional<K extends string, V>(name: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [name]: value }) as { [P in K]?: V };
}
