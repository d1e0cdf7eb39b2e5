/** Checks of AKS: AKSNodeClasses are valid, and NodePools refer to them. */
import { aksNodeClassKind } from '../../../../api/index.ts';
import type { Manifest } from '../../../inputs/inputs.ts';
import type { Judgement } from '../../../model/finding.ts';
import { find, textAt } from '../../../model/tree.ts';
import type { CheckContext, CheckRow } from '../../check.ts';
import { DOCS } from '../../docs.table.ts';
import { each, fail, nodePools, objectOf, pass, seen, skip, unreadManifest } from '../../judgements.ts';
import { schemaProblems } from './schema-problems.ts';

const GROUP = 'karpenter.azure.com';
const REFERENCE = ['spec', 'template', 'spec', 'nodeClassRef'] as const;

export const AKS_MANIFEST_CHECKS: readonly CheckRow[] = [
  {
    id: 'A-30',
    title: 'AKSNodeClasses are valid, and NodePools refer to one that exists',
    inputs: [['nodePools', 'nodeClasses']],
    criterion:
      'Passes if each AKSNodeClass has known fields with allowed values, and each NodePool refers to one by group karpenter.azure.com, kind and name. Fails if a field is unknown or a value is not allowed, or if the class does not exist.',
    severity: 'critical',
    phase: 4,
    fix: 'Correct the field that is named, or spec.template.spec.nodeClassRef; or add the AKSNodeClass.',
    docs: DOCS.azureNodeClass,
    judge: ({ inputs }) => {
      const classes = inputs.manifests.filter(({ kind }) => kind === 'AKSNodeClass');
      return [
        ...each(classes, valid),
        ...each(nodePools(inputs), (pool) => reference(inputs, pool, classes)),
      ];
    },
  },
];

// ---------------------------------------------------------------------------------------------------------------

const VERSIONS: ReadonlySet<string> = new Set(
  aksNodeClassKind.versions.filter(({ served }) => served).map(({ name }) => `${GROUP}/${name}`),
);

function valid(own: Manifest): Judgement {
  const object = objectOf(own);
  if (!VERSIONS.has(own.apiVersion))
    return fail(`${own.apiVersion} is not served; use ${GROUP}/v1beta1.`, [seen(own, 'apiVersion')], {
      object,
    });
  const spec = find(own.tree, 'spec');
  const problems = spec === undefined ? [] : schemaProblems(aksNodeClassKind.spec.json, spec, ['spec']);
  const [first] = problems;
  if (first !== undefined)
    return fail(
      problems
        .slice(0, 5)
        .map(({ message }) => message)
        .join(' '),
      problems.slice(0, 5).map(({ path }) => seen(own, ...path)),
      { object },
    );
  const rule = RULES.find(({ breaks }) => breaks((...path) => textAt(own.tree, 'spec', ...path)));
  return rule === undefined
    ? pass('All fields are valid.', [seen(own, 'apiVersion')], { object })
    : fail(rule.message, [seen(own, ...rule.path)], { object });
}

interface Rule {
  readonly message: string;
  readonly path: readonly string[];
  breaks(text: (...path: readonly string[]) => string | undefined): boolean;
}

type Text = Parameters<Rule['breaks']>[0];
const isFips = (text: Text) => text('fipsMode') === 'FIPS';
const isTrusted = (text: Text) =>
  text('security', 'trustedLaunch', 'vtpm') === 'true' ||
  text('security', 'trustedLaunch', 'secureBoot') === 'true';

/** Those between fields, which the API server checks with expressions. */
const RULES: readonly Rule[] = [
  {
    message: 'FIPS is not supported with Ubuntu2404.',
    path: ['spec', 'fipsMode'],
    breaks: (text) => isFips(text) && text('imageFamily') === 'Ubuntu2404',
  },
  {
    message: 'FIPS with Ubuntu2204 needs trusted launch.',
    path: ['spec', 'fipsMode'],
    breaks: (text) => isFips(text) && text('imageFamily') === 'Ubuntu2204' && !isTrusted(text),
  },
  {
    message: 'Trusted launch with FIPS is supported with Ubuntu and Ubuntu2204 only.',
    path: ['spec', 'imageFamily'],
    breaks: (text) =>
      isFips(text) && isTrusted(text) && !/^Ubuntu(2204)?$/.test(text('imageFamily') ?? 'Ubuntu'),
  },
  {
    message: 'A swap file needs kubelet.failSwapOn: false.',
    path: ['spec', 'linuxOSConfig', 'swapFileSize'],
    breaks: (text) =>
      text('linuxOSConfig', 'swapFileSize') !== undefined && text('kubelet', 'failSwapOn') !== 'false',
  },
  {
    message: 'kubelet.imageGCHighThresholdPercent must be greater than imageGCLowThresholdPercent.',
    path: ['spec', 'kubelet', 'imageGCHighThresholdPercent'],
    breaks: (text) => {
      const high = text('kubelet', 'imageGCHighThresholdPercent');
      const low = text('kubelet', 'imageGCLowThresholdPercent');
      return high !== undefined && low !== undefined && Number(high) <= Number(low);
    },
  },
];

function reference(
  inputs: CheckContext['inputs'],
  pool: Manifest,
  classes: readonly Manifest[],
): Judgement | undefined {
  const text = (field: string) => textAt(pool.tree, ...REFERENCE, field);
  const fields = ['group', 'kind', 'name'];
  const evidence = fields.map((field) => seen(pool, ...REFERENCE, field));
  const object = objectOf(pool);
  // A pool of another cloud has another kind of class.
  if (text('kind') === 'EC2NodeClass' || text('group') === 'karpenter.k8s.aws') return undefined;
  if (fields.some((field) => find(pool.tree, ...REFERENCE, field)?.kind === 'unknown'))
    return skip('The reference is not known.', ['plan', 'state'], evidence, { object });
  if (text('group') !== GROUP || text('kind') !== 'AKSNodeClass')
    return fail(`It does not refer to an AKSNodeClass of ${GROUP}.`, evidence, { object });
  const found = classes.find(({ name }) => name === text('name'));
  if (found !== undefined)
    return pass(`AKSNodeClass ${found.name} exists.`, [...evidence, seen(found, 'metadata', 'name')], {
      object,
    });
  const unread = unreadManifest(inputs, 'AKSNodeClass');
  if (classes.length === 0 || unread !== undefined)
    return skip(
      unread === undefined ? 'There are no AKSNodeClasses.' : `There may be more classes: ${unread}.`,
      ['nodeClasses'],
      evidence,
      { object },
    );
  return fail(`There is no AKSNodeClass ${text('name')}.`, evidence, { object });
}
