/** Checks of the discovery tag on subnets and security groups, as Terraform sets it. */
import { knownValues } from '../../facts/facts.ts';
import { DISCOVERY_TAG } from '../../facts/gather.ts';
import type { Inputs, Resource } from '../../inputs/inputs.ts';
import { entryOf } from '../../inputs/terraform/evaluate.ts';
import { type Evidence, type Judgement, SOURCES } from '../../model/finding.ts';
import { find, leaves, type Tree, textAt, textOf } from '../../model/tree.ts';
import type { CheckContext, CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import { each, fail, nodeClasses, pass, skip, warn } from '../judgements.ts';

const TERRAFORM = ['terraform', 'plan', 'state', 'cloud'] as const;

export const DISCOVERY_TAG_CHECKS: readonly CheckRow[] = [
  {
    id: 'S-07',
    title: 'Subnets carry the discovery tag',
    inputs: [TERRAFORM],
    criterion:
      'Passes if a subnet has karpenter.sh/discovery with the name of the cluster, fails if none has it or the value is another. Warns if a public subnet has it.',
    severity: 'critical',
    phase: 1,
    fix: 'Tag the private subnets with karpenter.sh/discovery and the name of the cluster.',
    docs: DOCS.gettingStarted,
    judge: (context) => tagged(context, strongest(subnetTags(context.inputs)), 'subnet'),
  },
  {
    id: 'S-11',
    title: 'The cluster itself needs no discovery tag',
    inputs: [TERRAFORM],
    criterion: 'Warns if the cluster carries karpenter.sh/discovery: it is allowed and has no effect.',
    severity: 'info',
    phase: 1,
    fix: 'Nothing has to be done; subnets and one security group need the tag.',
    docs: DOCS.gettingStarted,
    judge: ({ inputs }) =>
      each(
        inputs.resources.filter(({ type, mode }) => type === 'aws_eks_cluster' && mode === 'managed'),
        (cluster) => {
          const own = taggedResource(cluster, false);
          return own.tag === undefined
            ? pass('It has none.', [tagEvidence(own)], { object: cluster.address })
            : warn('The tag has no effect on the cluster.', [tagEvidence(own)], { object: cluster.address });
        },
      ),
  },
  {
    id: 'S-09',
    title: 'One security group carries the discovery tag',
    inputs: [TERRAFORM],
    criterion:
      'Passes if exactly one security group has karpenter.sh/discovery with the name of the cluster, fails if none has it, warns about several.',
    severity: 'critical',
    phase: 1,
    fix: 'Tag the security group of the nodes, and no other.',
    docs: DOCS.gettingStarted,
    judge: (context) => {
      const found = strongest(groupTags(context.inputs));
      const judgements = tagged(context, found, 'security group');
      const owners = found.filter(({ tag }) => textOf(tag) !== undefined);
      return owners.length > 1 && judgements.every(({ status }) => status === 'pass')
        ? [warn(`${owners.length} security groups carry it.`, owners.map(tagEvidence))]
        : judgements;
    },
  },
];

// ---------------------------------------------------------------------------------------------------------------

interface Tagged {
  /** The resource or module. */
  readonly what: string;
  readonly source: Evidence['source'];
  /** The value of the discovery tag; undefined without one. */
  readonly tag: Tree | undefined;
  readonly at: Evidence['at'];
  readonly isPublic: boolean;
}

function tagEvidence({ what, source, tag, at }: Tagged): Evidence {
  const own = { source, what: `${what} ${DISCOVERY_TAG}`, at: tag?.at ?? at };
  if (tag === undefined) return { ...own, note: 'absent' };
  if (tag.kind === 'unknown') return { ...own, note: `not known: it ${tag.why}`, unknown: true };
  return { ...own, value: textOf(tag) ?? '' };
}

function subnetTags({ resources, moduleCalls }: Inputs): readonly Tagged[] {
  const own = resources
    .filter(({ type, mode }) => type === 'aws_subnet' && mode === 'managed')
    .map((subnet) => taggedResource(subnet, textAt(subnet.values, 'map_public_ip_on_launch') === 'true'));
  const modules = moduleCalls.flatMap((call) =>
    ['private_subnet_tags', 'intra_subnet_tags', 'public_subnet_tags']
      .filter((name) => find(call.arguments, name) !== undefined)
      .map((name) => ({
        what: `${call.address}.${name}`,
        source: 'terraform' as const,
        tag: entryOf(find(call.arguments, name), DISCOVERY_TAG),
        at: call.at,
        isPublic: name.startsWith('public'),
      })),
  );
  // Tags of the whole module are on its subnets, the public ones included.
  const whole = moduleCalls
    .filter(({ moduleSource }) => /(^|\/)(terraform-aws-)?vpc(\/aws)?(\.git)?(\?.*)?$/.test(moduleSource))
    .map((call) => ({
      what: `${call.address}.tags`,
      source: 'terraform' as const,
      tag: entryOf(find(call.arguments, 'tags'), DISCOVERY_TAG),
      at: call.at,
      isPublic: find(call.arguments, 'public_subnets') !== undefined,
    }))
    .filter(({ tag }) => textOf(tag) !== undefined);
  return [...own, ...modules, ...whole, ...separateTags(resources, SUBNET)];
}

function groupTags({ resources, moduleCalls }: Inputs): readonly Tagged[] {
  const own = resources
    .filter(({ type, mode }) => type === 'aws_security_group' && mode === 'managed')
    .map((group) => taggedResource(group, false));
  const modules = moduleCalls
    .filter(({ arguments: given }) => find(given, 'node_security_group_tags') !== undefined)
    .map((call) => ({
      what: `${call.address}.node_security_group_tags`,
      source: 'terraform' as const,
      tag: entryOf(find(call.arguments, 'node_security_group_tags'), DISCOVERY_TAG),
      at: call.at,
      isPublic: false,
    }));
  // Tags of the whole module are on the groups of the cluster and of the nodes.
  const whole = moduleCalls
    .filter(
      ({ moduleSource, arguments: given }) =>
        /(^|\/)(terraform-aws-)?eks(\/aws)?(\.git)?(\?.*)?$/.test(moduleSource) &&
        textOf(entryOf(find(given, 'tags'), DISCOVERY_TAG)) !== undefined,
    )
    .flatMap((call) =>
      ['cluster', 'node'].map((group) => ({
        what: `${call.address}.tags (${group})`,
        source: 'terraform' as const,
        tag: entryOf(find(call.arguments, 'tags'), DISCOVERY_TAG),
        at: call.at,
        isPublic: false,
      })),
    );
  return [...own, ...modules, ...whole, ...separateTags(resources, GROUP)];
}

function taggedResource({ address, source, values, at }: Resource, isPublic: boolean): Tagged {
  return { what: address, source, tag: entryOf(find(values, 'tags'), DISCOVERY_TAG), at, isPublic };
}

/** How the id of a resource begins, and what a reference to it names. */
interface TaggedKind {
  readonly id: RegExp;
  readonly reference: RegExp;
}

const SUBNET: TaggedKind = { id: /^subnet-/, reference: /(^|\.)aws_(default_)?subnets?\./ };
const GROUP: TaggedKind = { id: /^sg-/, reference: /(^|\.)aws_(default_)?security_groups?\./ };

/** Of `aws_ec2_tag`, `resource_id` says what it tags. Where that is not known, it may be either kind. */
function separateTags(resources: readonly Resource[], kind: TaggedKind): readonly Tagged[] {
  return resources
    .filter(({ type, values }) => type === 'aws_ec2_tag' && textAt(values, 'key') === DISCOVERY_TAG)
    .flatMap(({ address, source, values, at }): readonly Tagged[] => {
      const is = kindOf(find(values, 'resource_id'));
      if (is !== undefined && is !== kind) return [];
      const unknown: Tree = { kind: 'unknown', why: 'is on a resource whose kind is not known', at };
      const tag = is === undefined ? unknown : find(values, 'value');
      return [{ what: address, source, tag, at, isPublic: false }];
    });
}

/** Undefined: it is not known. */
function kindOf(id: Tree | undefined): TaggedKind | 'other' | undefined {
  const kinds = [SUBNET, GROUP];
  const text = textOf(id);
  if (text !== undefined) return kinds.find((kind) => kind.id.test(text)) ?? 'other';
  const reference = id?.kind === 'unknown' ? id.reference : undefined;
  return reference === undefined ? undefined : kinds.find((kind) => kind.reference.test(reference));
}

/** Whether nothing else can carry the tag: the cluster is in the same source, and no module that is not here makes resources. */
function isWhole({ resources, moduleCalls }: Inputs, source: Evidence['source']): boolean {
  const hasCluster = resources.some((each) => each.type === 'aws_eks_cluster' && each.source === source);
  return hasCluster && (source !== 'terraform' || moduleCalls.length === 0);
}

/** Whether a class selects by the tag; undefined without classes. */
function isSelectedBy(inputs: Inputs): boolean | undefined {
  const classes = nodeClasses(inputs);
  return classes.length === 0
    ? undefined
    : classes.some(({ tree }) =>
        [...leaves(find(tree, 'spec'))].some(
          ({ path, tree: leaf }) => path.includes(DISCOVERY_TAG) || leaf.kind === 'unknown',
        ),
      );
}

function tagged(
  { facts, inputs }: CheckContext,
  found: readonly Tagged[],
  noun: string,
): readonly Judgement[] {
  // They may be made elsewhere.
  if (found.length === 0) return [];
  const clusters = knownValues(facts.all('clusterName'));
  const owners = found.filter(({ tag }) => tag !== undefined);
  const evidence = owners.map(tagEvidence);
  if (owners.length === 0 && isSelectedBy(inputs) === false) return [];
  if (owners.length === 0 && !isWhole(inputs, found[0]!.source))
    return [skip(`A ${noun} that is made elsewhere may have the tag.`, ['state'], found.map(tagEvidence))];
  if (owners.length === 0) return [fail(`No ${noun} has the tag.`, found.map(tagEvidence))];
  const known = owners.filter(({ tag }) => textOf(tag) !== undefined);
  const foreign = known.filter(({ tag }) => clusters.length > 0 && !clusters.includes(textOf(tag)!));
  if (foreign.length === known.length && known.length > 0 && clusters.length > 0)
    return [
      fail(
        `The tag is ${textOf(foreign[0]!.tag)}, and the cluster is called ${clusters.join(' or ')}.`,
        evidence,
      ),
    ];
  if (known.length === 0 || clusters.length === 0)
    return [skip('The value of the tag is not known.', ['plan', 'state'], evidence)];
  const open = known.find(({ isPublic }) => isPublic);
  const proof = known.map(tagEvidence);
  return open === undefined
    ? [pass(`The tag is ${textOf(known[0]!.tag)}.`, proof)]
    : [warn(`${open.what} is public.`, proof)];
}

/** The state has the resources of the files again. */
function strongest(found: readonly Tagged[]): readonly Tagged[] {
  const source = SOURCES.find((each) => found.some((own) => own.source === each));
  return found.filter((own) => own.source === source);
}
