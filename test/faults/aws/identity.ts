/**
 * The identity of controller processes on AWS: a token of their service account, which STS exchanges for credentials (IRSA). The
 * key is made once for all runs of a thread; what it signs is not recorded.
 */
import { generateKeyPairSync, sign } from 'node:crypto';

export const TOKEN_FILE = '/var/run/secrets/eks.amazonaws.com/serviceaccount/token';
export const ROLE_NAME = 'chandler';

const ISSUER = 'https://oidc.eks.us-west-2.amazonaws.com/id/FA0175';
const AUDIENCE = 'sts.amazonaws.com';
const SUBJECT = 'system:serviceaccount:kube-system:chandler';
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

export const IDENTITY_PROVIDER = {
  issuer: ISSUER,
  audiences: [AUDIENCE],
  keys: () => [{ ...publicKey.export({ format: 'jwk' }), kid: 'one' }],
};

/** Valid for a day. */
export function serviceAccountToken(nowMs: number): string {
  const seconds = Math.floor(nowMs / 1000);
  const claims = { iss: ISSUER, sub: SUBJECT, aud: [AUDIENCE], iat: seconds, exp: seconds + 86_400 };
  const text = [{ alg: 'ES256', kid: 'one', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

/** Who may take the role. */
export function trustPolicy(partition: string, accountId: string) {
  const host = ISSUER.replace('https://', '');
  return {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow' as const,
        Principal: { Federated: `arn:${partition}:iam::${accountId}:oidc-provider/${host}` },
        Action: 'sts:AssumeRoleWithWebIdentity',
        Condition: { StringEquals: { [`${host}:sub`]: SUBJECT, [`${host}:aud`]: AUDIENCE } },
      },
    ],
  };
}
