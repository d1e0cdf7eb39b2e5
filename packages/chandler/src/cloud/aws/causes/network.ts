/** Layer 5 on AWS: why an instance does not reach the API server of EKS or the APIs of AWS, by its subnet and security groups. */
import type { Cause, EvidenceSet, Match } from '../../../causes/index.ts';

import { joiningClaims, resourcesOf } from './aws-row.ts';
import { ofClaims } from './join.ts';

const SHOW_SUBNET = 'aws ec2 describe-subnets --region {region} --subnet-ids {subnet}';
const SHOW_ROUTES =
  'aws ec2 describe-route-tables --region {region} --filters Name=association.subnet-id,Values={subnet} --query "RouteTables[].Routes"';
const SHOW_GROUP = 'aws ec2 describe-security-groups --region {region} --group-ids {group}';
const SHOW_ACCESS =
  'aws eks describe-cluster --region {region} --name {cluster} --query cluster.resourcesVpcConfig';

export const NETWORK: readonly Cause[] = [
  row(
    'no-route',
    'The subnet has no route out of the VPC',
    'The route table of the subnet has no default route, and the endpoint of the cluster is public only.',
    'The subnet {subnet} of {claim} has {problem}, so that the node does not reach the API server.',
    'Add a default route to a NAT gateway or a transit gateway, or turn on private access of the cluster (aws eks update-cluster-config --resources-vpc-config endpointPrivateAccess=true) and create VPC endpoints for ec2, ecr.api, ecr.dkr, s3 and sts.',
    [SHOW_ROUTES, SHOW_ACCESS],
    (evidence) => closed(evidence, 'broken'),
  ),
  row(
    'isolated-subnet',
    'The subnet has no route out of the VPC',
    'The route table of the subnet has no default route. The API server is reached inside the VPC, other APIs only through VPC endpoints.',
    'The subnet {subnet} of {claim} has {problem}. Its nodes need VPC endpoints for ec2, ecr.api, ecr.dkr, s3 and sts.',
    'Create the VPC endpoints with private DNS, or add a route to a NAT gateway.',
    [
      SHOW_ROUTES,
      'aws ec2 describe-vpc-endpoints --region {region} --query "VpcEndpoints[].[ServiceName,State]"',
    ],
    (evidence) => closed(evidence, 'suspicious'),
    [],
  ),
  row(
    'no-public-address',
    'The instance is in a public subnet without a public IP address',
    'The default route of the subnet is an internet gateway, and the instance has no public address.',
    'The subnet {subnet} of {claim} routes to an internet gateway, but the instance has no public IP address: nothing outside of the VPC answers it.',
    'Select private subnets in subnetSelectorTerms (the discovery tag belongs on these), or set spec.associatePublicIPAddress of the EC2NodeClass to true.',
    [SHOW_SUBNET, SHOW_ROUTES],
    (evidence) => {
      const match = ofClaims(evidence, 'subnet', ({ facts }) =>
        facts['defaultRoute'] === 'internetGateway' && facts['publicIp'] === 'false'
          ? 'its default route is an internet gateway, and the instance has no public IP address'
          : undefined,
      );
      return match === undefined || !hasPrivateAccess(evidence) ? match : { ...match, weight: 'suspicious' };
    },
  ),
  row(
    'security-group-out',
    'The security groups of the instance allow no HTTPS out',
    'No egress rule of the security groups allows port 443.',
    'The security groups of {claim} let no traffic to port 443 out ({group}), so that the node reaches neither the API server nor AWS.',
    'Add an egress rule for TCP 443, or select the node security group of the cluster in securityGroupSelectorTerms: aws ec2 authorize-security-group-egress --region {region} --group-id {group} --protocol tcp --port 443 --cidr 0.0.0.0/0',
    [SHOW_GROUP],
    closedGroups,
  ),
  row(
    'cluster-security-group',
    'The cluster security group does not admit the instance',
    'The endpoint of the cluster is private, and no ingress rule of the security groups of the cluster admits those of the instance.',
    'The API server is reached inside the VPC, and its security group {clusterGroup} does not admit {problem}.',
    'Select the cluster security group in securityGroupSelectorTerms, or admit the node security group: aws ec2 authorize-security-group-ingress --region {region} --group-id {clusterGroup} --protocol tcp --port 443 --source-group {group}',
    ['aws ec2 describe-security-groups --region {region} --group-ids {clusterGroup}', SHOW_ACCESS],
    notAdmitted,
  ),
  row(
    'public-cidrs',
    'The public endpoint of the cluster admits some addresses only',
    'publicAccessCidrs does not have 0.0.0.0/0, and private access is off.',
    'Nodes reach cluster {cluster} through its public endpoint, which admits {publicCidrs} only.',
    'Turn on private access of the cluster, or add the addresses of the NAT gateways to publicAccessCidrs.',
    [SHOW_ACCESS],
    (evidence) => {
      const match = ofClaims(evidence, 'cluster', ({ facts }) =>
        facts['privateAccess'] === 'false' &&
        facts['publicCidrs'] !== undefined &&
        !facts['publicCidrs'].split(' ').includes('0.0.0.0/0')
          ? `publicAccessCidrs is ${facts['publicCidrs']}`
          : undefined,
      );
      return match === undefined ? undefined : { ...match, weight: 'suspicious' };
    },
    [],
  ),
  row(
    'other-vpc',
    'The instance is in another VPC than the cluster',
    'The subnet of the instance is not in the VPC of the cluster.',
    'The subnet {subnet} of {claim} is in {vpc}, the cluster is in {clusterVpc}.',
    'Correct subnetSelectorTerms: the discovery tag is on subnets of another cluster. Nodes in another VPC need a peering or a transit gateway.',
    [SHOW_SUBNET, SHOW_ACCESS],
    otherVpc,
    [],
  ),
];

