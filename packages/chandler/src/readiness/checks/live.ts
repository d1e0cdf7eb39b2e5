/** Short forms of checks that read the live account: its resources, what it does not have, and what selectors of classes select there. */
import { fieldText } from '@chandler/kube';
import { knownValues } from '../facts/facts.ts';
import { DISCOVERY_TAG } from '../facts/gather.ts';
import type { Inputs, Manifest, Resource } from '../inputs/inputs.ts';
import type { Evidence, Judgement } from '../model/finding.ts';
import { entriesAt, find, itemsAt, type Path, type Tree, textAt, textOf } from '../model/tree.ts';
import type { CheckContext } from './check.ts';
import { each, nodeClasses, objectOf, seen, skip } from './judgements.ts';

export function liveResources({ resources }: Inputs, type: string): readonly Resource[] {
  return resources.filter((each) => each.source === 'live' && each.type === type);
}

/** The cluster of the account; there is one. */
export function liveCluster(inputs: Inputs): Resource | undefined {
  return liveResources(inputs, 'aws_eks_cluster')[0];
}

/** An attribute of a live resource: `aws_subnet.subnet-1.vpc_id`. */
export function shown({ values, address }: Resource, ...path: Path): Evidence {
  return { ...seen({ tree: values, source: 'live' }, ...path), what: `${address}.${fieldText(path)}` };
}

/** A policy: its text may be long, so only how many statements it has is shown. */
export function shownDocument(resource: Resource, ...path: Path): Evidence {
  const { value, ...evidence } = shown(resource, ...path);
  const statements = statementsOf(value);
  if (value === undefined) return evidence;
  return { ...evidence, note: statements === undefined ? 'no policy' : `${statements.length} statements` };
}

/** Roles of the nodes that files name, or that are in their instance profiles. */
export function liveNodeRoles(inputs: Inputs): readonly Resource[] {
  return liveResources(inputs, 'aws_iam_role').filter(({ owner }) => owner === 'nodes');
}

/** That the account answered that it does not have it; none where it was not asked, or has it. */
export function absence({ live }: Inputs, type: string, name: string | undefined): readonly Evidence[] {
  return (live?.absent ?? [])
    .filter((each) => each.type === type && each.name === name)
    .map(({ at }) => ({ source: 'live', what: `${type}.${name}`, note: 'does not exist', at }));
}

/** What a class, or without classes the discovery tag, selects in the account. */
export interface Selection {
  readonly object: string;
  /** The field that selects; empty without classes. */
  readonly evidence: readonly Evidence[];
  /** Undefined: a term is not known. */
  readonly selected: readonly Resource[] | undefined;
  readonly nodeClass?: Manifest;
}

export function selectedSubnets(context: CheckContext): readonly Selection[] {
  return selections(context, 'aws_subnet', 'subnetSelectorTerms');
}

export function selectedGroups(context: CheckContext): readonly Selection[] {
  return selections(context, 'aws_security_group', 'securityGroupSelectorTerms');
}

/** For selections that are known and not empty: an empty one is the finding of K-04. */
export function eachOfSubnets(
  context: CheckContext,
  judgeOne: (selection: Selection, subnets: readonly Resource[]) => Judgement | undefined,
): readonly Judgement[] {
  return each(selectedSubnets(context), (selection) => {
    const { selected, evidence, object } = selection;
    if (selected === undefined)
      return skip('A selector is not known.', ['nodeClasses'], evidence, { object });
    return selected.length === 0 ? undefined : judgeOne(selection, selected);
  });
}

export interface DefaultRoute {
  readonly target: 'nat' | 'internet' | 'transit' | 'other' | 'blackhole';
  readonly evidence: Evidence;
}

