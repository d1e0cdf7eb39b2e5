/** What Terraform installs into the cluster: releases of Karpenter (`helm_release`) and manifests (`kubectl_manifest`). */
import { find, itemsAt, mergeTrees, type Tree, textAt, textOf } from '../../model/tree.ts';
import type { HelmRelease, Manifest, Resource } from '../inputs.ts';
import { isKarpenterChart, karpenterValues, valuesText, withSetting } from '../kubernetes/helm-values.ts';
import { manifestsIn } from '../kubernetes/manifests.ts';
import { readYaml } from '../kubernetes/yaml-trees.ts';

export function terraformRelease({ type, values, address, source, at }: Resource): HelmRelease | undefined {
  if (type !== 'helm_release') return undefined;
  const incomplete: string[] = [];
  let merged: Tree | undefined;
  for (const item of itemsAt(values, 'values')) {
    const tree = valuesIn(item);
    if (tree === undefined) incomplete.push(`values of ${address} are not known: ${whyOf(item)}`);
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
  const namespace = find(values, 'namespace');
  const version = find(values, 'version');
  const repository = find(values, 'repository');
  return {
    origin: address,
    source,
    at,
    releaseName: textAt(values, 'name') ?? 'karpenter',
    ...(namespace === undefined ? {} : { namespace }),
    ...(version === undefined ? {} : { version }),
    ...(repository === undefined ? {} : { repository }),
    values: own ?? merged ?? { kind: 'map', entries: new Map(), at },
    incomplete,
  };
}

/** Objects that `kubectl_manifest` (a text of YAML) and `kubernetes_manifest` (an object) create. */
export function terraformManifests({ type, values, source }: Resource): readonly Manifest[] {
  const manifest = type === 'kubernetes_manifest' ? find(values, 'manifest') : undefined;
  if (manifest !== undefined) return manifestsIn(manifest, source);
  const body = type === 'kubectl_manifest' ? find(values, 'yaml_body') : undefined;
  if (body?.kind !== 'scalar' || 'call' in body.at) return [];
  return readYaml(String(body.value), body.at.file, (body.at.line ?? 0) + 1).trees.flatMap((tree) =>
    manifestsIn(tree, source),
  );
}

// ---------------------------------------------------------------------------------------------------------------

/** A text of YAML, or what `yamlencode` writes as one. */
function valuesIn(item: Tree): Tree | undefined {
  if (item.kind === 'unknown') {
    const [argument] = item.call?.name === 'yamlencode' ? item.call.args : [];
    return argument?.kind === 'map' ? argument : undefined;
  }
  const text = textOf(item);
  return text === undefined ? undefined : valuesText(text, item.at);
}

function whyOf(tree: Tree): string {
  return tree.kind === 'unknown' ? `it ${tree.why}` : 'the text is no YAML';
}
