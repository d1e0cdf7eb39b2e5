/** Checks of the version of Karpenter. */
import { evidenceOf, INFRASTRUCTURE } from '../../facts/facts.ts';
import type { HelmRelease } from '../../inputs/inputs.ts';
import type { Evidence } from '../../model/finding.ts';
import { textOf } from '../../model/tree.ts';
import type { CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import { each, fail, pass, warn } from '../judgements.ts';

/** The first version of Karpenter for each minor version of Kubernetes. Source: its compatibility matrix of 1.14. */
const FIRST_VERSIONS: ReadonlyMap<number, string> = new Map([
  [30, '0.37.0'],
  [31, '1.0.5'],
  [32, '1.2.0'],
  [33, '1.5.0'],
  [34, '1.6.0'],
  [35, '1.9.0'],
  [36, '1.13.0'],
]);

/** Releases that should not be run. */
const BAD_RELEASES: ReadonlyMap<string, string> = new Map([
  ['1.8.4', 'it plans pods with topology spread constraints wrongly'],
]);

export const VERSION_CHECKS: readonly CheckRow[] = [
  {
    id: 'K-51',
    title: 'Karpenter supports the version of Kubernetes',
    inputs: ['values', ['terraform', 'plan', 'state', 'cloud']],
    criterion:
      'Fails if the version of the chart is older than the first one for the version of the cluster.',
    severity: 'critical',
    phase: 3,
    fix: 'Use a version of Karpenter that supports the cluster.',
    docs: DOCS.upgrade,
    judge: ({ inputs, facts }) => {
      const clusters = facts.from('kubernetesVersion', ...INFRASTRUCTURE);
      return each(inputs.releases, (release) =>
        clusters.flatMap((cluster) => {
          const own = versionOf(release);
          const first = FIRST_VERSIONS.get(Number(/^1\.(\d+)/.exec(cluster.value ?? '')?.[1]));
          if (own === undefined || first === undefined) return [];
          const evidence = [versionEvidence(release, own), evidenceOf(cluster)];
          const object = release.origin;
          return isOlder(own, first)
            ? [fail(`Kubernetes ${cluster.value} needs Karpenter ${first} or later.`, evidence, { object })]
            : [pass(`${own} supports Kubernetes ${cluster.value}.`, evidence, { object })];
        }),
      );
    },
  },
  {
    id: 'K-52',
    title: 'The release of Karpenter has no known defect',
    inputs: ['values'],
    criterion: `Warns about ${[...BAD_RELEASES.keys()].join(', ')}.`,
    severity: 'high',
    phase: 3,
    fix: 'Use a later version.',
    docs: DOCS.upgrade,
    judge: ({ inputs }) =>
      each(inputs.releases, (release) => {
        const own = versionOf(release);
        if (own === undefined) return undefined;
        const defect = BAD_RELEASES.get(own);
        const evidence = [versionEvidence(release, own)];
        return defect === undefined
          ? pass(`It is ${own}.`, evidence, { object: release.origin })
          : warn(`${own} should not be used: ${defect}.`, evidence, { object: release.origin });
      }),
  },
];

// ---------------------------------------------------------------------------------------------------------------

/** `1.14.1`; undefined for a range or without one, and for the chart of Chandler, whose versions are others. */
export function versionOf({ version, chart }: HelmRelease): string | undefined {
  if (chart?.split('/').at(-1) === 'chandler') return undefined;
  return /^v?(\d+\.\d+\.\d+)$/.exec(textOf(version) ?? '')?.[1];
}

function versionEvidence({ version, source, at }: HelmRelease, value: string): Evidence {
  return { source, what: 'version of the chart', value, at: version?.at ?? at };
}

function isOlder(version: string, than: string): boolean {
  const other = than.split('.').map(Number);
  for (const [index, part] of version.split('.').map(Number).entries()) {
    const limit = other[index] ?? 0;
    if (part !== limit) return part < limit;
  }
  return false;
}
