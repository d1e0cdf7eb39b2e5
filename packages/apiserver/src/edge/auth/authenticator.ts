/**
 * Authentication: a client certificate, else a bearer token, else anonymous. An unknown token is
 * rejected rather than treated as an anonymous request.
 */
import type { CertificateIdentity } from '@chandler/kube/tls';
import { ApiError } from '../../errors.ts';
import type { UserInfo } from '../../resource.ts';
import { ANONYMOUS, AUTHENTICATED } from './attributes.ts';
import { ISSUER, type ServiceAccountTokens } from './service-account-tokens.ts';

export interface Credentials {
  /** The Authorization header. */
  readonly authorization?: string | undefined;
  /** Of a client certificate whose chain was verified. */
  readonly certificate?: CertificateIdentity | undefined;
}

export interface AuthenticatorOptions {
  /** Static bearer tokens; `system:authenticated` is added to their groups. */
  readonly tokens?: Readonly<Record<string, UserInfo>>;
  readonly serviceAccounts?: ServiceAccountTokens;
}

export class Authenticator {
  readonly #tokens: ReadonlyMap<string, UserInfo>;
  readonly #serviceAccounts: ServiceAccountTokens | undefined;

  constructor(options: AuthenticatorOptions = {}) {
    const entries = Object.entries(options.tokens ?? {});
    this.#tokens = new Map(entries.map(([token, user]) => [token, authenticated(user)]));
    this.#serviceAccounts = options.serviceAccounts;
  }

  /** Throws the 401 of a real server for an invalid token. */
  authenticate(credentials: Credentials): UserInfo {
    const { certificate, authorization } = credentials;
    if (certificate !== undefined && certificate.commonName !== '') return certificateUser(certificate);
    const token = bearerToken(authorization);
    if (token === undefined) return ANONYMOUS;
    const verdict = this.reviewToken(token);
    if ('error' in verdict) throw unauthorized();
    return verdict.user;
  }

  /** Like `authenticate`, for a token alone; it must be valid for one of the audiences. */
  reviewToken(
    token: string,
    audiences: readonly string[] = [ISSUER],
  ): { user: UserInfo; audiences: readonly string[] } | { error: string } {
    const known = this.#tokens.get(token);
    if (known !== undefined) {
      return audiences.includes(ISSUER) ? { user: known, audiences: [ISSUER] } : { error: INVALID_TOKEN };
    }
    const verdict = this.#serviceAccounts?.verify(token);
    if (verdict === undefined) return { error: INVALID_TOKEN };
    if ('error' in verdict) return { error: `[invalid bearer token, ${verdict.error}]` };
    const shared = audiences.filter((audience) => verdict.audiences.includes(audience));
    if (shared.length > 0) return { user: verdict.user, audiences: shared };
    return {
      error: `[invalid bearer token, token audiences ${goList(verdict.audiences)} is invalid for the target audiences ${goList(audiences)}]`,
    };
  }
}

export function unauthorized(): ApiError {
  return new ApiError(401, 'Unauthorized', 'Unauthorized');
}

// ---------------------------------------------------------------------------------------------------

const INVALID_TOKEN = 'invalid bearer token';

function authenticated(user: UserInfo): UserInfo {
  return user.groups.includes(AUTHENTICATED) ? user : { ...user, groups: [...user.groups, AUTHENTICATED] };
}

function certificateUser(certificate: CertificateIdentity): UserInfo {
  const { fingerprint } = certificate;
  return authenticated({
    username: certificate.commonName,
    groups: certificate.organizations,
    ...(fingerprint === undefined
      ? {}
      : { extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint}`] } }),
  });
}

/** Undefined for no header and for schemes other than Bearer: a real server looks no further at those. */
function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const [scheme, token] = header.trim().split(' ');
  if (scheme?.toLowerCase() !== 'bearer' || token === undefined || token === '') return undefined;
  return token;
}

function goList(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;
}
