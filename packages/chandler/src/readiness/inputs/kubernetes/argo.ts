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
    const { values, incomplete } = valuesOf(source, valueFiles, problems);
    const own = values === undefined ? undefined : karpenterValues(values);
    if (!isKarpenterChart(textAt(source, 'chart'), textAt(source, 'repoURL')) && own === undefined) continue;
    const made = own ?? values ?? { kind: 'map', entries: new Map(), at: source.at };
    const isSet = kind === 'ApplicationSet';
    return {
      origin: `${kind}/${name}`,
      source: 'values',
      at: manifest.at,
      ...optional('chart', textAt(source, 'chart')),
      releaseName: releaseNameOf(find(source, 'helm'), name),
      ...optional('namespace', find(spec, 'destination', 'namespace')),
      ...(textAt(source, 'chart') === undefined ? {} : optional('version', find(source, 'targetRevision'))),
      ...optional('repository', find(source, 'repoURL')),
      values: isSet ? generated(made) : made,
      incomplete:
        isSet && find(tree, 'spec', 'templatePatch') !== undefined
          ? [...incomplete, 'templatePatch may set more values']
          : incomplete,
    };
  }
  return undefined;
}

// ---------------------------------------------------------------------------------------------------------------

function specOf(kind: string, tree: Tree): Tree | undefined {
  return kind === 'ApplicationSet' ? find(tree, 'spec', 'template', 'spec') : find(tree, 'spec');
}

/** In a template, what stands in braces is set by the generator. What anchors share is made once. */
function generated(tree: Tree, made = new Map<Tree, Tree>()): Tree {
  const known = made.get(tree);
  if (known !== undefined) return known;
  const below = (each: Tree) => generated(each, made);
  let result = tree;
  if (tree.kind === 'list') result = { ...tree, items: tree.items.map(below) };
  else if (tree.kind === 'map')
    result = { ...tree, entries: new Map([...tree.entries].map(([name, each]) => [name, below(each)])) };
  else if (textOf(tree)?.includes('{{') === true)
    result = { kind: 'unknown', why: 'is set by the generator of the ApplicationSet', at: tree.at };
  made.set(tree, result);
  return result;
}

function sourcesOf(spec: Tree | undefined): readonly Tree[] {
  const one = find(spec, 'source');
  return [...(one === undefined ? [] : [one]), ...itemsAt(spec, 'sources')];
}

function valuesOf(
  source: Tree,
  valueFiles: ValueFiles,
  problems: InputProblem[],
): { readonly values: Tree | undefined; readonly incomplete: readonly string[] } {
  const incomplete: string[] = [];
  const helm = find(source, 'helm');
  let values = fileValues(source, valueFiles, incomplete);
  const text = find(helm, 'values');
  const object = find(helm, 'valuesObject');
  if (object !== undefined) values = mergeTrees(values, object);
  else if (text?.kind === 'scalar') {
    const read = valuesText(text, problems);
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

/** Values of files. @param incomplete gets those that were not found. */
function fileValues(source: Tree, valueFiles: ValueFiles, incomplete: string[]): Tree | undefined {
  // A chart in the repository has values of its own below those of the Application.
  const folder = textAt(source, 'chart') === undefined ? textAt(source, 'path') : undefined;
  let values = folder === undefined ? undefined : valueFiles(`${folder}/values.yaml`);
  if (folder !== undefined && values === undefined)
    incomplete.push(`${folder}/values.yaml, the values of the chart itself, was not found`);
  for (const item of itemsAt(source, 'helm', 'valueFiles')) {
    // `$ref/path` names another source of the Application.
    const text = textOf(item) ?? '';
    const path = text.replace(/^\$[\w-]+\//, '');
    const below = folder === undefined || path !== text ? undefined : valueFiles(`${folder}/${path}`);
    const file = below ?? valueFiles(path);
    if (file === undefined) incomplete.push(`the value file ${path} was not found`);
    else values = mergeTrees(values, file);
  }
  return values;
}

/** A field only where it has a value: optional fields may not hold undefined. */
function optional<K extends string, V>(name: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [name]: value }) as { [P in K]?: V };
}
