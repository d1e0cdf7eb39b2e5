/**
 * STS: GetCallerIdentity, and AssumeRoleWithWebIdentity with which pods of a cluster get credentials. Tokens are verified with
 * the published keys of an issuer that the account trusts, and the trust policy of the role decides who may assume it.
 */
import { isSigned, type JsonWebToken, readToken, type TokenIssuer } from '../../json-web-token.ts';
import { type AwsContext, oidcProviderArn } from '../context.ts';
import { admits } from '../iam/admission.ts';
import { listOf } from '../iam/policy.ts';
import type { RoleRecord } from '../store/records.ts';
import type { Operation, Principal } from '../wire/aws-request.ts';
import { type AwsError, awsError } from '../wire/errors.ts';

export function stsOperations(context: AwsContext, issuers: readonly TokenIssuer[]): readonly Operation[] {
  return [
    {
      service: 'sts',
      action: 'GetCallerIdentity',
      // Everybody may ask who they are.
      rights: () => [],
      handle: ({ principal }) => ({
        Arn: principal.arn,
        UserId: principal.userId,
        Account: principal.accountId,
      }),
    },
    {
      service: 'sts',
      action: 'AssumeRoleWithWebIdentity',
      open: true,
      async handle({ params }) {
        const text = (name: string) => (typeof params[name] === 'string' ? (params[name] as string) : '');
        const [roleArn, session, token] = ['RoleArn', 'RoleSessionName', 'WebIdentityToken'].map(text);
        const seconds = Number(params['DurationSeconds'] ?? 3600);
        if (!(seconds >= 900 && seconds <= 43_200))
          throw awsError(
            'ValidationError',
            `1 validation error detected: Value '${seconds}' at 'durationSeconds' failed to satisfy constraint`,
          );
        const claims = await verifiedClaims(context, issuers, token!);
        const role = [...context.account.roles.values()].find(({ arn }) => arn === roleArn);
        if (role === undefined || !trusts(context, role, claims)) throw notAuthorized();
        const principal = sessionOf(context, role, session!);
        const key = context.authentication.issue(principal, seconds * 1000);
        return {
          SubjectFromWebIdentityToken: claims.sub,
          Audience: listOf(claims.aud)[0],
          Provider: oidcProviderArn(context.settings, claims.iss),
          AssumedRoleUser: { Arn: principal.arn, AssumedRoleId: principal.userId },
          Credentials: {
            AccessKeyId: key.accessKeyId,
            SecretAccessKey: key.secretAccessKey,
            SessionToken: key.sessionToken,
            Expiration: new Date(key.expiresAtMs!),
          },
        };
      },
    },
  ];
}

/** Who a role is in a session. */
export function sessionOf(
  { settings }: Pick<AwsContext, 'settings'>,
  role: RoleRecord,
  session: string,
): Principal {
  const { partition, accountId } = settings;
  return {
    identityArn: role.arn,
    arn: `arn:${partition}:sts::${accountId}:assumed-role/${role.name}/${session}`,
    accountId,
    userId: `${role.id}:${session}`,
  };
}

/** Signature and time. @throws {AwsError} when one is wrong. */
export async function checkToken(
  { world }: Pick<AwsContext, 'world'>,
  token: JsonWebToken,
  issuer: TokenIssuer | undefined,
): Promise<void> {
  if (issuer === undefined || !(await isSigned(token, issuer)))
    throw invalidToken(
      "Couldn't retrieve verification key from your identity provider, or the signature is wrong",
    );
  const exp = Number(token.claims['exp'] ?? 0);
  if (exp * 1000 <= world.clock.now())
    throw awsError(
      'ExpiredTokenException',
      `Token expired: current date/time ${Math.floor(world.clock.now() / 1000)} must be before the expiration date/time ${exp}`,
    );
}

// ---------------------------------------------------------------------------------------------------

interface Claims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: string | readonly string[];
  readonly exp: number;
}

/** The issuer must be one that the account trusts, for an audience of the token. */
async function verifiedClaims(
  context: AwsContext,
  issuers: readonly TokenIssuer[],
  text: string,
): Promise<Claims> {
  const token = readToken(text);
  if (token === undefined)
    throw invalidToken(
      'The ID Token provided is not a valid JWT. (You may see this error if you sent an Access Token)',
    );
  const claims = token.claims as unknown as Claims;
  const provider = context.account.oidcProviders.get(oidcProviderArn(context.settings, String(claims.iss)));
  if (provider === undefined)
    throw invalidToken(`No OpenIDConnect provider found in your account for ${String(claims.iss)}`);
  if (!listOf(claims.aud).some((audience) => provider.clientIds.includes(audience)))
    throw invalidToken('Incorrect token audience');
  await checkToken(
    context,
    token,
    issuers.find(({ issuer }) => issuer === claims.iss),
  );
  return claims;
}

function trusts(context: AwsContext, role: RoleRecord, { iss, sub, aud }: Claims): boolean {
  const host = iss.replace(/^https:\/\//, '');
  return admits(
    role.trust,
    { kind: 'Federated', name: oidcProviderArn(context.settings, iss) },
    {
      action: 'sts:AssumeRoleWithWebIdentity',
      resource: role.arn,
      context: { [`${host}:sub`]: sub, [`${host}:aud`]: listOf(aud) },
    },
  );
}

function invalidToken(message: string): AwsError {
  return awsError('InvalidIdentityToken', message);
}

function notAuthorized(): AwsError {
  return awsError('AccessDenied', 'Not authorized to perform sts:AssumeRoleWithWebIdentity', 403);
}
