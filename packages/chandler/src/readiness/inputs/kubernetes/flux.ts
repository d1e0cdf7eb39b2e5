/** Flux HelmReleases of Karpenter. Values that `valuesFrom` takes out of the cluster are not known here. */
import { find, itemsAt, type Tree, textAt } from '../../model/tree.ts';
import type { HelmRelease, Manifest } from '../inputs.ts';
import { isKarpenterChart, karpenterValues, releaseNameOf } from './helm-values.ts';

/** @param all manifests of the same folder, in which the repository of the chart may be. */
export function fluxRelease(
  { kind, apiVersion, name, namespace, tree, at }: Manifest,
  all: readonly Manifest[] = [],
): HelmRelease | undefined {
  if (kind !== 'HelmRelease' || !apiVersion.startsWith('helm.toolkit.fluxcd.io/')) return undefined;
  const spec = find(tree, 'spec');
  const chart = find(spec, 'chart', 'spec');
  const written = find(spec, 'values');
  const own = written === undefined ? undefined : karpenterValues(written);
  const referred = find(spec, 'chartRef');
  const source = all.find(
    (each) => each.kind === textAt(referred, 'kind') && each.name === textAt(referred, 'name'),
  );
  const chartName = textAt(chart, 'chart') ?? textAt(referred, 'name');
  if (!isKarpenterChart(chartName, textAt(source?.tree, 'spec', 'url')) && own === undefined)
    return undefined;
  const version = referred === undefined ? find(chart, 'version') : versionOf(referred, source);
  const target = find(spec, 'targetNamespace') ?? find(tree, 'metadata', 'namespace');
  return {
    origin: `HelmRelease/${namespace === undefined ? '' : `${namespace}/`}${name}`,
    source: 'values',
    at,
    ...(chartName === undefined ? {} : { chart: chartName }),
    releaseName: releaseNameOf(spec, name),
    ...(target === undefined ? {} : { namespace: target }),
    ...(version === undefined ? {} : { version }),
    values: own ?? written ?? { kind: 'map', entries: new Map(), at },
    incomplete: [
      ...itemsAt(spec, 'valuesFrom').map(reasonOf),
      ...itemsAt(chart, 'valuesFiles').map((file) => `the value file ${textAt(file) ?? ''} is in the chart`),
    ],
  };
}

// ---------------------------------------------------------------------------------------------------------------

function reasonOf(from: Tree): string {
  return `valuesFrom reads the ${textAt(from, 'kind') ?? 'object'} ${textAt(from, 'name') ?? ''}, which is not here`;
}

/** An OCIRepository or HelmChart says which version it is. */
function versionOf(referred: Tree, source: Manifest | undefined): Tree | undefined {
  if (source === undefined)
    return {
      kind: 'unknown',
      why: `is that of ${textAt(referred, 'kind')} ${textAt(referred, 'name')}, which is not here`,
      at: referred.at,
    };
  const spec = find(source.tree, 'spec');
  return find(spec, 'version') ?? find(spec, 'ref', 'tag') ?? find(spec, 'ref', 'semver');
}
