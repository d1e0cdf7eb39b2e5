/** The cluster of EKS: itself, its add-ons, and the role that Pod Identity gives to the controller. */
import type { Cluster } from '@aws-sdk/client-eks';
import { type Facts, knownValues } from '../../facts/facts.ts';
import type { AccountReading } from './account-reading.ts';

/** What other calls need to know of it. */
export interface SeenCluster {
  /** Why it is not known. */
  readonly missing?: string;
  readonly vpcId?: string | undefined;
  readonly version?: string | undefined;
  /** Whether it honours access entries; undefined: not known. */
  readonly usesEntries?: boolean;
  /** ARNs of the roles that Pod Identity gives to the controller. */
  readonly controllerRoles: readonly string[];
  /** Why they are not known. */
  readonly rolesUnread?: string;
}

export async function readCluster(reading: AccountReading, name: string, facts: Facts): Promise<SeenCluster> {
  const [answer, roles] = await Promise.all([
    reading.ask('eks:DescribeCluster', (aws, options) => aws.eks.describeCluster({ name }, options)),
    readAssociations(reading, name, facts),
    readAddons(reading, name),
  ]);
  if ('unread' in answer) return { missing: answer.unread, ...roles };
  const cluster = 'found' in answer ? answer.found.cluster : undefined;
  if (cluster === undefined) {
    reading.addAbsent('eks:DescribeCluster', 'aws_eks_cluster', name);
    return { missing: `there is no cluster ${name}`, ...roles };
  }
  reading.add('eks:DescribeCluster', 'aws_eks_cluster', name, clusterValues(cluster));
  const usesEntries = cluster.accessConfig?.authenticationMode !== 'CONFIG_MAP';
  return { vpcId: cluster.resourcesVpcConfig?.vpcId, version: cluster.version, usesEntries, ...roles };
}

// ---------------------------------------------------------------------------------------------------------------

function clusterValues({
  name,
  arn,
  endpoint,
  version,
  tags,
  resourcesVpcConfig: vpc,
  identity,
  accessConfig,
  kubernetesNetworkConfig,
  computeConfig,
  zonalShiftConfig,
}: Cluster): object {
  return {
    name,
    arn,
    endpoint,
    version,
    tags: tags ?? {},
    vpc_config: [
      {
        vpc_id: vpc?.vpcId,
        subnet_ids: vpc?.subnetIds ?? [],
        security_group_ids: vpc?.securityGroupIds ?? [],
        cluster_security_group_id: vpc?.clusterSecurityGroupId,
        endpoint_public_access: vpc?.endpointPublicAccess,
        endpoint_private_access: vpc?.endpointPrivateAccess,
        public_access_cidrs: vpc?.publicAccessCidrs ?? [],
      },
    ],
    identity: [{ oidc: [{ issuer: identity?.oidc?.issuer }] }],
    access_config: [{ authentication_mode: accessConfig?.authenticationMode }],
    kubernetes_network_config: [{ ip_family: kubernetesNetworkConfig?.ipFamily }],
    compute_config: [{ enabled: computeConfig?.enabled ?? false }],
    zonal_shift_config: [{ enabled: zonalShiftConfig?.enabled ?? false }],
  };
}

async function readAddons(reading: AccountReading, clusterName: string): Promise<void> {
  const answer = await reading.list('eks:ListAddons', async (aws, options, nextToken) => {
    const page = await aws.eks.listAddons({ clusterName, nextToken }, options);
    return { items: page.addons ?? [], next: page.nextToken };
  });
  if (!('found' in answer)) return;
  for (const addon of answer.found)
    reading.add('eks:ListAddons', 'aws_eks_addon', addon, { addon_name: addon, cluster_name: clusterName });
}

async function readAssociations(
  reading: AccountReading,
  clusterName: string,
  facts: Facts,
): Promise<Pick<SeenCluster, 'controllerRoles' | 'rolesUnread'>> {
  const names = knownValues(facts.all('serviceAccount'));
  const serviceAccount = names.length === 1 ? names[0]! : 'karpenter';
  const answer = await reading.list('eks:ListPodIdentityAssociations', async (aws, options, nextToken) => {
    const page = await aws.eks.listPodIdentityAssociations(
      { clusterName, serviceAccount, nextToken },
      options,
    );
    return { items: page.associations ?? [], next: page.nextToken };
  });
  if ('unread' in answer) {
    reading.skip(['eks:DescribePodIdentityAssociation'], answer.unread);
    return { controllerRoles: [], rolesUnread: answer.unread };
  }
  const described = await Promise.all(
    ('found' in answer ? answer.found : []).map(({ associationId }) =>
      reading.ask('eks:DescribePodIdentityAssociation', (aws, options) =>
        aws.eks.describePodIdentityAssociation({ clusterName, associationId }, options),
      ),
    ),
  );
  const controllerRoles: string[] = [];
  for (const each of described) {
    if ('unread' in each) return { controllerRoles, rolesUnread: each.unread };
    const { namespace, serviceAccount: account, roleArn } = ('found' in each && each.found.association) || {};
    if (roleArn === undefined) continue;
    const values = { cluster_name: clusterName, namespace, service_account: account, role_arn: roleArn };
    reading.add(
      'eks:DescribePodIdentityAssociation',
      'aws_eks_pod_identity_association',
      `${namespace}/${account}`,
      values,
      { owner: 'controller' },
    );
    controllerRoles.push(roleArn);
  }
  return { controllerRoles };
}
