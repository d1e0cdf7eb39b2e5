/**
 * Bearer tokens: given to known identities, checked on every call. They look like Entra ID's (three parts, the middle
 * one readable) and are valid only at the server that issued them.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { World } from '@chandler/kube';
import type { Principal } from './arm-request.ts';
import { authenticationFailed, expiredToken, invalidToken } from './errors.ts';

export interface Identity extends Principal {
  readonly name: string;
  /** Absent: it cannot sign in with a secret. */
  readonly clientSecret?: string;
  /** The required claims of a federated assertion; absent: no assertion is accepted. */
  readonly federated?: readonly FederatedCredential[];
  /** Issued by the metadata endpoint. */
  readonly managed?: boolean;
  /** When the directory learned of it. Absent: it has always been there. */
  readonly createdMs?: number;
}

export interface FederatedCredential {
  /** Absent: any. */
  readonly issuer?: string;
  readonly subject: string;
  /** Absent: any. */
  readonly audiences?: readonly string[];
}

export interface IssuedToken {
  readonly token: string;
  readonly expiresAtMs: number;
}

export class Tokens {
  readonly #world: World;
  readonly #lifetimeMs: number;
  readonly #key: string;
  readonly #identities = new Map<string, Identity>();

  constructor(world: World, lifetimeMs = 3_600_000) {
    this.#world = world;
    this.#lifetimeMs = lifetimeMs;
    this.#key = `${world.random.uuid()}${world.random.uuid()}`;
  }

  addIdentity(identity: Identity): void {
    this.#identities.set(identity.clientId.toLowerCase(), identity);
  }

  removeIdentity(clientId: string): void {
    this.#identities.delete(clientId.toLowerCase());
  }

  identity(clientId: string): Identity | undefined {
    return this.#identities.get(clientId.toLowerCase());
  }

  identities(): readonly Identity[] {
    return [...this.#identities.values()];
  }

  issue(identity: Identity, audience: string, lifetimeMs = this.#lifetimeMs): IssuedToken {
    const nowMs = this.#world.clock.now();
    const expiresAtMs = nowMs + lifetimeMs;
    const claims: Claims = {
      aud: audience,
      iss: `https://sts.windows.net/${identity.tenantId}/`,
      iat: Math.floor(nowMs / 1000),
      nbf: Math.floor(nowMs / 1000),
      exp: Math.floor(expiresAtMs / 1000),
      appid: identity.clientId,
      oid: identity.objectId,
      tid: identity.tenantId,
      uti: this.#world.random.uuid(),
    };
    const signed = `${HEADER}.${encode(claims)}`;
    return { token: `${signed}.${this.#sign(signed)}`, expiresAtMs };
  }

  /** The caller behind an `Authorization` header; throws 401. Audiences are compared without a trailing slash. */
  verify(authorization: string | undefined, audiences: readonly string[]): Principal {
    const claims = this.read(authorization);
    const wanted = audiences.map(plainAudience);
    if (!wanted.includes(plainAudience(claims.aud))) {
      throw invalidToken(
        `The access token has been obtained for wrong audience or resource '${claims.aud}'. ` +
          `It should exactly match with one of the allowed audiences '${audiences.join(',')}'.`,
      );
    }
    return { objectId: claims.oid, clientId: claims.appid, tenantId: claims.tid };
  }

  /** The claims of a valid token of this server. */
  read(authorization: string | undefined): Claims {
    if (authorization === undefined || authorization === '')
      throw authenticationFailed("Authentication failed. The 'Authorization' header is missing.");
    const token = /^Bearer\s+(\S+)\s*$/i.exec(authorization)?.[1];
    if (token === undefined)
      throw authenticationFailed(
        "Authentication failed. The 'Authorization' header is provided in an invalid format.",
      );
    const parts = token.split('.');
    if (parts.length !== 3 || !this.#isOurs(parts)) throw invalidToken('The access token is invalid.');
    const claims = JSON.parse(Buffer.from(parts[1]!, 'base64url').toString()) as Claims;
    if (claims.exp * 1000 <= this.#world.clock.now())
      throw expiredToken(
        `The access token expiry UTC time '${new Date(claims.exp * 1000).toISOString()}' is earlier than current UTC ` +
          `time '${new Date(this.#world.clock.now()).toISOString()}'.`,
      );
    return claims;
  }

  #isOurs([header, claims, signature]: readonly string[]): boolean {
    const expected = Buffer.from(this.#sign(`${header}.${claims}`));
    const given = Buffer.from(signature!);
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  #sign(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }
}

export interface Claims {
  readonly aud: string;
  readonly iss: string;
  readonly iat: number;
  readonly nbf: number;
  readonly exp: number;
  readonly appid: string;
  readonly oid: string;
  readonly tid: string;
  readonly uti: string;
}

/** Audiences that management calls accept besides the server's own address. */
export const MANAGEMENT_AUDIENCES = ['https://management.azure.com/', 'https://management.core.windows.net/'];

// ---------------------------------------------------------------------------------------------------

const HEADER = encode({ typ: 'JWT', alg: 'HS256' });

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function plainAudience(audience: string): string {
  return audience.toLowerCase().replace(/\/+$/, '');
}
