/** Checks of AKS: VM sizes and quota that NodePools ask for, and images of AKSNodeClasses. */
import { type AKSNodeClassSpec, IMAGE_FAMILIES } from '../../../../api/index.ts';
import { resolveFamily } from '../../../../cloud/azure/images/family.ts';
import { parseSize, refusalOfName, seriesOf, skuRefusalText } from '../../../../cloud/azure/sizes/index.ts';
import { kubernetesVersionProblem } from '../../../../settings/index.ts';
import { optionOf } from '../../../azure/helm-options.ts';
import type { AzureObject } from '../../../azure/objects.ts';
import { judgeScenes, type Scene } from '../../../azure/scenes.ts';
import { hasSymbol } from '../../../azure/symbols.ts';
import type { Manifest } from '../../../inputs/inputs.ts';
import type { Evidence, Judgement } from '../../../model/finding.ts';
import { find, itemsAt, textAt, textOf, toValue } from '../../../model/tree.ts';
import type { CheckRow } from '../../check.ts';
import { DOCS } from '../../docs.table.ts';
import {
  fail,
  nodePools,
  objectOf,
  pass,
  requiredValues,
  requirementOf,
  seen,
  skip,
  warn,
} from '../../judgements.ts';

const SIZE_LABELS = ['karpenter.azure.com/sku-name', 'node.kubernetes.io/instance-type'];
const FAMILY_LABEL = 'karpenter.azure.com/sku-family';

export const AKS_CAPACITY_CHECKS: readonly CheckRow[] = [
  {
    id: 'A-20',
    title: 'NodePools name VM sizes that can be nodes of AKS',
    inputs: ['nodePools'],
    criterion:
      'Passes if the VM sizes and families that a NodePool requires can be nodes, and are open to the subscription where that is known. Fails if none of them can, warns if some cannot: names that are none, sizes that AKS refuses, constrained vCPUs, confidential VMs.',
    severity: 'high',
    phase: 4,
    fix: 'Write names such as Standard_D4s_v5, and families as one capital letter.',
    docs: DOCS.azureSizes,
    judge: (context) =>
      judgeScenes(context, (scene) =>
        nodePools(context.inputs).flatMap((pool) => [
          ...SIZE_LABELS.flatMap((label) => sizes(scene, pool, label)),
          ...families(pool),
        ]),
      ),
  },
  {
    id: 'A-21',
    title: 'The quota is large enough for the NodePools',
    inputs: [['terraform', 'plan', 'state', 'cloud'], 'nodePools'],
    criterion:
      'Fails if the quota of the family of a size that a NodePool names has no room for one VM, warns if it has less than the CPU limit of the NodePool. Passes if it has enough.',
    severity: 'high',
    phase: 4,
    fix: 'Request more quota for the family in the region, or name sizes of other families, too.',
    docs: DOCS.azureQuota,
    judge: (context) =>
      judgeScenes(context, (scene) => nodePools(context.inputs).flatMap((pool) => quotas(scene, pool))),
  },
  {
    id: 'A-22',
    title: 'There are images for the AKSNodeClasses',
    inputs: ['nodeClasses'],
    criterion:
      'Passes if AKS builds images of the image family for the version of Kubernetes. Fails if it does not, or if fipsMode is FIPS and USE_SIG is not true. Warns about Azure Linux 2, which gets no more updates.',
    severity: 'critical',
    phase: 4,
    fix: 'Choose another imageFamily or fipsMode, set USE_SIG for FIPS, or upgrade the cluster.',
    docs: DOCS.azureNodeClass,
    judge: (context) => judgeScenes(context, (scene) => scene.nodeClasses.map((each) => images(scene, each))),
  },
];

// ---------------------------------------------------------------------------------------------------------------

function sizes({ picture }: Scene, pool: Manifest, label: string): readonly Judgement[] {
  const names = requiredValues(pool, label);
  if (names === undefined || names.length === 0) return [];
  const live = picture.of('size');
  const problems = names.flatMap((name) => {
    const refusal = refusalOfName(name);
    if (refusal !== undefined) return [`${name}: ${skuRefusalText(refusal)}`];
    if (live.length === 0) return [];
    const found = live.find((size) => size.text('name')?.toLowerCase() === name.toLowerCase());
    if (found === undefined) return [`${name}: it is not in the region`];
    return isClosed(found) ? [`${name}: it is not open to the subscription in the region`] : [];
  });
  return [verdict(pool, label, names, problems)];
}

function isClosed(size: AzureObject): boolean {
  return itemsAt(size.field('restrictions')).some((each) => textAt(each, 'type') === 'Location');
}

function families(pool: Manifest): readonly Judgement[] {
  const names = requiredValues(pool, FAMILY_LABEL);
  if (names === undefined || names.length === 0) return [];
  const wrong = names
    .filter((name) => !/^[A-Z]$/.test(name))
    .map((name) => `${name} is not one capital letter`);
  return [verdict(pool, FAMILY_LABEL, names, wrong)];
}

function verdict(
  pool: Manifest,
  label: string,
  names: readonly string[],
  problems: readonly string[],
): Judgement {
  const object = objectOf(pool);
  const evidence = [requirement(pool, label, names)];
  if (problems.length === 0) return pass('All of them can be nodes.', evidence, { object });
  const text = `${problems.slice(0, 5).join('; ')}.`;
  return problems.length >= names.length
    ? fail(text, evidence, { object })
    : warn(text, evidence, { object });
}

