/**
 * STS: GetCallerIdentity, and AssumeRoleWithWebIdentity with which pods of a cluster get credentials. Tokens are verified with
 * the keys of a known identity provider, and the trust policy of the role decides who may assume it.
 */
import { isSigned, readToken, type TokenIssuer } from '../../json-web-token.ts';
import type { AwsContext } from '../context.ts';
import { conditionsHold, listOf } from '../iam/policy.ts';
import type { RoleRecord } from '../store/records.ts';
import type { Operation, Principal } from '../wire/aws-request.ts';
import { type AwsError, awsError } from '../wire/errors.ts';

/** An IAM OIDC identity provider: usually the issuer of the cluster's service account tokens. */
export interface IdentityProvider extends TokenIssuer {
  readonly audiences: readonly string[];
}

export function stsOperations(
  context: AwsContext,
  providers: readonly IdentityProvider[],
): readonly Operation[] {
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
        const claims = await verifiedClaims(context, providers, token!);
        const role = [...context.account.roles.values()].find(({ arn }) => arn === roleArn);
        if (role === undefined || !trusts(context, role, claims)) throw notAuthorized();
        const principal = sessionOf(context, role, session!);
        const key = context.authentication.issue(principal, seconds * 1000);
        return {
          SubjectFromWebIdentityToken: claims.sub,
          Audience: listOf(claims.aud)[0],
          Provider: providerArn(context, claims.iss),
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

// ---------------------------------------------------------------------------------------------------

interface Claims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: string | readonly string[];
  readonly exp: number;
}

async function verifiedClaims(
  { world }: AwsContext,
  providers: readonly IdentityProvider[],
  token: string,
): Promise<Claims> {
  const given = readToken(token);
  if (given === undefined)
    throw invalidToken(
      'The ID Token provided is not a valid JWT. (You may see this error if you sent an Access Token)',
    );
  const claims = given.claims as unknown as Partial<Claims>;
  const provider = providers.find(({ issuer }) => issuer === claims.iss);
  if (provider === undefined)
    throw invalidToken(`No OpenIDConnect provider found in your account for ${String(claims.iss)}`);
  if (!listOf(claims.aud).some((audience) => provider.audiences.includes(audience)))
    throw invalidToken('Incorrect token audience');
  if (!(await isSigned(given, provider)))
    throw invalidToken(
      "Couldn't retrieve verification key from your identity provider, or the signature is wrong",
    );
  if ((claims.exp ?? 0) * 1000 <= world.clock.now())
    throw awsError(
      'ExpiredTokenException',
      `Token expired: current date/time ${Math.floor(world.clock.now() / 1000)} must be before the expiration date/time ${claims.exp}`,
    );
  return claims as Claims;
}

function trusts(context: AwsContext, role: RoleRecord, { iss, sub, aud }: Claims): boolean {
  const host = iss.replace(/^https:\/\//, '');
  const conditions = { [`${host}:sub`]: sub, [`${host}:aud`]: listOf(aud) };
  return role.trust.Statement.some(
    (statement) =>
      statement.Effect === 'Allow' &&
      listOf(statement.Action).includes('sts:AssumeRoleWithWebIdentity') &&
      typeof statement.Principal === 'object' &&
      listOf(statement.Principal['Federated']).includes(providerArn(context, iss)) &&
      conditionsHold(statement, conditions),
  );
}

function providerArn({ settings: { partition, accountId } }: AwsContext, issuer: string): string {
  return `arn:${partition}:iam::${accountId}:oidc-provider/${issuer.replace(/^https:\/\//, '')}`;
}

function invalidToken(message: string): AwsError {
  return awsError('InvalidIdentityToken', message);
}

function notAuthorized(): AwsError {
  return awsError('AccessDenied', 'Not authorized to perform sts:AssumeRoleWithWebIdentity', 403);
}
