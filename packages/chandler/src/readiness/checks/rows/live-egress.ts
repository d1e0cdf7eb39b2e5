/** Checks of the ways out of the subnets for nodes: routes and endpoints of the VPC to the services that nodes and the controller call. */
import { knownValues } from '../../facts/facts.ts';
import type { Inputs, Resource } from '../../inputs/inputs.ts';
import type { Evidence, Judgement, Severity } from '../../model/finding.ts';
import { itemsAt, type Tree, textAt, textOf } from '../../model/tree.ts';
import type { CheckContext, CheckRow } from '../check.ts';
import { each, fail, pass, skip, warn } from '../judgements.ts';
import {
  defaultRoutes,
  eachOfSubnets,
  liveCluster,
  liveResources,
  type Selection,
  selectedGroups,
  shown,
} from '../live.ts';

interface ServiceRow {
  readonly id: string;
  /** As people call it. */
  readonly title: string;
  /** The last parts of the names of its endpoints; all of them are needed. */
  readonly services: readonly string[];
  readonly severity: Severity;
}

const SERVICES: readonly ServiceRow[] = [
  { id: 'S-52', title: 'EC2', services: ['ec2'], severity: 'high' },
  { id: 'S-53', title: 'STS', services: ['sts'], severity: 'high' },
  { id: 'S-54', title: 'the price list', services: ['pricing.api'], severity: 'low' },
  { id: 'S-55', title: 'Systems Manager', services: ['ssm'], severity: 'high' },
  { id: 'S-56', title: 'the registry', services: ['ecr.api', 'ecr.dkr'], severity: 'high' },
  { id: 'S-57', title: 'S3', services: ['s3'], severity: 'high' },
];

/** What a VPC without a way to the internet needs besides. */
const PRIVATE_SERVICES = ['ec2', 'ecr.api', 'ecr.dkr', 's3', 'sts', 'ssm', 'eks'];
const ENDPOINTS = 'https://docs.aws.amazon.com/eks/latest/userguide/private-clusters.html';

export const LIVE_EGRESS_CHECKS: readonly CheckRow[] = [
  ...SERVICES.map(reachRow),
  {
    id: 'S-58',
    title: 'Routes to a transit gateway are in use',
    inputs: ['cloud'],
    criterion:
      'For subnets whose default route is a transit gateway: passes if the route is active, fails if it leads nowhere (blackhole). The tables of the gateway itself may be in another account, and are not read.',
    severity: 'high',
    phase: 1,
    fix: 'Attach the VPC to the transit gateway again, or correct the route.',
    docs: 'https://docs.aws.amazon.com/vpc/latest/tgw/tgw-vpc-attachments.html',
    judge: (context) =>
      eachOfSubnets(context, ({ object }, own) => {
        const routes = own
          .flatMap((subnet) => defaultRoutes(context, subnet))
          .filter(({ evidence }) => evidence.what.endsWith('transit_gateway_id'));
        const broken = routes.filter(({ target }) => target === 'blackhole');
        if (routes.length === 0) return undefined;
        return broken.length === 0
          ? pass('They are active.', routes.map(evidenceOf), { object })
          : fail('A route leads nowhere.', broken.map(evidenceOf), { object });
      }),
  },
  {
    id: 'K-65',
    title: 'A VPC without a way to the internet has the endpoints',
    inputs: ['cloud'],
    criterion: `For subnets without a default route: passes if the VPC has endpoints for ${PRIVATE_SERVICES.join(', ')}, and sqs where there is a queue, with private DNS, whose groups admit port 443. Fails if one is missing.`,
    severity: 'critical',
    phase: 1,
    fix: 'Create the endpoints, with private DNS and a security group that admits port 443 from the nodes.',
    docs: ENDPOINTS,
    judge: (context) =>
      eachOfSubnets(context, ({ object, evidence }, own) => {
        const isolated = own.filter((subnet) => defaultRoutes(context, subnet).length === 0);
        if (isolated.length === 0) return undefined;
        const hasQueue = knownValues(context.facts.all('queueName')).length > 0;
        const services = hasQueue ? [...PRIVATE_SERVICES, 'sqs'] : PRIVATE_SERVICES;
        const found = services.map((service) => endpointOf(context, service, isolated));
        const problems = found.flatMap(({ problem }) => problem ?? []);
        const proof = [...evidence, ...found.flatMap(({ seen }) => seen)];
        return problems.length === 0
          ? pass('It has all of them.', proof, { object })
          : fail(`${problems.join('; ')}.`, proof, { object });
      }),
  },
  {
    id: 'K-05',
    title: 'Security groups let nodes and the control plane talk',
    inputs: ['cloud'],
    criterion:
      'Passes if the group of the cluster admits port 443 from the groups of the nodes, and these admit port 10250 from it and port 53 from each other. Warns if one is missing.',
    severity: 'high',
    phase: 1,
    fix: 'Add the rules, or let nodes have the security group of the cluster.',
    docs: 'https://docs.aws.amazon.com/eks/latest/userguide/sec-group-reqs.html',
    judge: (context) => each(selectedGroups(context), (selection) => rules(context, selection)),
  },
];

