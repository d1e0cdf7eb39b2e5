/**
 * EKS Pod Identity: what the agent on a node answers to a pod that presents its service account token. The association of
 * the service account names the role, and the role must trust the service.
 */
import { readToken, type TokenIssuer } from '../../json-web-token.ts';
import type { AwsContext } from '../context.ts';
import { admits } from '../iam/admission.ts';
import { listOf, type OneOrMore } from '../iam/policy.ts';
import type { ClusterRecord } from '../store/cluster-record.ts';
import { AwsError, awsError } from '../wire/errors.ts';
import type { OwnPath } from '../wire/gateway.ts';
import type { RawAnswer } from '../wire/protocols.ts';
import { checkToken, sessionOf } from './sts.ts';

/** Served under the path of `AWS_CONTAINER_CREDENTIALS_FULL_URI`. */
export function podIdentityPath(
  context: AwsContext,
  cluster: ClusterRecord,
  issuers: readonly TokenIssuer[],
): OwnPath {
  return {
    prefix: '/v1/credentials',
    async handle({ headers }) {
      try {
        return answer(200, await credentials(context, cluster, issuers, headers['authorization'] ?? ''));
      } catch (error) {
        if (error instanceof AwsError) return answer(error.status, `[${error.code}]: ${error.message}`);
        throw error;
      }
    },
  };
}

// ---------------------------------------------------------------------------------------------------

const AUDIENCE = 'pods.eks.amazonaws.com';
const SERVICE = { kind: 'Service', name: 'pods.eks.amazonaws.com' } as const;
const LIFETIME_MS = 6 * 3_600_000;

async function credentials(
  context: AwsContext,
  cluster: ClusterRecord,
  issuers: readonly TokenIssuer[],
  text: string,
): Promise<object> {
  if (!cluster.addons.includes('eks-pod-identity-agent'))
    throw awsError('ResourceNotFoundException', 'The cluster has no add-on eks-pod-identity-agent.', 404);
  const token = readToken(text);
  const issuer = issuers.find((each) => each.issuer === cluster.oidcIssuer);
  const isOurs = token?.claims['iss'] === cluster.oidcIssuer;
  const audiences = listOf(token?.claims['aud'] as OneOrMore | undefined);
  if (token === undefined || issuer === undefined || !isOurs || !audiences.includes(AUDIENCE))
    throw awsError('InvalidTokenException', 'The token included in the request is not valid.');
  await checkToken(context, token, issuer);
  const [, namespace, serviceAccount] =
    /^system:serviceaccount:([^:]+):([^:]+)$/.exec(String(token.claims['sub'])) ?? [];
  const association = cluster.podIdentityAssociations.find(
    (each) => each.namespace === namespace && each.serviceAccount === serviceAccount,
  );
  if (association === undefined)
    throw awsError(
      'ResourceNotFoundException',
      'Association not found: the service account has no role.',
      404,
    );
  const role = [...context.account.roles.values()].find(({ arn }) => arn === association.roleArn);
  const tags = {
    'aws:RequestTag/eks-cluster-arn': cluster.arn,
    'aws:RequestTag/kubernetes-namespace': association.namespace,
    'aws:RequestTag/kubernetes-service-account': association.serviceAccount,
  };
  const may = (action: string) => admits(role?.trust, SERVICE, { action, resource: '*', context: tags });
  if (role === undefined || !may('sts:AssumeRole') || !may('sts:TagSession'))
    throw awsError(
      'AccessDeniedException',
      `Unauthorized Exception! EKS does not have permissions to assume the associated role ${association.roleArn}.`,
      403,
    );
  const key = context.authentication.issue(
    sessionOf(context, role, `eks-${cluster.name}-${serviceAccount}`),
    LIFETIME_MS,
  );
  return {
    AccessKeyId: key.accessKeyId,
    SecretAccessKey: key.secretAccessKey,
    Token: key.sessionToken,
    AccountId: context.settings.accountId,
    Expiration: new Date(key.expiresAtMs!).toISOString(),
  };
}

function answer(status: number, body: object | string): RawAnswer {
  return typeof body === 'string'
    ? { status, headers: { 'content-type': 'text/plain' }, body }
    : { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
