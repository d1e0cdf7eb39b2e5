/**
 * Layer 5 on AWS: the instance runs and does not become a Node. Who may join (access entries, aws-auth), its role, its
 * metadata, and where the controller sends it. The network is in `network.ts`.
 */
import {
  type Cause,
  type CloudResourceEvidence,
  conditionOf,
  type EvidenceSet,
  type Match,
  type NodeClaimEvidence,
  SHOW_OPTIONS,
  seen,
} from '../../../causes/index.ts';

import { joiningClaims, resourcesOf } from './aws-row.ts';
import { inConsole } from './bootstrap.ts';

const SHOW_ENTRIES = 'aws eks list-access-entries --region {region} --cluster-name {cluster}';
const SHOW_MAP = 'kubectl -n kube-system get configmap aws-auth -o yaml';
const CREATE_ENTRY =
  'aws eks create-access-entry --region {region} --cluster-name {cluster} --principal-arn {nodeRoleArn} --type EC2_LINUX';
const SHOW_CLUSTER =
  'aws eks describe-cluster --region {region} --name {cluster} --query "cluster.[endpoint,status,accessConfig.authenticationMode]"';

export const JOIN: readonly Cause[] = [
  row(
    'role-not-mapped',
    'The node role may not join the cluster',
    'EKS does not accept the role of the instance as a node: it has no access entry, and aws-auth does not name it.',
    'The role {nodeRole} of {claim} may not join the cluster: {problem}.',
    `Create an access entry of the type EC2_LINUX (EC2_WINDOWS for Windows): ${CREATE_ENTRY}. With authentication mode CONFIG_MAP, add the role to mapRoles of aws-auth instead, with the username system:node:{{EC2PrivateDNSName}} and the groups system:bootstrappers and system:nodes.`,
    [SHOW_ENTRIES, SHOW_MAP, SHOW_CLUSTER],
    notMapped,
    ['L5.4', 'aws-join.unauthorized', 'aws-join.role-not-in-aws-auth'],
  ),
  row(
    'access-entry-type',
    'The access entry of the node role has the wrong type',
    'The node role has an access entry of the type STANDARD, which is for people and not for nodes.',
    'The access entry of {nodeRole} has the type {type}, with which nodes cannot join.',
    `Delete it and create it with the right type: aws eks delete-access-entry --region {region} --cluster-name {cluster} --principal-arn {nodeRoleArn} && ${CREATE_ENTRY}`,
    [SHOW_ENTRIES],
    (evidence) =>
      ofClaims(evidence, 'accessEntry', ({ found, facts }) =>
        found && !NODE_TYPES.has(facts['type'] ?? '')
          ? `its type is ${facts['type'] ?? 'not known'}`
          : undefined,
      ),
    ['L5.4', 'aws-join.unauthorized', 'aws-join.role-not-mapped', 'aws-join.role-not-in-aws-auth'],
  ),
  row(
    'aws-auth-row',
    'The row of the node role in aws-auth is wrong',
    'aws-auth names the node role with another username, without a group of nodes, or with a path in its ARN.',
    'aws-auth has the role {nodeRole} of {claim}, but {problem}.',
    'Correct the row in mapRoles of aws-auth: rolearn without a path, the username system:node:{{EC2PrivateDNSName}}, the groups system:bootstrappers and system:nodes (and eks:kube-proxy-windows for Windows).',
    [SHOW_MAP],
    wrongRow,
    ['L5.4', 'aws-join.unauthorized', 'aws-join.role-not-mapped'],
  ),
  {
    ...row(
      'role-not-in-aws-auth',
      'aws-auth does not name the node role',
      'aws-auth does not have the role of the EC2NodeClass. Access entries could not be read.',
      'aws-auth does not have the role {nodeRole} of {claim}; if it has no access entry either, the node cannot join.',
      `Check the access entries. Without one: ${CREATE_ENTRY}`,
      [SHOW_ENTRIES, SHOW_MAP],
      missingInMap,
    ),
    specificity: 'particular',
  },
  {
    ...row(
      'unauthorized',
      'EKS does not accept the instance as a node',
      'The kubelet reports Unauthorized.',
      'The API server refuses the kubelet of {claim}: {problem}',
      `The role of the instance needs an access entry of the type EC2_LINUX or a row in aws-auth: ${CREATE_ENTRY}. A wrong CLUSTER_NAME of the controller has the same effect, because the token of the kubelet is for that name.`,
      [SHOW_ENTRIES, SHOW_MAP, SHOW_OPTIONS],
      (evidence) => inConsole(evidence, UNAUTHORIZED),
      ['L5.4'],
    ),
    specificity: 'particular',
  },
  row(
    'profile-without-role',
    'The instance profile has no role',
    'IAM shows the instance profile of the instance without a role.',
    'The instance profile {profile} of {claim} has no role, so that its node gets no credentials.',
    'aws iam add-role-to-instance-profile --instance-profile-name {profile} --role-name <node role>. Then delete the NodeClaim.',
    ['aws iam get-instance-profile --instance-profile-name {profile}'],
    (evidence) =>
      ofClaims(evidence, 'instanceProfile', ({ found, facts }) =>
        found && facts['role'] === undefined ? 'it has no role' : undefined,
      ),
    ['aws-boot.no-instance-role', 'aws-join.unauthorized'],
  ),
  row(
    'profile-gone',
    'The instance profile was deleted after the launch',
    'IAM does not have the instance profile of the instance.',
    'The instance profile {profile} of {claim} no longer exists.',
    'Create it again, or use spec.role, with which the controller owns the profile. Then delete the NodeClaim.',
    ['aws iam get-instance-profile --instance-profile-name {profile}'],
    (evidence) =>
      ofClaims(evidence, 'instanceProfile', ({ found }) => (found ? undefined : 'it does not exist')),
    ['aws-boot.no-instance-role', 'aws-join.unauthorized'],
  ),
  row(
    'metadata-disabled',
    'The metadata service of the instance is disabled',
    'metadataOptions.httpEndpoint is disabled.',
    'The instance of {claim} was launched with httpEndpoint disabled: it reads neither its user data nor its credentials.',
    'Set spec.metadataOptions.httpEndpoint of the EC2NodeClass to enabled. Nodes are replaced, because the class has drifted.',
    ['kubectl get ec2nodeclass {nodeClass} -o jsonpath={.spec.metadataOptions}'],
    (evidence) =>
      ofClaims(evidence, 'launchSettings', ({ facts }) =>
        facts['httpEndpoint'] === 'disabled' ? 'httpEndpoint is disabled' : undefined,
      ),
    ['aws-boot.no-metadata', 'aws-boot.no-instance-role', 'L5.1', 'boot.hangs'],
  ),
  row(
    'endpoint-placeholder',
    'CLUSTER_ENDPOINT is a placeholder',
    'The option cluster-endpoint is a text that was meant to be replaced.',
    'The controller sends nodes to {endpoint}, which is a placeholder.',
    'Set CLUSTER_ENDPOINT (settings.clusterEndpoint of the chart) to the endpoint of the cluster, or leave it empty: then it is read from EKS.',
    [SHOW_OPTIONS, SHOW_CLUSTER],
    placeholder,
    ['aws-join.endpoint-differs', 'L5.5', 'configuration.option-refused'],
    'configuration',
  ),
  row(
    'endpoint-differs',
    'CLUSTER_ENDPOINT is not the endpoint of the cluster',
    'The option cluster-endpoint differs from what EKS says.',
    'The controller sends nodes to {endpoint}, but the endpoint of cluster {cluster} is {expected}.',
    'Set CLUSTER_ENDPOINT of the controller to {expected}, or leave it empty.',
    [SHOW_OPTIONS, SHOW_CLUSTER],
    otherEndpoint,
    ['L5.5', 'registration.ca-mismatch'],
  ),
  row(
    'ca-differs',
    'CLUSTER_CA_BUNDLE is not the CA of the cluster',
    'The option cluster-ca-bundle differs from what EKS says.',
    'The controller gives nodes a CA that is not the one of cluster {cluster}.',
    'Leave CLUSTER_CA_BUNDLE empty, or set it to certificateAuthority.data of the cluster.',
    [
      SHOW_OPTIONS,
      'aws eks describe-cluster --region {region} --name {cluster} --query cluster.certificateAuthority.data',
    ],
    (evidence) =>
      ofClaims(evidence, 'cluster', ({ facts }) =>
        facts['caMatches'] === 'false' ? 'its CA differs from CLUSTER_CA_BUNDLE' : undefined,
      ),
    ['registration.ca-mismatch'],
  ),
  row(
    'cluster-name',
    'EKS has no cluster with the name of the controller',
    'The option cluster-name names a cluster that EKS does not have in this region.',
    'CLUSTER_NAME of the controller is {cluster}, but EKS has no such cluster in {region}.',
    'Set CLUSTER_NAME (settings.clusterName of the chart) to the name of the cluster, and check AWS_REGION.',
    ['aws eks list-clusters --region {region}', SHOW_OPTIONS],
    (evidence) =>
      ofClaims(evidence, 'cluster', ({ found, name }) => (found ? undefined : `EKS has no cluster ${name}`)),
    ['L5.4', 'aws-join.unauthorized', 'aws-boot.cluster-unknown'],
  ),
];