// ---------------------------------------------------------------------------------------------------------------

function evidenceOf({ evidence }: { readonly evidence: Evidence }): Evidence {
  return evidence;
}

function reachRow({ id, title, services, severity }: ServiceRow): CheckRow {
  const isNeeded = severity !== 'low';
  return {
    id,
    title: `Nodes reach ${title}`,
    inputs: ['cloud'],
    criterion: `Passes if each selected subnet has a default route out of the VPC, or the VPC has endpoints for ${services.join(' and ')}. ${isNeeded ? 'Fails' : 'Warns: built-in prices are used'} otherwise.`,
    severity,
    phase: 1,
    fix: `Add a route to a NAT gateway, or endpoints for ${services.join(' and ')}.`,
    docs: ENDPOINTS,
    judge: (context) =>
      eachOfSubnets(context, ({ object, evidence }, own) => {
        const routes = own.map((subnet) => waysOut(context, subnet));
        const closed = own.filter((_, index) => routes[index]!.length === 0);
        if (closed.length === 0) return pass('All have a way out.', routes.flat(), { object });
        const found = services.map((service) => endpointOf(context, service, closed));
        const problems = found.flatMap(({ problem }) => problem ?? []);
        const proof = found.flatMap(({ seen }) => seen);
        if (problems.length === 0) return pass('The VPC has an endpoint.', proof, { object });
        const text = `${closed.map(({ name }) => name).join(', ')} has no way out: ${problems.join('; ')}.`;
        return isNeeded
          ? fail(text, [...evidence, ...proof], { object })
          : warn(text, [...evidence, ...proof], { object });
      }),
  };
}

/** Default routes that lead somewhere. */
function waysOut(context: CheckContext, subnet: Resource): readonly Evidence[] {
  return defaultRoutes(context, subnet)
    .filter(({ target }) => target !== 'blackhole')
    .map(evidenceOf);
}

interface FoundEndpoint {
  readonly seen: readonly Evidence[];
  readonly problem?: string;
}

function endpointOf({ inputs }: CheckContext, service: string, from: readonly Resource[]): FoundEndpoint {
  const endpoints = liveResources(inputs, 'aws_vpc_endpoint').filter(
    ({ values }) => textAt(values, 'service_name')?.endsWith(`.${service}`) === true,
  );
  if (endpoints.length === 0) return { seen: [], problem: `there is no endpoint for ${service}` };
  const judged = endpoints.map((endpoint) => judgedEndpoint(inputs, endpoint, service, from));
  return judged.find(({ problem }) => problem === undefined) ?? judged[0]!;
}