/** Where traffic of a subnet leaves the VPC: by its own table, or by the main one. None: it does not. */
export function defaultRoutes({ inputs }: CheckContext, subnet: Resource): readonly DefaultRoute[] {
  const tables = liveResources(inputs, 'aws_route_table');
  const own = tables.find(({ values }) =>
    itemsAt(values, 'subnet_ids').some((id) => textOf(id) === textAt(subnet.values, 'id')),
  );
  const table = own ?? tables.find(({ values }) => textAt(values, 'main') === 'true');
  if (table === undefined) return [];
  return itemsAt(table.values, 'route').flatMap((route, index) => {
    const isDefault =
      textAt(route, 'cidr_block') === '0.0.0.0/0' || textAt(route, 'ipv6_cidr_block') === '::/0';
    if (!isDefault) return [];
    const [field, target] = TARGETS.find(([name]) => textAt(route, name) !== undefined) ?? ['state', 'other'];
    const isGateway = textAt(route, 'gateway_id')?.startsWith('igw-') === true;
    const kind = field === 'gateway_id' && !isGateway ? 'other' : target;
    return {
      target: textAt(route, 'state') === 'blackhole' ? 'blackhole' : kind,
      evidence: shown(table, 'route', index, field),
    };
  });
}

/** The statements of a policy that is a text of JSON; undefined where it is none. */
export function statementsOf(text: string | undefined): readonly PolicyJson[] | undefined {
  try {
    const { Statement } = JSON.parse(text ?? '') as {
      readonly Statement?: PolicyJson | readonly PolicyJson[];
    };
    return Statement === undefined ? undefined : [Statement].flat();
  } catch {
    return undefined;
  }
}

export interface PolicyJson {
  readonly Effect?: string;
  readonly Action?: string | readonly string[];
  readonly Resource?: string | readonly string[];
  readonly Principal?: string | Readonly<Record<string, string | readonly string[]>>;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

export function listOf(value: string | readonly string[] | undefined): readonly string[] {
  return value === undefined ? [] : [value].flat();
}

// ---------------------------------------------------------------------------------------------------------------

const TARGETS: readonly (readonly [string, DefaultRoute['target']])[] = [
  ['nat_gateway_id', 'nat'],
  ['transit_gateway_id', 'transit'],
  ['gateway_id', 'internet'],
  ['network_interface_id', 'other'],
];

function selections({ inputs, facts }: CheckContext, type: string, field: string): readonly Selection[] {
  const all = liveResources(inputs, type);
  const classes = nodeClasses(inputs);
  if (classes.length === 0) {
    const names = knownValues(facts.all('clusterName'));
    const selected = all.filter(({ values }) => names.includes(textAt(values, 'tags', DISCOVERY_TAG) ?? ''));
    return [{ object: `${DISCOVERY_TAG} in the account`, evidence: [], selected }];
  }
  return classes.map((nodeClass) => {
    const terms = itemsAt(nodeClass.tree, 'spec', field);
    const tests = terms.map(testOf);
    const isKnown = terms.length > 0 && tests.every((test) => test !== undefined);
    return {
      object: objectOf(nodeClass),
      nodeClass,
      evidence: [seen(nodeClass, 'spec', field)],
      selected: isKnown ? all.filter((each) => tests.some((test) => test?.(each) === true)) : undefined,
    };
  });
}

/** An id, a name, or tags of which all must be there; `*` is any value. */
function testOf(term: Tree): ((resource: Resource) => boolean) | undefined {
  const id = find(term, 'id');
  const name = find(term, 'name');
  const tags = entriesAt(term, 'tags');
  const values = [id, name, ...tags.map(([, value]) => value)].filter((each) => each !== undefined);
  if (term.kind === 'unknown' || values.length === 0 || values.some((each) => textOf(each) === undefined))
    return undefined;
  if (id !== undefined) return ({ values: own }) => textAt(own, 'id') === textOf(id);
  if (name !== undefined) return ({ values: own }) => textAt(own, 'name') === textOf(name);
  return ({ values: own }) =>
    tags.every(([key, value]) => {
      const found = textAt(own, 'tags', key);
      return found !== undefined && (textOf(value) === '*' || found === textOf(value));
    });
}