// ---------------------------------------------------------------------------------------------------------------

const NODE_TYPES: ReadonlySet<string> = new Set(['EC2_LINUX', 'EC2_WINDOWS', 'EC2']);
const UNAUTHORIZED =
  /Unable to register node.*Unauthorized|err="Unauthorized"|You must be logged in to the server|cannot create certificate signing request: Unauthorized|Failed to ensure lease exists.*Unauthorized/i;
const PLACEHOLDER = /REPLACE|CHANGE_?ME|TODO|YOUR[_-]|<[^>]*>|\$\{[^}]*\}|example\.(?:com|org)|x{4,}/i;
/** The bootstrap of a node takes a few minutes. */
const LATE_MS = 3 * 60_000;

function row(
  name: string,
  title: string,
  symptom: string,
  summary: string,
  fix: string,
  confirm: readonly string[],
  recognise: Cause['recognise'],
  explains: readonly string[] = [],
  layer: Cause['layer'] = 'bootstrap',
): Cause {
  return {
    id: `aws-join.${name}`,
    layer,
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

/** The first joining claim with a resource of the type about which there is something to say. */
export function ofClaims(
  evidence: EvidenceSet,
  type: string,
  problemOf: (resource: CloudResourceEvidence, claim: NodeClaimEvidence) => string | undefined,
): Match | undefined {
  for (const claim of joiningClaims(evidence)) {
    for (const resource of resourcesOf(evidence, type, claim.name)) {
      const problem = problemOf(resource, claim);
      if (problem === undefined) continue;
      return {
        facts: {
          claim: claim.name,
          nodeClass: claim.nodeClass,
          problem,
          ...resource.facts,
          ...factsOf(type, resource),
        },
        seen: [seen(resource, problem)],
      };
    }
  }
  return undefined;
}

function factsOf(type: string, { name, facts }: CloudResourceEvidence): Record<string, string> {
  if (type === 'instanceProfile') return { profile: name };
  if (type === 'accessEntry') return { nodeRoleArn: name, nodeRole: name.split('/').at(-1) ?? name };
  if (type === 'subnet') return { subnet: name };
  if (type === 'securityGroup') return { group: name };
  if (type === 'cluster')
    return { cluster: name, ...(facts['endpoint'] === undefined ? {} : { expected: facts['endpoint'] }) };
  return {};
}

/** Certain only with the authentication mode and the access entry; aws-auth counts where the mode honours it. */
function notMapped(evidence: EvidenceSet): Match | undefined {
  return ofClaims(evidence, 'accessEntry', ({ found, name, facts }) => {
    if (found) return undefined;
    const mode = facts['mode'] ?? '';
    if (mode === 'API') return 'it has no access entry, and the cluster does not use aws-auth';
    const map = evidence.all('cloudResource').find(({ type }) => type === 'awsAuth');
    if (map === undefined) return undefined;
    if (map.facts[`groups of ${roleName(name)}`] !== undefined) return undefined;
    return map.found
      ? 'it has no access entry, and aws-auth does not name it'
      : 'it has no access entry, and there is no ConfigMap aws-auth';
  });
}

/** In aws-auth, for a role without an access entry. */
function wrongRow(evidence: EvidenceSet): Match | undefined {
  const map = evidence.all('cloudResource').find(({ type }) => type === 'awsAuth');
  if (map === undefined || !map.found) return undefined;
  for (const claim of joiningClaims(evidence)) {
    const role = nodeRoleOf(evidence, claim);
    const groups = map.facts[`groups of ${role}`];
    if (role === undefined || groups === undefined || hasEntry(evidence, claim)) continue;
    const problem = rowProblem(
      groups.split(' '),
      map.facts[`username of ${role}`] ?? '',
      map.facts[`arn of ${role}`] ?? '',
    );
    if (problem === undefined) continue;
    return {
      facts: { claim: claim.name, nodeRole: role, problem },
      seen: [seen(map, `${role}: ${problem}`)],
    };
  }
  return undefined;
}

function rowProblem(groups: readonly string[], username: string, arn: string): string | undefined {
  const missing = ['system:bootstrappers', 'system:nodes'].filter((group) => !groups.includes(group));
  if (missing.length > 0) return `without the group ${missing.join(' and ')}`;
  if (username !== 'system:node:{{EC2PrivateDNSName}}')
    return `its username is ${username === '' ? 'empty' : username}`;
  const parts = arn.split(':role/').at(-1)?.split('/') ?? [];
  return parts.length > 1
    ? `its ARN has the path of the role, which aws-auth does not understand`
    : undefined;
}

/** Only a doubt: an access entry may allow the role. */
function missingInMap(evidence: EvidenceSet): Match | undefined {
  const map = evidence.all('cloudResource').find(({ type }) => type === 'awsAuth');
  if (map === undefined || !map.found) return undefined;
  for (const claim of joiningClaims(evidence)) {
    const role = nodeRoleOf(evidence, claim);
    const since = Date.parse(conditionOf(claim, 'Launched')?.lastTransitionTime ?? '');
    if (role === undefined || map.facts[`groups of ${role}`] !== undefined) continue;
    if (resourcesOf(evidence, 'accessEntry', claim.name).length > 0 || !(evidence.ageMs(since) > LATE_MS))
      continue;
    return {
      weight: 'suspicious',
      facts: { claim: claim.name, nodeRole: role, problem: 'aws-auth does not name it' },
      seen: [seen(map, `${role} is not in mapRoles`)],
    };
  }
  return undefined;
}

function nodeRoleOf(evidence: EvidenceSet, { name }: NodeClaimEvidence): string | undefined {
  const [profile] = resourcesOf(evidence, 'instanceProfile', name);
  const [settings] = resourcesOf(evidence, 'launchSettings', name);
  return profile?.facts['role'] ?? settings?.facts['role'];
}

function hasEntry(evidence: EvidenceSet, { name }: NodeClaimEvidence): boolean {
  return resourcesOf(evidence, 'accessEntry', name).some(({ found }) => found);
}

function roleName(arn: string): string {
  return arn.split('/').at(-1) ?? arn;
}

/** As a value, or in what was refused because it is no URL. */
function placeholder(evidence: EvidenceSet): Match | undefined {
  const options = evidence.first('options');
  const value = options?.values['clusterEndpoint']?.value ?? '';
  const refused = options?.problems.find(({ option }) => option === 'clusterEndpoint')?.problem ?? '';
  const endpoint = [value, refused].find((text) => PLACEHOLDER.test(text));
  if (options === undefined || endpoint === undefined) return undefined;
  return { facts: { endpoint }, seen: [seen(options, `cluster-endpoint is ${endpoint}`)] };
}

function otherEndpoint(evidence: EvidenceSet): Match | undefined {
  const options = evidence.first('options');
  const given = options?.values['clusterEndpoint']?.value ?? '';
  if (options === undefined || given === '') return undefined;
  const match = ofClaims(evidence, 'cluster', ({ facts }) => {
    const expected = facts['endpoint'] ?? '';
    return expected === '' || sameAddress(given, expected) ? undefined : `cluster-endpoint is ${given}`;
  });
  return match === undefined ? undefined : { ...match, facts: { ...match.facts, endpoint: given } };
}

function sameAddress(one: string, other: string): boolean {
  const plain = (text: string) => text.trim().toLowerCase().replace(/\/+$/, '').replace(/:443$/, '');
  return plain(one) === plain(other);
}
