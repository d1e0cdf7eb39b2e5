/** Flux HelmReleases of Karpenter. Values that `valuesFrom` takes out of the cluster are not known here. */
import { find, itemsAt, type Tree, textAt } from '../../model/tree.ts';
import type { HelmRelease, Manifest } from '../inputs.ts';
import { isKarpenterChart, karpenterValues, releaseNameOf } from './helm-values.ts';

export function fluxRelease({
  kind,
  apiVersion,
  name,
  namespace,
  tree,
  at,
}: Manifest): HelmRelease | undefined {
  if (kind !== 'HelmRelease' || !apiVersion.startsWith('helm.toolkit.fluxcd.io/')) return undefined;
  const spec = find(tree, 'spec');
  const chart = find(spec, 'chart', 'spec');
  const written = find(spec, 'values');
  const own = written === undefined ? undefined : karpenterValues(written);
  const chartName = textAt(chart, 'chart') ?? textAt(spec, 'chartRef', 'name');
  if (!isKarpenterChart(chartName, undefined) && own === undefined) return undefined;
  const version = find(chart, 'version');
  const target = find(spec, 'targetNamespace') ?? find(tree, 'metadata', 'namespace');
  return {
    origin: `HelmRelease/${namespace === undefined ? '' : `${namespace}/`}${name}`,
    source: 'values',
    at,
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
