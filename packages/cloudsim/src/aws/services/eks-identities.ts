/** EKS: who may join and use a cluster. Access entries of roles, and Pod Identity associations of service accounts. */
import { createHash } from 'node:crypto';
import type { AwsContext } from '../context.ts';
import type { Right } from '../iam/rights.ts';
import type { AccessEntryType, ClusterRecord, PodIdentityAssociation } from '../store/cluster-record.ts';
import type { RoleRecord } from '../store/records.ts';
import type { AwsRequest } from '../wire/aws-request.ts';
import { type AwsError, awsError } from '../wire/errors.ts';

export type ClusterHandler = (request: AwsRequest) => unknown;

export function accessEntryHandlers(
  context: AwsContext,
  cluster: ClusterRecord,
): Readonly<Record<string, ClusterHandler>> {
  return {
    ListAccessEntries: () => {
      refuseWithoutEntries(cluster);
      return { accessEntries: [...cluster.accessEntries.keys()] };
    },
    DescribeAccessEntry: (request) => {
      refuseWithoutEntries(cluster);
      return { accessEntry: entryOf(cluster, principalOf(request)) };
    },
    CreateAccessEntry: (request) => createEntry(context, cluster, request),
    DeleteAccessEntry: (request) => {
      const { principalArn } = entryOf(cluster, principalOf(request));
      cluster.accessEntries.delete(principalArn);
      cluster.entryDetails.delete(principalArn);
      return {};
    },
  };
}

export function podIdentityHandlers(
  context: AwsContext,
  cluster: ClusterRecord,
): Readonly<Record<string, ClusterHandler>> {
  return {
    ListPodIdentityAssociations: ({ params }) => ({
      associations: cluster.podIdentityAssociations
        .filter(
          ({ namespace, serviceAccount }) =>
            [undefined, namespace].includes(params['namespace'] as string | undefined) &&
            [undefined, serviceAccount].includes(params['serviceAccount'] as string | undefined),
        )
        .map((association) => summaryOf(cluster, association)),
    }),
    DescribePodIdentityAssociation: (request) => ({
      association: shown(cluster, associationOf(cluster, request)),
    }),
    CreatePodIdentityAssociation: (request) => createAssociation(context, cluster, request),
    DeletePodIdentityAssociation: (request) => {
      const found = associationOf(cluster, request);
      cluster.podIdentityAssociations = cluster.podIdentityAssociations.filter(({ id }) => id !== found.id);
      return { association: shown(cluster, found) };
    },
  };
}

/** Who associates a role gives it to the service. */
export function associationRights({ params }: AwsRequest): readonly Right[] {
  const resource = String(params['roleArn']);
  return [
    { action: 'iam:GetRole', resource },
    { action: 'iam:PassRole', resource, context: { 'iam:PassedToService': 'pods.eks.amazonaws.com' } },
  ];
}

export function principalOf({ params }: AwsRequest): string {
  return String(params['principalArn'] ?? '');
}

/** `arn:aws:eks:us-west-2:111122223333:access-entry/playground/role/111122223333/node/*`; its last part is an id that EKS chooses. */
export function entryArn({ arn }: ClusterRecord, cluster: string, principal: string, id = '*'): string {
  const [, account = '', kind = '', name = ''] = /::(\d*):(\w+)\/(?:.*\/)?([^/]+)$/.exec(principal) ?? [];
  return arn.replace(/:cluster\/.*$/, `:access-entry/${cluster}/${kind}/${account}/${name}/${id}`);
}

// ---------------------------------------------------------------------------------------------------

const TYPES: ReadonlySet<string> = new Set<AccessEntryType>([
  'EC2_LINUX',
  'EC2_WINDOWS',
  'FARGATE_LINUX',
  'STANDARD',
]);