function judgedEndpoint(
  inputs: Inputs,
  endpoint: Resource,
  service: string,
  from: readonly Resource[],
): FoundEndpoint {
  const seen = [shown(endpoint, 'service_name')];
  if (textAt(endpoint.values, 'vpc_endpoint_type') === 'Gateway') {
    const tables = new Set(itemsAt(endpoint.values, 'route_table_ids').map(textOf));
    const open = from.filter((subnet) => !tables.has(tableOf(inputs.resources, subnet)));
    return open.length === 0
      ? { seen }
      : { seen, problem: `the endpoint for ${service} is not in the routes of ${open[0]!.name}` };
  }
  if (textAt(endpoint.values, 'private_dns_enabled') !== 'true')
    return {
      seen: [...seen, shown(endpoint, 'private_dns_enabled')],
      problem: `the endpoint for ${service} has no private DNS`,
    };
  const groups = itemsAt(endpoint.values, 'security_group_ids').map(textOf);
  const admitting = liveResources(inputs, 'aws_security_group').filter(
    ({ name, values }) =>
      groups.includes(name) && itemsAt(values, 'ingress').some((rule) => covers(rule, 443, 'tcp')),
  );
  return admitting.length > 0
    ? { seen }
    : { seen, problem: `the security groups of the endpoint for ${service} do not admit port 443` };
}

function tableOf(resources: readonly Resource[], subnet: Resource): string | undefined {
  const tables = resources.filter(({ type, source }) => type === 'aws_route_table' && source === 'live');
  const own = tables.find(({ values }) =>
    itemsAt(values, 'subnet_ids').some((id) => textOf(id) === subnet.name),
  );
  return (own ?? tables.find(({ values }) => textAt(values, 'main') === 'true'))?.name;
}

/** Whether a rule is about the port, whoever it is for. */
function covers(rule: Tree, port: number, protocol: 'tcp' | 'udp'): boolean {
  const given = textAt(rule, 'protocol');
  if (given === '-1') return true;
  return (
    given === protocol && Number(textAt(rule, 'from_port')) <= port && Number(textAt(rule, 'to_port')) >= port
  );
}

/** Whether a group admits it from one of the groups. Ranges of addresses are taken to hold them. */
function admits(group: Resource, port: number, protocol: 'tcp' | 'udp', from: readonly Resource[]): boolean {
  return itemsAt(group.values, 'ingress').some((rule) => {
    if (!covers(rule, port, protocol)) return false;
    const sources = itemsAt(rule, 'security_groups').map(textOf);
    return itemsAt(rule, 'cidr_blocks').length > 0 || from.some(({ name }) => sources.includes(name));
  });
}

function rules({ inputs }: CheckContext, { object, evidence, selected }: Selection): Judgement | undefined {
  const cluster = liveCluster(inputs);
  const id = textAt(cluster?.values, 'vpc_config', 0, 'cluster_security_group_id');
  const own = liveResources(inputs, 'aws_security_group').find(({ name }) => name === id);
  if (selected === undefined) return skip('A selector is not known.', ['nodeClasses'], evidence, { object });
  if (cluster === undefined || own === undefined || selected.length === 0) return undefined;
  const any = (test: (group: Resource) => boolean) => selected.some(test);
  const missing = [
    ...(admits(own, 443, 'tcp', selected) ? [] : [`${own.name} does not admit port 443 from the nodes`]),
    ...(any((group) => admits(group, 10_250, 'tcp', [own]))
      ? []
      : ['nodes do not admit port 10250 from the control plane']),
    ...(any((group) => admits(group, 53, 'udp', selected))
      ? []
      : ['nodes do not admit port 53 from each other']),
  ];
  const proof = [
    ...evidence,
    shown(cluster, 'vpc_config', 0, 'cluster_security_group_id'),
    ...selected.map((group) => shown(group, 'ingress')),
  ];
  return missing.length === 0
    ? pass('They do.', proof, { object })
    : warn(`${missing.join('; ')}.`, proof, { object });
}
