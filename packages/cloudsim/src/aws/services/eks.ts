/** EKS: DescribeCluster, access entries, add-ons and Pod Identity associations; zonal shift: GetManagedResource of the cluster. */
import type { AwsContext } from '../context.ts';
import type { AwsRequest, Operation } from '../wire/aws-request.ts';
import { type AwsError, awsError } from '../wire/errors.ts';

export type AccessEntryType = 'EC2_LINUX' | 'EC2_WINDOWS' | 'STANDARD' | 'FARGATE_LINUX';

export interface ZonalShift {
  readonly startMs: number;
  /** AWS ends an autoshift itself; its end is not shown. */
  readonly endMs: number;
  /** AWS started it. */
  readonly auto?: true;
  /** Another one counts. */
  readonly notApplied?: true;
}

/** The cluster as EKS knows it. */
export interface ClusterRecord {
  readonly name: string;
  readonly arn: string;
  /** `1.36`. */
  version: string;
  endpoint: string;
  /** Base64 of the PEM. */
  certificateAuthority: string;
  readonly serviceIpv4Cidr: string;
  ipFamily: 'ipv4' | 'ipv6';
  readonly vpcId: string;
  readonly subnetIds: readonly string[];
  readonly securityGroupId: string;
  /** Further groups of the control plane: what one of all admits, reaches the private endpoint. */
  otherSecurityGroupIds?: readonly string[];
  readonly oidcIssuer: string;
  authenticationMode: 'API' | 'API_AND_CONFIG_MAP' | 'CONFIG_MAP';
  /** Whether its endpoint has addresses outside of the VPC. Default true. */
  publicAccess?: boolean;
  /** Whether its endpoint has addresses inside the VPC. Default true. */
  privateAccess?: boolean;
  readonly createdMs: number;
  /** By ARN of the principal. */
  readonly accessEntries: Map<string, AccessEntryType>;
  /** Whether ARC zonal shift knows the cluster. Default true. */
  zonalShift?: boolean;
  /** By ID of the zone that the cluster is shifted away from. */
  readonly shiftedZones: Map<string, ZonalShift>;
  addons: readonly string[];
  podIdentityAssociations: readonly PodIdentityAssociation[];
  /** Whether EKS itself launches nodes (Auto Mode). Default false. */
  autoMode?: boolean;
  /** Which addresses reach the public endpoint. Default all. */
  publicCidrs?: readonly string[];
}

export interface PodIdentityAssociation {
  readonly id: string;
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly roleArn: string;
}

