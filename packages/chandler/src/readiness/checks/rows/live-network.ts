/** Checks of the network of the live account: the subnets and security groups that classes select. */
import type { Resource } from '../../inputs/inputs.ts';
import type { Evidence } from '../../model/finding.ts';
import { itemsAt, textAt, textOf } from '../../model/tree.ts';
import type { CheckContext, CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import { each, fail, nodePools, pass, requiredValues, seen, skip, warn } from '../judgements.ts';
import {
  defaultRoutes,
  eachOfSubnets,
  liveCluster,
  liveResources,
  selectedGroups,
  selectedSubnets,
  shown,
} from '../live.ts';

const ZONE = 'topology.kubernetes.io/zone';
/** Below this share of free addresses a subnet is nearly full. */
const FREE_SHARE = 0.1;

export const LIVE_NETWORK_CHECKS: readonly CheckRow[] = [
  {
    id: 'S-08',
    title: 'Every zone of the cluster has a subnet for nodes',
    inputs: ['cloud'],
    criterion:
      'Passes if the subnets that each EC2NodeClass selects are in all zones of the subnets of the cluster, fails if one has none.',
    severity: 'high',
    phase: 1,
    fix: 'Tag a subnet in the missing zone.',
    docs: DOCS.nodeClasses,
    judge: (context) =>
      eachOfSubnets(context, ({ object, evidence }, own) => {
        const expected = zonesOf(subnetsOfCluster(context));
        const missing = expected.filter((zone) => !zonesOf(own).includes(zone));
        const proof = [...evidence, ...own.map((subnet) => shown(subnet, 'availability_zone'))];
        if (expected.length === 0) return undefined;
        return missing.length === 0
          ? pass(`Nodes can be in ${zonesOf(own).join(', ')}.`, proof, { object })
          : fail(`No subnet is in ${missing.join(', ')}.`, proof, { object });
      }),
  },
  {
    id: 'K-01',
    title: 'Subnets for nodes span several zones',
    inputs: ['cloud'],
    criterion:
      'Passes if the selected subnets are in two zones or more, warns if they are in one. Fails if a NodePool requires a zone that has none.',
    severity: 'high',
    phase: 4,
    fix: 'Tag subnets in more zones, or change the requirement of the NodePool.',
    docs: DOCS.nodeClasses,
    judge: (context) =>
      eachOfSubnets(context, (selection, own) => {
        const { object, evidence, nodeClass } = selection;
        const zones = zonesOf(own);
        const proof = [...evidence, ...own.map((subnet) => shown(subnet, 'availability_zone'))];
        const pools = nodePools(context.inputs).filter(
          ({ tree }) => textAt(tree, 'spec', 'template', 'spec', 'nodeClassRef', 'name') === nodeClass?.name,
        );
        for (const pool of pools) {
          const wanted = requiredValues(pool, ZONE) ?? [];
          const missing = wanted.filter((zone) => !zones.includes(zone));
          if (missing.length > 0)
            return fail(
              `NodePool/${pool.name} requires ${missing.join(', ')}, where no subnet is.`,
              [...proof, seen(pool, 'spec', 'template', 'spec', 'requirements')],
              { object },
            );
        }
        return zones.length > 1
          ? pass(`They are in ${zones.length} zones.`, proof, { object })
          : warn(`All are in ${zones[0]}.`, proof, { object });
      }),
  },
  {
    id: 'K-02',
    title: 'Nodes are not in public subnets',
    inputs: ['cloud'],
    criterion:
      'Warns if a selected subnet has a route to an internet gateway, or gives public addresses to instances.',
    severity: 'high',
    phase: 4,
    fix: 'Take the tag off public subnets, or narrow subnetSelectorTerms.',
    docs: DOCS.nodeClasses,
    judge: (context) =>
      eachOfSubnets(context, ({ object, evidence }, own) => {
        const open = own.filter(
          (subnet) =>
            textAt(subnet.values, 'map_public_ip_on_launch') === 'true' ||
            defaultRoutes(context, subnet).some((route) => route.target === 'internet'),
        );
        const proof = (subnet: Resource): readonly Evidence[] => [
          shown(subnet, 'map_public_ip_on_launch'),
          ...defaultRoutes(context, subnet).map((route) => route.evidence),
        ];
        return open.length === 0
          ? pass('None is public.', [...evidence, ...own.flatMap(proof)], { object })
          : warn(
              `${open.map(({ name }) => name).join(', ')} ${open.length === 1 ? 'is' : 'are'} public.`,
              [...evidence, ...open.flatMap(proof)],
              { object },
            );
      }),
  },
  {
    id: 'K-04',
    title: 'Subnets and security groups of a class are in the VPC of the cluster',
    inputs: ['cloud'],
    criterion:
      'Passes if each class selects a subnet and a security group of the VPC of the cluster, fails if it selects none there: EC2 rejects a launch with groups of another VPC.',
    severity: 'critical',
    phase: 4,
    fix: 'Select subnets and security groups of the VPC of the cluster.',
    docs: DOCS.troubleshooting,
    judge: (context) => {
      const groups = selectedGroups(context);
      return selectedSubnets(context).flatMap(({ object, evidence, selected }, index) => {
        const other = groups[index]!;
        const proof = [...evidence, ...other.evidence];
        if (selected === undefined || other.selected === undefined)
          return [skip('A selector is not known.', ['nodeClasses'], proof, { object })];
        const missing = [
          ...(selected.length === 0 ? ['subnet'] : []),
          ...(other.selected.length === 0 ? ['security group'] : []),
        ];
        const found = [...selected, ...other.selected].map((own) => shown(own, 'vpc_id'));
        const cluster = liveCluster(context.inputs);
        const vpc = cluster === undefined ? [] : [shown(cluster, 'vpc_config', 0, 'vpc_id')];
        return missing.length === 0
          ? [pass('All are there.', [...proof, ...found], { object })]
          : [
              fail(`No ${missing.join(' and no ')} of this VPC is selected.`, [...proof, ...vpc, ...found], {
                object,
              }),
            ];
      });
    },
  },
  {
    id: 'K-06',
    title: 'Subnets for nodes have free addresses',
    inputs: ['cloud'],
    criterion:
      'Passes if each selected subnet has more than a tenth of its addresses free, warns if it has fewer, fails if none of them has one.',
    severity: 'high',
    phase: 4,
    fix: 'Add subnets with larger ranges, or use prefix delegation.',
    docs: DOCS.troubleshooting,
    judge: (context) =>
      eachOfSubnets(context, ({ object, evidence }, own) => {
        const proof = [...evidence, ...own.map((subnet) => shown(subnet, 'available_ip_address_count'))];
        const full = own.filter((subnet) => freeAddresses(subnet) === 0);
        const low = own.filter((subnet) => freeAddresses(subnet) < addressesOf(subnet) * FREE_SHARE);
        if (full.length === own.length) return fail('No address is free.', proof, { object });
        return low.length === 0
          ? pass('All have free addresses.', proof, { object })
          : warn(
              `${low.map((subnet) => `${subnet.name} has ${freeAddresses(subnet)}`).join(', ')} of its addresses free.`,
              proof,
              { object },
            );
      }),
  },
  {
    id: 'K-03',
    title: 'Nodes have one security group of the cluster',
    inputs: ['cloud'],
    criterion:
      'Passes if a class selects one security group, warns about several, fails if more than one of them has the tag kubernetes.io/cluster/NAME: the load balancer controller then does not know which to use.',
    severity: 'high',
    phase: 4,
    fix: 'Narrow securityGroupSelectorTerms to the group of the nodes.',
    docs: DOCS.nodeClasses,
    judge: (context) =>
      each(selectedGroups(context), ({ object, evidence, selected }) => {
        if (selected === undefined)
          return skip('A selector is not known.', ['nodeClasses'], evidence, { object });
        // None is the finding of K-04.
        if (selected.length === 0) return undefined;
        const tag = `kubernetes.io/cluster/${liveCluster(context.inputs)?.name}`;
        const owned = selected.filter(({ values }) => textAt(values, 'tags', tag) !== undefined);
        const proof = [...evidence, ...selected.map((group) => shown(group, 'name'))];
        if (owned.length > 1)
          return fail(`${owned.map(({ name }) => name).join(', ')} have the tag ${tag}.`, proof, { object });
        return selected.length === 1
          ? pass(`It is ${selected[0]!.name}.`, proof, { object })
          : warn(`${selected.length} groups are selected.`, proof, { object });
      }),
  },
];

// ---------------------------------------------------------------------------------------------------------------

function zonesOf(subnets: readonly Resource[]): readonly string[] {
  return [...new Set(subnets.flatMap(({ values }) => textAt(values, 'availability_zone') ?? []))].sort();
}

function subnetsOfCluster({ inputs }: CheckContext): readonly Resource[] {
  const ids = itemsAt(liveCluster(inputs)?.values, 'vpc_config', 0, 'subnet_ids').map(textOf);
  return liveResources(inputs, 'aws_subnet').filter(({ values }) => ids.includes(textAt(values, 'id')));
}

function freeAddresses({ values }: Resource): number {
  return Number(textAt(values, 'available_ip_address_count') ?? 0);
}

function addressesOf({ values }: Resource): number {
  return 2 ** (32 - Number(textAt(values, 'cidr_block')?.split('/')[1] ?? 32));
}
