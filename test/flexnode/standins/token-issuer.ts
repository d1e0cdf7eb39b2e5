/**
 * The signing desk of the stand-ins: one RSA key, its published JWKS, and every token that was handed out. Login, the
 * Azure CLI and HIMDS sign here; ARM and a real kube-apiserver check here.
 */
import { createPublicKey, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';

export interface Claims {
  readonly aud: string;
  readonly oid: string;
  readonly expiresInSeconds?: number;
}

export class FakeTokenIssuer {
  readonly tenantId: string;
  /** `https://127.0.0.1:…/<tenant>/v2.0`; known once the login server listens. */
  issuer = '';
  readonly issued: { readonly token: string; readonly claims: Claims }[] = [];
  readonly #now: () => number;
  readonly #key: KeyObject;

  constructor(options: { readonly tenantId: string; readonly now: () => number }) {
    this.tenantId = options.tenantId;
    this.#now = options.now;
    sharedKey ??= generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    this.#key = sharedKey;
  }

  get jwks(): { readonly keys: readonly Record<string, unknown>[] } {
    const jwk = createPublicKey(this.#key).export({ format: 'jwk' });
    return { keys: [{ ...jwk, kid: KEY_ID, use: 'sig', alg: 'RS256' }] };
  }

  nowSeconds(): number {
    return Math.floor(this.#now() / 1000);
  }

  issue(claims: Claims): string {
    const now = this.nowSeconds();
    const payload = {
      iss: this.issuer,
      aud: claims.aud,
      oid: claims.oid,
      sub: claims.oid,
      tid: this.tenantId,
      iat: now,
      nbf: now - 60,
      exp: now + (claims.expiresInSeconds ?? 3600),
      jti: `${this.issued.length}`,
    };
    const head = `${encode({ alg: 'RS256', typ: 'JWT', kid: KEY_ID })}.${encode(payload)}`;
    const token = `${head}.${createSign('RSA-SHA256').update(head).sign(this.#key, 'base64url')}`;
    this.issued.push({ token, claims });
    return token;
  }

  /** The subject of the token, if it is one of ours for that audience. */
  holder(token: string, audience: string): string | undefined {
    return this.issued.find((each) => each.token === token && each.claims.aud === audience)?.claims.oid;
  }
}

const KEY_ID = 'standin-key';
/** Making one takes a tenth of a second and more. */
let sharedKey: KeyObject | undefined;

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
