/** EKS: the cluster, its tags and add-ons (who may use it is in eks-identities.ts); zonal shift: GetManagedResource of the cluster. */
import type { AwsContext } from '../context.ts';
import { listOf, type OneOrMore } from '../iam/policy.ts';
import type { ClusterRecord } from '../store/cluster-record.ts';
import type { AwsRequest, Operation } from '../wire/aws-request.ts';
import {
  accessEntryHandlers,
  associationRights,
  type ClusterHandler,
  entryArn,
  notFound,
  podIdentityHandlers,
  principalOf,
} from './eks-identities.ts';

export function clusterOperations(context: AwsContext, cluster: ClusterRecord): readonly Operation[] {
  const rights = (action: string) => (request: AwsRequest) => {
    const name = String(request.params['name'] ?? request.params['clusterName']);
    const ofEntry = ENTRY_ACTIONS.has(action) ? entryArn(cluster, name, principalOf(request)) : undefined;
    const association = request.params['associationId'];
    const resource =
      association === undefined
        ? cluster.arn.replace(/[^/]+$/, name)
        : cluster.arn.replace(/:cluster\/.*$/, `:podidentityassociation/${name}/${String(association)}`);
    const passed = action === 'CreatePodIdentityAssociation' ? associationRights(request) : [];
    return [{ action: `eks:${action}`, resource: ofEntry ?? resource }, ...passed];
  };
  const on = ([action, handle]: readonly [action: string, handle: ClusterHandler]): Operation => ({
    service: 'eks',
    action,
    rights: rights(action),
    handle(request) {
      const name = String(request.params['name'] ?? request.params['clusterName']);
      if (name !== cluster.name) throw notFound(`No cluster found for name: ${name}.`);
      return handle(request);
    },
  });
  const handlers: Readonly<Record<string, ClusterHandler>> = {
    DescribeCluster: () => ({ cluster: shownCluster(cluster) }),
    ListAddons: () => ({ addons: cluster.addons }),
    DescribeAddon: ({ params }) => ({ addon: shownAddon(cluster, String(params['addonName'])) }),
    ...accessEntryHandlers(context, cluster),
    ...podIdentityHandlers(context, cluster),
  };
  return [...Object.entries(handlers).map(on), ...tagOperations(cluster), managedResource(context, cluster)];
}

// ---------------------------------------------------------------------------------------------------

/** Actions on an entry; the others are on the cluster. */
const ENTRY_ACTIONS: ReadonlySet<string> = new Set(['DescribeAccessEntry', 'DeleteAccessEntry']);

/** Of the cluster; entries and associations have their tags from the start. */
function tagOperations(cluster: ClusterRecord): readonly Operation[] {
  const on = (action: string, handle: (request: AwsRequest) => object): Operation => ({
    service: 'eks',
    action,
    rights: ({ params }) => [{ action: `eks:${action}`, resource: String(params['resourceArn']) }],
    handle(request) {
      if (request.params['resourceArn'] !== cluster.arn)
        throw notFound(`No resource found for ARN: ${String(request.params['resourceArn'])}.`);
      return handle(request);
    },
  });
  return [
    on('ListTagsForResource', () => ({ tags: cluster.tags ?? {} })),
    on('TagResource', ({ params }) => {
      cluster.tags = { ...cluster.tags, ...(params['tags'] as Readonly<Record<string, string>>) };
      return {};
    }),
    on('UntagResource', ({ params }) => {
      const keys = listOf(params['tagKeys'] as OneOrMore | undefined);
      cluster.tags = Object.fromEntries(
        Object.entries(cluster.tags ?? {}).filter(([key]) => !keys.includes(key)),
      );
      return {};
    }),
  ];
}

function shownAddon(cluster: ClusterRecord, addonName: string) {
  if (!cluster.addons.includes(addonName))
    throw notFound(`No addon: ${addonName} found in cluster: ${cluster.name}`);
  return {
    addonName,
    clusterName: cluster.name,
    status: 'ACTIVE',
    addonVersion: 'v1.0.0-eksbuild.1',
    health: { issues: [] },
    addonArn: cluster.arn.replace(/:cluster\/.*$/, `:addon/${cluster.name}/${addonName}`),
    createdAt: new Date(cluster.createdMs),
    modifiedAt: new Date(cluster.createdMs),
    tags: {},
  };
}

