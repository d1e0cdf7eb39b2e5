/** What Terraform installs into the cluster: releases of Karpenter (`helm_release`) and manifests (`kubectl_manifest`). */
import { find, itemsAt, mergeTrees, type Tree, textAt } from '../../model/tree.ts';
import type { HelmRelease, InputProblem, Manifest, Resource } from '../inputs.ts';
import { isKarpenterChart, karpenterValues, valuesText, withSetting } from '../kubernetes/helm-values.ts';
import { readInnerYaml } from '../kubernetes/inner-yaml.ts';
import { manifestsIn } from '../kubernetes/manifests.ts';

export function terraformRelease(
  { type, values, address, source, at }: Resource,
  problems: InputProblem[],
): HelmRelease | undefined {
  if (type !== 'helm_release') return undefined;
  const incomplete: string[] = [];
  let merged: Tree | undefined;
  for (const item of itemsAt(values, 'values')) {
    const tree = valuesIn(item, problems);
    if (tree === 'empty') continue;
    if (tree === 'broken') incomplete.push(`values of ${address} are not known: ${whyOf(item)}`);
    else merged = mergeTrees(merged, tree);
  }
  for (const list of ['set', 'set_sensitive', 'set_list']) {
    if (find(values, list)?.kind === 'unknown') incomplete.push(`${list} of ${address} is not known`);
    for (const item of itemsAt(values, list)) {
      const name = textAt(item, 'name');
      const value = find(item, 'value');
      if (name === undefined || value === undefined) incomplete.push(`a ${list} of ${address} is not known`);
      else merged = withSetting(merged, name, value);
    }
  }
  if (find(values, 'values')?.kind === 'unknown') incomplete.push(`values of ${address} are not known`);
  const own = merged === undefined ? undefined : karpenterValues(merged);
  if (!isKarpenterChart(textAt(values, 'chart'), textAt(values, 'repository')) && own === undefined)
    return undefined;
  return {
    origin: address,
    source,
    at,
    ...(textAt(values, 'chart') === undefined ? {} : { chart: textAt(values, 'chart')! }),
    releaseName: textAt(values, 'name') ?? 'karpenter',
    ...given(values, 'namespace'),
    ...given(values, 'version'),
    ...given(values, 'repository'),
    values: own ?? merged ?? { kind: 'map', entries: new Map(), at },
    incomplete,
  };
}

/** Objects that `kubectl_manifest` (a text of YAML) and `kubernetes_manifest` (an object) create. Undefined: they are not known. */
export function terraformManifests(
  { type, values, source }: Resource,
  problems: InputProblem[],
): readonly Manifest[] | undefined {
  const manifest = type === 'kubernetes_manifest' ? find(values, 'manifest') : undefined;
  if (manifest !== undefined)
    return find(manifest, 'kind')?.kind === 'unknown' ? undefined : manifestsIn(manifest, source);
  const body = type === 'kubectl_manifest' ? find(values, 'yaml_body') : undefined;
  if (body === undefined) return [];
  const read = readInnerYaml(body);
  if (read === undefined) return undefined;
  problems.push(...read.problems);
  return read.trees.flatMap((tree) => manifestsIn(tree, source));
}

// ---------------------------------------------------------------------------------------------------------------

/** An argument only where it is set: optional fields may not hold undefined. */
function given<K extends string>(values: Tree, name: K): { [P in K]?: Tree } {
  const found = find(values, name);
  return (found === undefined ? {} : { [name]: found }) as { [P in K]?: Tree };
}

/** A text of YAML, or what `yamlencode` writes as one. */
function valuesIn(item: Tree, problems: InputProblem[]): ReturnType<typeof valuesText> {
  const [argument] = item.kind === 'unknown' && item.call?.name === 'yamlencode' ? item.call.args : [];
  return argument?.kind === 'map' ? argument : valuesText(item, problems);
}

function whyOf(tree: Tree): string {
  return tree.kind === 'unknown' ? `it ${tree.why}` : 'the text is no YAML';
}
