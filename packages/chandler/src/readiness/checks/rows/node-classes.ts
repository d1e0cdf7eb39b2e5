/** Checks of EC2NodeClasses, each alone. */
import { fieldText } from '@chandler/kube';
import { doubtfulEc2Values, type EC2NodeClassSpec } from '../../../api/index.ts';
import { evidenceOf, INFRASTRUCTURE, knownValues } from '../../facts/facts.ts';
import type { Manifest } from '../../inputs/inputs.ts';
import type { Evidence } from '../../model/finding.ts';
import { entriesAt, find, itemsAt, type Path, type Tree, textAt, textOf, toValue } from '../../model/tree.ts';
import type { CheckContext, CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import { each, fail, nodeClasses, objectOf, pass, seen, skip, warn } from '../judgements.ts';
import { liveCluster, selectedGroups, selectedSubnets, shown } from '../live.ts';
import { familyOf } from '../node-class-family.ts';

const TERMS = ['spec', 'amiSelectorTerms'] as const;
const METADATA = ['spec', 'metadataOptions'] as const;

export const NODE_CLASS_CHECKS: readonly CheckRow[] = [
  {
    id: 'S-32',
    title: 'AMIs are not selected by id',
    inputs: ['nodeClasses'],
    criterion:
      'Warns if a term of amiSelectorTerms has an id (with --strict it fails): an id is of one region and is not updated.',
    severity: 'high',
    phase: 4,
    fix: 'Select by an alias with a version, such as al2023@v20260801, or by tags of your own images.',
    docs: DOCS.amis,
    judge: ({ inputs, policy }) =>
      each(nodeClasses(inputs), (own) => {
        const ids = itemsAt(own.tree, ...TERMS).flatMap((term, index) =>
          find(term, 'id') === undefined ? [] : [seen(own, ...TERMS, index, 'id')],
        );
        const object = objectOf(own);
        if (ids.length === 0) return pass('No term has an id.', [seen(own, ...TERMS)], { object });
        const message = `It selects ${ids.map(({ value }) => value ?? 'an id').join(', ')}.`;
        return policy.strict ? fail(message, ids, { object }) : warn(message, ids, { object });
      }),
  },
  {
    id: 'S-34',
    title: 'The AMI family is maintained',
    inputs: ['nodeClasses'],
    criterion:
      'Fails if a class uses Amazon Linux 2 on Kubernetes 1.33 or later, which has no such images; warns on earlier or unknown versions, because it has not been maintained since 2025-11-26.',
    severity: 'high',
    phase: 4,
    fix: 'Use al2023 with a version, such as al2023@v20260801.',
    docs: DOCS.al2,
    judge: ({ inputs, facts }) =>
      each(nodeClasses(inputs), (own) => {
        const family = familyOf(own);
        const object = objectOf(own);
        const evidence = [seen(own, 'spec', 'amiFamily'), seen(own, ...TERMS, 0, 'alias')];
        if (family === undefined) return skip('The family is not known.', [], evidence, { object });
        if (family !== 'AL2') return pass(`It is ${family}.`, evidence, { object });
        const versions = facts.from('kubernetesVersion', ...INFRASTRUCTURE);
        const isGone = knownValues(versions).some((version) => Number(/^1\.(\d+)/.exec(version)?.[1]) >= 33);
        const all = [...evidence, ...versions.map(evidenceOf)];
        return isGone
          ? fail('There are no images of Amazon Linux 2 for this version of Kubernetes.', all, { object })
          : warn('Amazon Linux 2 gets no updates.', all, { object });
      }),
  },
  {
    id: 'S-35',
    title: 'Instances require IMDSv2',
    inputs: ['nodeClasses'],
    criterion:
      'Passes if metadataOptions.httpTokens is required or absent (the default), fails if it is optional or anything else.',
    severity: 'high',
    phase: 4,
    fix: 'Set spec.metadataOptions.httpTokens to required.',
    docs: DOCS.metadata,
    judge: ({ inputs }) =>
      each(nodeClasses(inputs), (own) => {
        const tokens = textAt(own.tree, ...METADATA, 'httpTokens');
        const evidence = [seen(own, ...METADATA, 'httpTokens')];
        const object = objectOf(own);
        if (tokens === 'optional') return fail('IMDSv1 is allowed.', evidence, { object });
        if (evidence[0]!.note === 'absent') return pass('It is required by default.', evidence, { object });
        return tokens === 'required' || evidence[0]!.unknown === true
          ? pass('It is required.', evidence, { object })
          : fail(`The API server rejects ${tokens ?? 'it'}; it accepts required and optional.`, evidence, {
              object,
            });
      }),
  },
  {
    id: 'S-36',
    title: 'Access to instance metadata is a choice',
    inputs: ['nodeClasses'],
    criterion:
      'Passes if the endpoint is enabled and the hop limit 1. Warns about a larger limit, with which pods reach the role of the node, and about a disabled endpoint.',
    severity: 'medium',
    phase: 4,
    fix: 'Set httpPutResponseHopLimit to 1, and give pods that need AWS a role of their own.',
    docs: DOCS.metadata,
    judge: ({ inputs }) =>
      each(nodeClasses(inputs), (own) => {
        const hops = Number(textAt(own.tree, ...METADATA, 'httpPutResponseHopLimit') ?? '1');
        const evidence = [
          seen(own, ...METADATA, 'httpPutResponseHopLimit'),
          seen(own, ...METADATA, 'httpEndpoint'),
        ];
        const object = objectOf(own);
        if (textAt(own.tree, ...METADATA, 'httpEndpoint') === 'disabled')
          return warn(
            'The endpoint is disabled, which the kubelet and the agent of Systems Manager need.',
            evidence,
            { object },
          );
        return hops <= 1
          ? pass('The hop limit is 1.', evidence, { object })
          : warn(`The hop limit is ${hops}: pods get the credentials of the node.`, evidence, { object });
      }),
  },
  {
    id: 'K-28',
    title: 'AMIs are pinned',
    inputs: ['nodeClasses'],
    criterion:
      'Warns if an alias ends with @latest (with --strict it fails): new images roll out by themselves.',
    severity: 'high',
    phase: 4,
    fix: 'Write a version that you have tested, such as al2023@v20260801.',
    docs: DOCS.amis,
    judge: ({ inputs, policy }) =>
      each(nodeClasses(inputs), (own) => {
        const aliases = itemsAt(own.tree, ...TERMS).flatMap((term, index) =>
          find(term, 'alias') === undefined ? [] : [seen(own, ...TERMS, index, 'alias')],
        );
        if (aliases.length === 0) return undefined;
        const object = objectOf(own);
        const floating = aliases.filter(({ value }) => value?.endsWith('@latest') === true);
        // Windows images have no other version.
        if (floating.every(({ value }) => value?.startsWith('windows') === true))
          return pass('No alias follows the newest image.', aliases, { object });
        const message = `${floating.map(({ value }) => value).join(', ')} changes without a change of yours.`;
        return policy.strict ? fail(message, floating, { object }) : warn(message, floating, { object });
      }),
  },
  {
    id: 'K-35',
    title: 'Roles and instance profiles are given by name',
    inputs: ['nodeClasses'],
    criterion:
      'Fails if spec.role or spec.instanceProfile is an ARN: the class becomes ready, and launches fail.',
    severity: 'critical',
    phase: 4,
    fix: 'Write the name: the last part of the ARN.',
    docs: DOCS.nodeClasses,
    judge: doubts(/^spec\.(role|instanceProfile)$/, fail, 'It is a name.', [
      ['spec', 'role'],
      ['spec', 'instanceProfile'],
    ]),
  },
  {
    id: 'K-74',
    title: 'Selector terms do not mix an id with other fields',
    inputs: ['nodeClasses'],
    criterion: 'Warns if a term has an id (or a name) and fields that are ignored beside it.',
    severity: 'medium',
    phase: 4,
    fix: 'Split the term, or remove what is ignored.',
    docs: DOCS.nodeClasses,
    judge: doubts(/SelectorTerms(\[\d+\](\.alias)?)?$/, warn, 'No term mixes them.', [
      ['spec', 'subnetSelectorTerms'],
    ]),
  },
  {
    id: 'K-75',
    title: 'Selectors do not match everything',
    inputs: ['nodeClasses'],
    criterion:
      'Fails if all tags of a term of subnets or security groups are *, or its name is *, or if what it selects in the account belongs to other clusters only (kubernetes.io/cluster/NAME).',
    severity: 'high',
    phase: 4,
    fix: 'Select by karpenter.sh/discovery with the name of the cluster.',
    docs: DOCS.nodeClasses,
    judge: (context) =>
      each(nodeClasses(context.inputs), (own) => {
        const broad = SELECTORS.flatMap((list) =>
          itemsAt(own.tree, 'spec', list).flatMap((term, index) => {
            const values = [...leafTexts(term)];
            return values.length > 0 && values.every((value) => value === '*')
              ? [['spec', list, index] as const]
              : [];
          }),
        );
        const object = objectOf(own);
        const foreign = selectedOfOthers(context, own);
        if (foreign.length > 0)
          return fail('A term selects what belongs to another cluster.', foreign, { object });
        return broad.length === 0
          ? pass(
              'All terms are narrow.',
              SELECTORS.map((list) => seen(own, 'spec', list)),
              { object },
            )
          : fail(
              'A term matches resources of other clusters.',
              broad.map((path) => seen(own, ...path)),
              { object },
            );
      }),
  },
  {
    id: 'K-76',
    title: 'Tags of EC2NodeClasses do not change often',
    inputs: ['nodeClasses'],
    criterion:
      'Warns if a tag of spec.tags holds a commit, a build, a date or a version: every change of it replaces all nodes of the class.',
    severity: 'low',
    phase: 4,
    fix: 'Remove the tag from the class, and tag instances in another way.',
    docs: DOCS.nodeClasses,
    judge: ({ inputs }) =>
      each(nodeClasses(inputs), (own) => {
        const tags = entriesAt(own.tree, 'spec', 'tags');
        if (tags.length === 0) return undefined;
        const object = objectOf(own);
        const changing = tags.filter(
          ([key, value]) => CHANGING_KEY.test(key) || CHANGING.test(textOf(value) ?? ''),
        );
        const shown = (changing.length === 0 ? tags : changing).map(([key]) =>
          seen(own, 'spec', 'tags', key),
        );
        return changing.length === 0
          ? pass('No tag changes by itself.', shown, { object })
          : warn(
              `${changing.map(([key]) => key).join(', ')} changes often, and nodes are replaced each time.`,
              shown,
              {
                object,
              },
            );
      }),
  },
];

// ---------------------------------------------------------------------------------------------------------------

/** `git-commit`, `BuildNumber`, `last_updated`, `deployed-at`. */
const CHANGING_KEY =
  /(^|[^a-z])(commit|sha|revision|build|timestamp|last[-_ ]?(updated|modified|applied)|(deployed|updated|created)[-_ ]?(at|on))([^a-z]|$)/i;
/** A commit, a time, an image version. */
const CHANGING = /^([0-9a-f]{7,40}|\d{4}-\d{2}-\d{2}([T ].*)?|v?\d+\.\d+\.\d+\S*)$/;

const SELECTORS = ['subnetSelectorTerms', 'securityGroupSelectorTerms'] as const;

/** Live subnets and security groups with the tag of another cluster, and without that of this one. */
function selectedOfOthers(context: CheckContext, own: Manifest): readonly Evidence[] {
  const tag = `${CLUSTER_TAG}${liveCluster(context.inputs)?.name}`;
  return [...selectedSubnets(context), ...selectedGroups(context)]
    .filter(({ nodeClass }) => nodeClass === own)
    .flatMap(({ selected = [] }) => selected)
    .flatMap((resource) => {
      const tags = entriesAt(resource.values, 'tags').map(([key]) => key);
      const others = tags.filter((key) => key.startsWith(CLUSTER_TAG));
      return others.length === 0 || others.includes(tag) ? [] : shown(resource, 'tags', others[0]!);
    });
}

const CLUSTER_TAG = 'kubernetes.io/cluster/';

function* leafTexts(term: ReturnType<typeof itemsAt>[number]): Generator<string> {
  for (const field of ['id', 'name']) {
    const text = textAt(term, field);
    if (text !== undefined) yield text;
  }
  const tags = find(term, 'tags');
  if (tags?.kind === 'map') for (const key of tags.entries.keys()) yield textAt(tags, key) ?? '';
}

/** Values that the API server accepts and that do not work; `api/` knows them. */
function doubts(
  field: RegExp,
  otherwise: typeof warn,
  message: string,
  looked: readonly Path[],
): CheckRow['judge'] {
  return ({ inputs }) =>
    each(nodeClasses(inputs), (own) => {
      const object = objectOf(own);
      const misfits = [...misfitsOf(own.tree)];
      const wrong = misfits.filter(({ path }) => field.test(fieldText(path)));
      if (wrong.length > 0)
        return wrong.map(({ path, expected }) =>
          fail(`${fieldText(path)} is not a ${expected}.`, [seen(own, ...path)], { object }),
        );
      // The fields of the other check.
      if (misfits.length > 0) return undefined;
      const spec = toValue(find(own.tree, 'spec') ?? own.tree) as EC2NodeClassSpec;
      const found = doubtfulEc2Values({ ...spec, amiSelectorTerms: spec.amiSelectorTerms ?? [] }).filter(
        (each) => field.test(each.field),
      );
      if (found.length === 0)
        return pass(
          message,
          looked.map((path) => seen(own, ...path)),
          { object },
        );
      return found.map(({ field: path, message: text }) =>
        otherwise(`${path}: ${text}.`, [seen(own, ...pathOf(path))], { object }),
      );
    });
}

/** Fields that have another type than `api/` reads; the API server rejects them. */
function* misfitsOf(
  tree: Tree,
): Generator<{ readonly path: Path; readonly expected: 'text' | 'list' | 'map' }> {
  const isText = (value: Tree | undefined) =>
    value === undefined ||
    value.kind === 'unknown' ||
    (value.kind === 'scalar' && typeof value.value === 'string');
  for (const field of ['role', 'instanceProfile'])
    if (!isText(find(tree, 'spec', field))) yield { path: ['spec', field], expected: 'text' };
  for (const list of TERM_LISTS) {
    const terms = find(tree, 'spec', list);
    if (terms === undefined || terms.kind === 'unknown') continue;
    if (terms.kind !== 'list') yield { path: ['spec', list], expected: 'list' };
    else
      for (const [index, term] of terms.items.entries())
        if (term.kind === 'scalar' || term.kind === 'list')
          yield { path: ['spec', list, index], expected: 'map' };
        else if (!isText(find(term, 'alias')))
          yield { path: ['spec', list, index, 'alias'], expected: 'text' };
  }
}

const TERM_LISTS = [
  'subnetSelectorTerms',
  'securityGroupSelectorTerms',
  'capacityReservationSelectorTerms',
  'amiSelectorTerms',
] as const;

/** The steps of `spec.subnetSelectorTerms[0]`. */
function pathOf(field: string): Path {
  return field
    .split(/[.[\]]+/)
    .filter((step) => step !== '')
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}