function requirement(pool: Manifest, label: string, names: readonly string[]): Evidence {
  const found = requirementOf(pool, label);
  const values = find(found, 'values');
  return {
    source: pool.source,
    what: label,
    value: names.join(', '),
    at: values?.at ?? found?.at ?? pool.at,
  };
}

function quotas({ picture }: Scene, pool: Manifest): readonly Judgement[] {
  const all = picture.of('quota');
  const label = SIZE_LABELS.find((each) => (requiredValues(pool, each) ?? []).length > 0);
  const names = label === undefined ? undefined : requiredValues(pool, label);
  if (all.length === 0 || label === undefined || names === undefined) return [];
  const smallest = new Map<AzureObject, number>();
  for (const name of names) {
    const size = parseSize(name);
    if (size === undefined) continue;
    const family = `standard${seriesOf(size).replaceAll('_', '')}family`.toLowerCase();
    const quota = all.find((each) => each.text('name')?.toLowerCase() === family);
    if (quota !== undefined) smallest.set(quota, Math.min(size.cpus, smallest.get(quota) ?? size.cpus));
  }
  if (smallest.size === 0) return [];
  const limit = textAt(pool.tree, 'spec', 'limits', 'cpu');
  const wanted = limit !== undefined && /^\d+$/.test(limit) ? Number(limit) : undefined;
  const rooms = [...smallest].map(([quota, cpus]) => ({ quota, cpus, room: roomOf(quota) }));
  const evidence = [
    requirement(pool, label, names),
    ...(wanted === undefined ? [] : [seen(pool, 'spec', 'limits', 'cpu')]),
    ...rooms.flatMap(({ quota }) => [
      quota.seen('limit'),
      ...(quota.field('used') === undefined ? [] : [quota.seen('used')]),
    ]),
  ];
  const object = objectOf(pool);
  if (rooms.some(({ room }) => room === undefined))
    return [skip('The quota is not known.', ['state', 'cloud'], evidence, { object })];
  const room = rooms.reduce((sum, each) => sum + each.room!, 0);
  if (rooms.every((each) => each.room! < each.cpus))
    return [fail(`There is quota for ${room} vCPUs, and no size is that small.`, evidence, { object })];
  return wanted !== undefined && room < wanted
    ? [warn(`There is quota for ${room} vCPUs, and the limit is ${wanted}.`, evidence, { object })]
    : [pass(`There is quota for ${room} vCPUs.`, evidence, { object })];
}

function roomOf(quota: AzureObject): number | undefined {
  const limit = Number(textOf(quota.field('limit')) ?? Number.NaN);
  const used = Number(textOf(quota.field('used')) ?? 0);
  return Number.isNaN(limit) || Number.isNaN(used) ? undefined : Math.max(0, limit - used);
}

function images({ cluster, releases }: Scene, own: Manifest): Judgement {
  const object = objectOf(own);
  const evidence: Evidence[] = [seen(own, 'spec', 'imageFamily')];
  const spec = (toValue(find(own.tree, 'spec') ?? own.tree) ?? {}) as AKSNodeClassSpec;
  const family = spec.imageFamily ?? 'Ubuntu';
  if (
    find(own.tree, 'spec', 'imageFamily')?.kind === 'unknown' ||
    find(own.tree, 'spec', 'fipsMode')?.kind === 'unknown'
  )
    return skip('The image family is not known.', ['plan', 'state'], evidence, { object });
  if (!FAMILIES.has(family)) return fail(`There is no image family ${family}.`, evidence, { object });
  if (spec.fipsMode === 'FIPS') {
    evidence.push(seen(own, 'spec', 'fipsMode'));
    const [gallery] = releases.map((release) => optionOf(release, 'USE_SIG'));
    if (gallery !== undefined) evidence.push(gallery.evidence);
    if (
      gallery !== undefined &&
      (gallery.state === 'absent' || gallery.text === 'false' || gallery.text === '')
    )
      return fail('Images with FIPS are only in the gallery of USE_SIG.', evidence, { object });
    if (gallery?.text !== 'true')
      return skip('Images with FIPS need USE_SIG, and it is not known.', ['values'], evidence, { object });
  }
  const version = cluster?.text('kubernetesVersion');
  if (cluster !== undefined) evidence.push(cluster.seen('kubernetesVersion'));
  if (version === undefined || hasSymbol(version))
    return skip('The version of Kubernetes is not known.', ['terraform', 'state', 'cloud'], evidence, {
      object,
    });
  // Terraform also takes `1.33`, which is the newest of its patches.
  const full = /^\d+\.\d+$/.test(version) ? `${version}.0` : version;
  if (kubernetesVersionProblem(full) !== undefined)
    return fail(`${version} is no version of Kubernetes.`, evidence, { object });
  const resolved = resolveFamily(spec, { value: full, source: 'cluster', path: 'kubernetesVersion' });
  if (resolved.definitions.length === 0)
    return fail(`AKS builds no such image of ${family} for Kubernetes ${version}.`, evidence, { object });
  return family === 'AzureLinux' && resolved.family.name === 'AzureLinux2'
    ? warn('Azure Linux 2 gets no more updates; Kubernetes 1.32 brings Azure Linux 3.', evidence, { object })
    : pass(`There are images for Kubernetes ${version}.`, evidence, { object });
}

const FAMILIES: ReadonlySet<string> = new Set(IMAGE_FAMILIES);
