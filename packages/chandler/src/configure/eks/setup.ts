/**
 * What an EKS cluster must have for the controller: two roles, who may assume them, a queue with the rules that fill it, and tags. Decided
 * from the cluster and the options alone; the resources and the files are both made from it.
 */
import { createHash } from 'node:crypto';
import { controllerPolicies, type IamPolicy, NODE_POLICIES } from '../../cloud/aws/account.ts';
import { EVENT_RULES } from './event-rules.table.ts';
import type { EksCluster, IdentityChoice } from './read-cluster.ts';

export interface EksSetupOptions {
  readonly identity: IdentityChoice;
  readonly namespace: string;
  readonly serviceAccount: string;
  /** Default `chandler-{cluster}`. */
  readonly roleName?: string | undefined;
  /** Default `KarpenterNodeRole-{cluster}`, as in the examples of the field. */
  readonly nodeRoleName?: string | undefined;
  /** Default `chandler-{cluster}`. */
  readonly queueName?: string | undefined;
}

export interface EksSetup {
  readonly cluster: EksCluster;
  readonly identity: IdentityChoice;
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly controllerRole: RoleSetup & { readonly policies: ReadonlyMap<string, IamPolicy> };
  readonly nodeRole: RoleSetup & { readonly policyArns: readonly string[] };
  /** Only with IRSA. */
  readonly provider?: { readonly arn: string; readonly url: string; readonly audience: string };
  readonly queue: {
    readonly name: string;
    readonly arn: string;
    readonly retentionSeconds: number;
    readonly policy: object;
  };
  readonly rules: readonly RuleSetup[];
  readonly tagged: readonly TaggedResource[];
}

export interface RoleSetup {
  readonly name: string;
  readonly arn: string;
  readonly description: string;
  readonly trust: object;
}

export interface RuleSetup {
  /** `SpotInterruption`. */
  readonly key: string;
  readonly name: string;
  readonly arn: string;
  readonly pattern: object;
  readonly why: string;
}

export interface TaggedResource {
  readonly type: 'subnet' | 'security-group';
  readonly id: string;
  readonly arn: string;
}

/** By which roles are known as those of this cluster; the value is its ARN. */
export const CLUSTER_TAG = 'chandler.sh/cluster';
export const TARGET_ID = 'ChandlerInterruptionQueue';

export function eksSetup(cluster: EksCluster, options: EksSetupOptions): EksSetup {
  const { name: clusterName, partition, region, accountId } = cluster;
  const { identity, namespace, serviceAccount } = options;
  const arn = (service: string, resource: string, at = region) =>
    `arn:${partition}:${service}:${at}:${accountId}:${resource}`;
  const role = (name: string) => ({ name, arn: arn('iam', `role/${name}`, '') });
  const nodeRole = role(options.nodeRoleName ?? fitted(`KarpenterNodeRole-${clusterName}`, MAX_ROLE));
  const queueName = options.queueName ?? fitted(`chandler-${clusterName}`, MAX_QUEUE);
  const queueArn = arn('sqs', queueName);
  const provider = identity === 'irsa' ? providerOf(cluster) : undefined;
  const subject = `system:serviceaccount:${namespace}:${serviceAccount}`;
  const rules = EVENT_RULES.map(({ key, source, detailType, why }) => {
    const name = fitted(`chandler-${clusterName}`, MAX_RULE - key.length - 1);
    return {
      key,
      name: `${name}-${key}`,
      arn: arn('events', `rule/${name}-${key}`),
      pattern: { source: [source], 'detail-type': [detailType] },
      why,
    };
  });
  return {
    cluster,
    identity,
    namespace,
    serviceAccount,
    controllerRole: {
      ...role(options.roleName ?? fitted(`chandler-${clusterName}`, MAX_ROLE)),
      description: `The controller of the EKS cluster ${clusterName}`,
      trust:
        provider === undefined
          ? podsTrust(cluster.arn, namespace, serviceAccount)
          : issuerTrust(provider, subject),
      policies: controllerPolicies({
        partition,
        region,
        accountId,
        clusterName,
        nodeRoleArn: nodeRole.arn,
        queueArn,
      }),
    },
    nodeRole: {
      ...nodeRole,
      description: `Nodes of the EKS cluster ${clusterName}`,
      trust: serviceTrust(
        partition === 'aws-cn' ? 'ec2.amazonaws.com.cn' : 'ec2.amazonaws.com',
        'sts:AssumeRole',
      ),
      policyArns: NODE_POLICIES.map((name) => `arn:${partition}:iam::aws:policy/${name}`),
    },
    ...(provider === undefined ? {} : { provider }),
    queue: {
      name: queueName,
      arn: queueArn,
      // A message says what happens in the next minutes.
      retentionSeconds: 300,
      policy: queuePolicy(
        queueArn,
        rules.map((rule) => rule.arn),
      ),
    },
    rules,
    tagged: [
      ...cluster.subnetIds.map((id) => ({ type: 'subnet' as const, id, arn: arn('ec2', `subnet/${id}`) })),
      ...cluster.securityGroupIds.map((id) => ({
        type: 'security-group' as const,
        id,
        arn: arn('ec2', `security-group/${id}`),
      })),
    ],
  };
}