function managedResource({ settings, world }: AwsContext, cluster: ClusterRecord): Operation {
  return {
    service: 'arc-zonal-shift',
    action: 'GetManagedResource',
    rights: ({ params }) => [
      {
        action: 'arc-zonal-shift:GetManagedResource',
        resource: String(params['resourceIdentifier']),
        context: { 'arc-zonal-shift:ResourceIdentifier': String(params['resourceIdentifier']) },
      },
    ],
    handle({ params }) {
      if (params['resourceIdentifier'] !== cluster.arn || cluster.zonalShift === false)
        throw notFound(`The resource ${String(params['resourceIdentifier'])} was not found.`);
      const nowMs = world.clock.now();
      const active = [...cluster.shiftedZones].filter(
        ([, { startMs, endMs }]) => startMs <= nowMs && nowMs < endMs,
      );
      const started = active.filter(([, { auto }]) => auto !== true);
      const automatic = active.filter(([, { auto }]) => auto === true);
      const zoneIds = settings.zones.map(({ id }) => id);
      return {
        arn: cluster.arn,
        name: cluster.name,
        appliedWeights: Object.fromEntries(
          zoneIds.map((id) => [id, active.some(([zone, shift]) => zone === id && !shift.notApplied) ? 0 : 1]),
        ),
        zonalShifts: started.map(([awayFrom, { startMs, endMs, notApplied }], index) => ({
          appliedStatus: notApplied ? 'NOT_APPLIED' : 'APPLIED',
          zonalShiftId: `9ac9ec1e-1df1-0755-3dc5-8cf5713${index}`,
          resourceIdentifier: cluster.arn,
          awayFrom,
          startTime: new Date(startMs),
          expiryTime: new Date(endMs),
          comment: '',
        })),
        autoshifts: automatic.map(([awayFrom, { startMs, notApplied }]) => ({
          appliedStatus: notApplied ? 'NOT_APPLIED' : 'APPLIED',
          awayFrom,
          startTime: new Date(startMs),
        })),
        zonalAutoshiftStatus: automatic.length > 0 ? 'ENABLED' : 'DISABLED',
      };
    },
  };
}

function shownCluster(cluster: ClusterRecord) {
  return {
    name: cluster.name,
    arn: cluster.arn,
    createdAt: new Date(cluster.createdMs),
    version: cluster.version,
    endpoint: cluster.endpoint,
    status: 'ACTIVE',
    platformVersion: 'eks.1',
    certificateAuthority: { data: cluster.certificateAuthority },
    resourcesVpcConfig: {
      vpcId: cluster.vpcId,
      subnetIds: cluster.subnetIds,
      securityGroupIds: cluster.otherSecurityGroupIds ?? [],
      clusterSecurityGroupId: cluster.securityGroupId,
      endpointPublicAccess: cluster.publicAccess ?? true,
      endpointPrivateAccess: cluster.privateAccess ?? true,
      publicAccessCidrs: cluster.publicCidrs ?? ['0.0.0.0/0'],
    },
    kubernetesNetworkConfig: {
      ipFamily: cluster.ipFamily,
      ...(cluster.ipFamily === 'ipv6'
        ? { serviceIpv6Cidr: 'fd30:1c53:5f8a::/108' }
        : { serviceIpv4Cidr: cluster.serviceIpv4Cidr }),
    },
    identity: { oidc: { issuer: cluster.oidcIssuer } },
    accessConfig: { authenticationMode: cluster.authenticationMode },
    zonalShiftConfig: { enabled: cluster.zonalShift ?? true },
    computeConfig: { enabled: cluster.autoMode ?? false },
    upgradePolicy: { supportType: 'STANDARD' },
    tags: cluster.tags ?? {},
  };
}