export function clusterOperations(context: AwsContext, cluster: ClusterRecord): readonly Operation[] {
  const rights = (action: string) => (request: AwsRequest) => {
    const name = String(request.params['name'] ?? request.params['clusterName']);
    const ofEntry = ENTRY_ACTIONS.has(action) ? entryArn(cluster, name, principalOf(request)) : undefined;
    const association = request.params['associationId'];
    const resource =
      association === undefined
        ? cluster.arn.replace(/[^/]+$/, name)
        : cluster.arn.replace(/:cluster\/.*$/, `:podidentityassociation/${name}/${String(association)}`);
    return [{ action: `eks:${action}`, resource: ofEntry ?? resource }];
  };
  const on = (action: string, handle: (request: AwsRequest) => unknown): Operation => ({
    service: 'eks',
    action,
    rights: rights(action),
    handle(request) {
      const name = String(request.params['name'] ?? request.params['clusterName']);
      if (name !== cluster.name) throw notFound(`No cluster found for name: ${name}.`);
      return handle(request);
    },
  });
  return [
    on('DescribeCluster', () => ({ cluster: shownCluster(cluster) })),
    on('ListAccessEntries', () => ({ accessEntries: [...cluster.accessEntries.keys()] })),
    on('DescribeAccessEntry', (request) => {
      refuseWithoutEntries(cluster);
      return { accessEntry: entryOf(cluster, principalOf(request)) };
    }),
    on('CreateAccessEntry', (request) => {
      const principal = principalOf(request);
      refuseWithoutEntries(cluster);
      if (cluster.accessEntries.has(principal))
        throw awsError(
          'ResourceInUseException',
          'The specified access entry resource is already in use on this cluster.',
          409,
        );
      cluster.accessEntries.set(principal, (request.params['type'] ?? 'STANDARD') as AccessEntryType);
      return { accessEntry: entryOf(cluster, principal) };
    }),
    on('DeleteAccessEntry', (request) => {
      entryOf(cluster, principalOf(request));
      cluster.accessEntries.delete(principalOf(request));
      return {};
    }),
    on('ListAddons', () => ({ addons: cluster.addons })),
    on('ListPodIdentityAssociations', ({ params }) => ({
      associations: cluster.podIdentityAssociations
        .filter(
          ({ namespace, serviceAccount }) =>
            [undefined, namespace].includes(params['namespace'] as string | undefined) &&
            [undefined, serviceAccount].includes(params['serviceAccount'] as string | undefined),
        )
        .map((association) => summaryOf(cluster, association)),
    })),
    on('DescribePodIdentityAssociation', ({ params }) => {
      const found = cluster.podIdentityAssociations.find(({ id }) => id === params['associationId']);
      if (found === undefined)
        throw notFound(`No association found for id: ${String(params['associationId'])}.`);
      return { association: { ...summaryOf(cluster, found), roleArn: found.roleArn, tags: {} } };
    }),
    managedResource(context, cluster),
  ];
}

// ---------------------------------------------------------------------------------------------------

function summaryOf({ name, arn }: ClusterRecord, association: PodIdentityAssociation) {
  const { id, namespace, serviceAccount } = association;
  return {
    clusterName: name,
    namespace,
    serviceAccount,
    associationId: id,
    associationArn: arn.replace(/:cluster\/.*$/, `:podidentityassociation/${name}/${id}`),
  };
}

/** Actions on an entry; the others are on the cluster. */
function refuseWithoutEntries({ authenticationMode }: ClusterRecord): void {
  if (authenticationMode === 'CONFIG_MAP')
    throw awsError(
      'InvalidRequestException',
      "The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP] to perform this operation.",
    );
}

const ENTRY_ACTIONS: ReadonlySet<string> = new Set(['DescribeAccessEntry', 'DeleteAccessEntry']);

function principalOf({ params }: AwsRequest): string {
  return String(params['principalArn'] ?? '');
}

/** `arn:aws:eks:us-west-2:111122223333:access-entry/playground/role/111122223333/node/*`; its last part is an id that EKS chooses. */
function entryArn({ arn }: ClusterRecord, cluster: string, principal: string): string {
  const [, account = '', kind = '', name = ''] = /::(\d*):(\w+)\/(?:.*\/)?([^/]+)$/.exec(principal) ?? [];
  return arn.replace(/:cluster\/.*$/, `:access-entry/${cluster}/${kind}/${account}/${name}/*`);
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
    tags: {},
  };
}

function entryOf(cluster: ClusterRecord, principalArn: string) {
  const type = cluster.accessEntries.get(principalArn);
  if (type === undefined)
    throw notFound(
      `The specified principalArn could not be found. You can view your available access entries with 'list-access-entries'. PrincipalArn: ${principalArn}`,
    );
  const isNode = type === 'EC2_LINUX' || type === 'EC2_WINDOWS';
  return {
    clusterName: cluster.name,
    principalArn,
    type,
    kubernetesGroups: isNode ? ['system:nodes'] : [],
    username: isNode ? 'system:node:{{EC2PrivateDNSName}}' : principalArn,
    accessEntryArn: cluster.arn.replace(':cluster/', ':access-entry/'),
    tags: {},
  };
}

function notFound(message: string): AwsError {
  return awsError('ResourceNotFoundException', message, 404);
}