// ---------------------------------------------------------------------------------------------------------------

function row(
  name: string,
  title: string,
  symptom: string,
  summary: string,
  fix: string,
  confirm: readonly string[],
  recognise: Cause['recognise'],
  explains: readonly string[] = ['L5.5', 'aws-boot.private-dns-name', 'boot.hangs'],
): Cause {
  return {
    id: `aws-network.${name}`,
    layer: 'bootstrap',
    specificity: 'exact',
    title,
    symptom,
    summary,
    fix,
    confirm,
    recognise,
    ...(explains.length === 0 ? {} : { explains }),
  };
}

function clusterFacts(evidence: EvidenceSet): Readonly<Record<string, string>> {
  return evidence.all('cloudResource').find(({ type }) => type === 'cluster')?.facts ?? {};
}

function hasPrivateAccess(evidence: EvidenceSet): boolean {
  return clusterFacts(evidence)['privateAccess'] !== 'false';
}

/** Without a route, a public endpoint is out of reach; a private one is not, but other APIs are. */
function closed(evidence: EvidenceSet, weight: 'broken' | 'suspicious'): Match | undefined {
  const isBroken = !hasPrivateAccess(evidence);
  if (isBroken !== (weight === 'broken')) return undefined;
  const match = ofClaims(evidence, 'subnet', ({ facts }) =>
    facts['defaultRoute'] === 'none'
      ? 'no default route'
      : facts['defaultRoute'] === 'blackhole'
        ? 'a default route to something that no longer exists'
        : undefined,
  );
  return match === undefined ? undefined : { ...match, weight };
}

function closedGroups(evidence: EvidenceSet): Match | undefined {
  for (const { name } of joiningClaims(evidence)) {
    const groups = resourcesOf(evidence, 'securityGroup', name);
    if (groups.length === 0 || groups.some(({ facts }) => facts['httpsOut'] !== 'false')) continue;
    return ofClaims(evidence, 'securityGroup', (_, claim) =>
      claim.name === name
        ? `no egress to port 443 in ${groups.map((each) => each.name).join(', ')}`
        : undefined,
    );
  }
  return undefined;
}

function notAdmitted(evidence: EvidenceSet): Match | undefined {
  const cluster = clusterFacts(evidence);
  const clusterGroup = cluster['securityGroup'];
  const admitted = cluster['admits'];
  // A public endpoint is reached from outside of the VPC.
  if (clusterGroup === undefined || admitted === undefined || cluster['publicAccess'] !== 'false')
    return undefined;
  const sources = admitted.split(' ').filter((each) => each !== '');
  if (sources.some((each) => !each.startsWith('sg-'))) return undefined;
  for (const { name } of joiningClaims(evidence)) {
    const groups = resourcesOf(evidence, 'securityGroup', name).map((each) => each.name);
    const isAdmitted = (id: string) =>
      sources.includes(id) || (id === clusterGroup && sources.includes(clusterGroup));
    if (groups.length === 0 || groups.some(isAdmitted)) continue;
    const match = ofClaims(evidence, 'securityGroup', (_, claim) =>
      claim.name === name ? groups.join(', ') : undefined,
    );
    return match === undefined ? undefined : { ...match, facts: { ...match.facts, clusterGroup } };
  }
  return undefined;
}

function otherVpc(evidence: EvidenceSet): Match | undefined {
  const clusterVpc = clusterFacts(evidence)['vpc'];
  if (clusterVpc === undefined) return undefined;
  const match = ofClaims(evidence, 'subnet', ({ facts }) =>
    facts['vpc'] !== undefined && facts['vpc'] !== clusterVpc ? `it is in ${facts['vpc']}` : undefined,
  );
  return match === undefined
    ? undefined
    : { ...match, weight: 'suspicious', facts: { ...match.facts, clusterVpc } };
}