// ---------------------------------------------------------------------------------------------------------------

const MAX_ROLE = 64;
const MAX_QUEUE = 80;
const MAX_RULE = 64;

/** In every partition: the webhook of EKS requests tokens with it. */
const AUDIENCE = 'sts.amazonaws.com';

/** Names of clusters may be longer than AWS allows for names of other things: then a digest makes them unique. */
function fitted(name: string, max: number): string {
  if (name.length <= max) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${name.slice(0, max - 9)}-${digest}`;
}

function serviceTrust(service: string, actions: string | readonly string[], more: object = {}): object {
  return {
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Principal: { Service: service }, Action: actions, ...more }],
  };
}

/** EKS tags the session with these: an association of another cluster or ServiceAccount does not get the role. */
function podsTrust(clusterArn: string, namespace: string, serviceAccount: string): object {
  const Condition = {
    StringEquals: {
      'aws:RequestTag/eks-cluster-arn': clusterArn,
      'aws:RequestTag/kubernetes-namespace': namespace,
      'aws:RequestTag/kubernetes-service-account': serviceAccount,
    },
  };
  return serviceTrust('pods.eks.amazonaws.com', ['sts:AssumeRole', 'sts:TagSession'], { Condition });
}

function providerOf({ issuer, partition, accountId }: EksCluster) {
  const host = issuer!.replace(/^https:\/\//, '');
  return {
    arn: `arn:${partition}:iam::${accountId}:oidc-provider/${host}`,
    url: issuer!,
    audience: AUDIENCE,
  };
}

function issuerTrust({ arn, url, audience }: NonNullable<EksSetup['provider']>, subject: string): object {
  const host = url.replace(/^https:\/\//, '');
  return {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { Federated: arn },
        Action: 'sts:AssumeRoleWithWebIdentity',
        Condition: { StringEquals: { [`${host}:aud`]: audience, [`${host}:sub`]: subject } },
      },
    ],
  };
}

/** Only these rules may send, and nobody without TLS does anything. */
function queuePolicy(queueArn: string, ruleArns: readonly string[]): object {
  return {
    Version: '2012-10-17',
    Statement: [
      {
        Sid: 'AllowInterruptionEvents',
        Effect: 'Allow',
        Principal: { Service: 'events.amazonaws.com' },
        Action: 'sqs:SendMessage',
        Resource: queueArn,
        Condition: { ArnEquals: { 'aws:SourceArn': ruleArns } },
      },
      {
        Sid: 'DenyHTTP',
        Effect: 'Deny',
        Principal: '*',
        Action: 'sqs:*',
        Resource: queueArn,
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      },
    ],
  };
}