function createEntry(context: AwsContext, cluster: ClusterRecord, request: AwsRequest): object {
  const { params } = request;
  const principal = principalOf(request);
  refuseWithoutEntries(cluster);
  const type = String(params['type'] ?? 'STANDARD');
  if (!TYPES.has(type)) throw invalidParameter(`The type ${type} of the access entry is not valid.`);
  const groups = (params['kubernetesGroups'] ?? []) as readonly string[];
  if (type !== 'STANDARD' && groups.length > 0)
    throw invalidParameter(`The kubernetesGroups parameter cannot be used with the type ${type}.`);
  if (/:role\//.test(principal) && usableRole(context, principal) === undefined)
    throw invalidParameter('The specified principalArn is invalid: invalid principal.');
  if (cluster.accessEntries.has(principal))
    throw inUse('The specified access entry resource is already in use on this cluster.');
  cluster.accessEntries.set(principal, type as AccessEntryType);
  cluster.entryDetails.set(principal, {
    groups,
    username: params['username'] as string | undefined,
    tags: (params['tags'] ?? {}) as Readonly<Record<string, string>>,
    createdMs: context.world.clock.now(),
  });
  return { accessEntry: entryOf(cluster, principal) };
}

function createAssociation(context: AwsContext, cluster: ClusterRecord, { params }: AwsRequest): object {
  const { namespace, serviceAccount, roleArn } = params as Readonly<Record<string, string | undefined>>;
  if (!namespace || !serviceAccount || !roleArn)
    throw invalidParameter('namespace, serviceAccount and roleArn are required.');
  if (usableRole(context, roleArn) === undefined)
    throw invalidParameter(`Role provided in the request does not exist: ${roleArn}`);
  const twin = cluster.podIdentityAssociations.find(
    (each) => each.namespace === namespace && each.serviceAccount === serviceAccount,
  );
  if (twin !== undefined) throw inUse(`Association already exists: ${twin.id}`);
  const association: PodIdentityAssociation = {
    id: context.account.newId('a'),
    namespace,
    serviceAccount,
    roleArn,
    tags: (params['tags'] ?? {}) as Readonly<Record<string, string>>,
    createdMs: context.world.clock.now(),
  };
  cluster.podIdentityAssociations = [...cluster.podIdentityAssociations, association];
  return { association: shown(cluster, association) };
}

/** A role that other services know by now. */
function usableRole({ account, world }: AwsContext, arn: string): RoleRecord | undefined {
  return [...account.roles.values()].find(
    (role) => role.arn === arn && (role.usableMs ?? 0) <= world.clock.now(),
  );
}

function associationOf(cluster: ClusterRecord, { params }: AwsRequest): PodIdentityAssociation {
  const found = cluster.podIdentityAssociations.find(({ id }) => id === params['associationId']);
  if (found !== undefined) return found;
  throw notFound(`No association found for id: ${String(params['associationId'])}.`);
}

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

function shown(cluster: ClusterRecord, association: PodIdentityAssociation) {
  const { roleArn, tags = {}, createdMs = cluster.createdMs } = association;
  return { ...summaryOf(cluster, association), roleArn, tags, createdAt: new Date(createdMs) };
}

function entryOf(cluster: ClusterRecord, principalArn: string) {
  const type = cluster.accessEntries.get(principalArn);
  if (type === undefined)
    throw notFound(
      `The specified principalArn could not be found. You can view your available access entries with 'list-access-entries'. PrincipalArn: ${principalArn}`,
    );
  const details = cluster.entryDetails.get(principalArn);
  const isNode = type === 'EC2_LINUX' || type === 'EC2_WINDOWS';
  const digest = createHash('sha256').update(principalArn).digest('hex');
  const id = digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
  return {
    clusterName: cluster.name,
    principalArn,
    type,
    kubernetesGroups: isNode ? ['system:nodes'] : (details?.groups ?? []),
    username: details?.username ?? (isNode ? 'system:node:{{EC2PrivateDNSName}}' : principalArn),
    accessEntryArn: entryArn(cluster, cluster.name, principalArn, id),
    createdAt: new Date(details?.createdMs ?? cluster.createdMs),
    tags: details?.tags ?? {},
  };
}

function refuseWithoutEntries({ authenticationMode }: ClusterRecord): void {
  if (authenticationMode === 'CONFIG_MAP')
    throw awsError(
      'InvalidRequestException',
      "The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP] to perform this operation.",
    );
}

function invalidParameter(message: string): AwsError {
  return awsError('InvalidParameterException', message);
}

function inUse(message: string): AwsError {
  return awsError('ResourceInUseException', message, 409);
}

export function notFound(message: string): AwsError {
  return awsError('ResourceNotFoundException', message, 404);
}
