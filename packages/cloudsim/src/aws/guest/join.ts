/**
 * Whether a machine may join the cluster with what it has: a route, the name and the certificate of the API server, and a role
 * that an access entry or a row of aws-auth maps to nodes. Answers with what the kubelet logs when it may not.
 */
import { CONFIG_MAPS, isApiError, type KubeClient } from '@chandler/kube';
import { parse as parseYaml } from 'yaml';
import type { AwsContext } from '../context.ts';
import type { ClusterRecord } from '../store/cluster-record.ts';
import type { InstanceRecord, RoleRecord } from '../store/records.ts';
import type { NodeSettings } from './node-settings.ts';

export interface JoinParts {
  readonly context: AwsContext;
  readonly cluster: ClusterRecord;
  readonly client: KubeClient;
  /** Names and addresses of the API server, in lower case. */
  readonly hosts: readonly string[];
  /** PEM; undefined: no certificate is checked. */
  readonly caPem: string | undefined;
}

/** Undefined: it may join. */
export async function refusalOf(
  parts: JoinParts,
  instance: InstanceRecord,
  settings: NodeSettings,
): Promise<string | undefined> {
  const { cluster } = parts;
  const endpoint = settings.endpoint === '' ? cluster.endpoint : settings.endpoint;
  const host = hostOf(endpoint);
  const post = `Post "${endpoint}/api/v1/nodes"`;
  if (host === undefined) return `${post}: unsupported protocol scheme ""`;
  if (!isReachable(parts, instance)) return `${post}: dial tcp: i/o timeout`;
  if (!parts.hosts.includes(host)) return `${post}: dial tcp: lookup ${host} on 10.0.0.2:53: no such host`;
  if (!isTrusted(settings, parts.caPem))
    return `${post}: tls: failed to verify certificate: x509: certificate signed by unknown authority`;
  const role = roleOf(parts.context, instance);
  if (role === undefined)
    return `${post}: getting credentials: exec: executable aws-iam-authenticator failed with exit code 1: could not get token: NoCredentialProviders: no valid providers in chain`;
  if (settings.clusterName !== cluster.name || !(await isNodeRole(parts, role))) return UNAUTHORIZED;
  return undefined;
}

// ---------------------------------------------------------------------------------------------------

const UNAUTHORIZED = 'Unauthorized';

function hostOf(endpoint: string): string | undefined {
  return /^https:\/\/(?:\[([^\]]+)\]|([^/:?#]+))/i.exec(endpoint)?.slice(1).find(Boolean)?.toLowerCase();
}

function isReachable(parts: JoinParts, instance: InstanceRecord): boolean {
  const { account } = parts.context;
  const groups = (instance.launched.SecurityGroups ?? []).flatMap(({ GroupId }) => GroupId ?? []);
  const isOpen = groups.length === 0 || groups.some((id) => !account.isolatedGroups.has(id));
  const isRouted = account.subnets.get(instance.subnetId)?.routed !== false;
  return isOpen && isRouted && (parts.cluster.publicAccess !== false || isAdmitted(parts, groups));
}

/** By a rule of any security group of the control plane. */
function isAdmitted({ context: { account }, cluster }: JoinParts, groups: readonly string[]): boolean {
  const { securityGroupId, otherSecurityGroupIds = [] } = cluster;
  const rules = [securityGroupId, ...otherSecurityGroupIds].flatMap(
    (id) => account.securityGroups.get(id)?.IpPermissions ?? [],
  );
  return rules.some(
    ({ IpProtocol, FromPort = 0, ToPort = 65_535, UserIdGroupPairs = [], IpRanges = [] }) =>
      (IpProtocol === '-1' || (FromPort <= 443 && ToPort >= 443)) &&
      (IpRanges.length > 0 || UserIdGroupPairs.some(({ GroupId = '' }) => groups.includes(GroupId))),
  );
}

function isTrusted({ certificateAuthority }: NodeSettings, caPem: string | undefined): boolean {
  if (caPem === undefined || certificateAuthority === '') return true;
  return squeezed(Buffer.from(certificateAuthority, 'base64').toString()) === squeezed(caPem);
}

function squeezed(pem: string): string {
  return pem.replace(/\s+/g, '');
}

function roleOf({ account }: AwsContext, { profileArn }: InstanceRecord): RoleRecord | undefined {
  const name = profileArn === undefined ? undefined : account.profileByArn(profileArn)?.roleName;
  return name === undefined ? undefined : account.roles.get(name);
}

async function isNodeRole({ cluster, client }: JoinParts, role: RoleRecord): Promise<boolean> {
  const type = cluster.authenticationMode === 'CONFIG_MAP' ? undefined : cluster.accessEntries.get(role.arn);
  if (type !== undefined) return type === 'EC2_LINUX' || type === 'EC2_WINDOWS';
  if (cluster.authenticationMode === 'API') return false;
  return (await mappedRoles(client)).some(
    ({ rolearn, username, groups }) =>
      // aws-auth knows roles without their path.
      rolearn === role.arn.replace(`:role${role.path}`, ':role/') &&
      username === 'system:node:{{EC2PrivateDNSName}}' &&
      groups.includes('system:bootstrappers') &&
      groups.includes('system:nodes'),
  );
}

interface MappedRole {
  readonly rolearn?: string;
  readonly username?: string;
  readonly groups: readonly string[];
}

/** A map that cannot be read maps nobody. */
async function mappedRoles(client: KubeClient): Promise<readonly MappedRole[]> {
  try {
    const map = await client.find(CONFIG_MAPS, { namespace: 'kube-system', name: 'aws-auth' });
    const rows: unknown = parseYaml(map?.data?.['mapRoles'] ?? '[]');
    if (!Array.isArray(rows)) return [];
    return rows.map((row: Partial<MappedRole> | null) => ({ ...row, groups: row?.groups ?? [] }));
  } catch (error) {
    if (isApiError(error)) throw error;
    return [];
  }
}
