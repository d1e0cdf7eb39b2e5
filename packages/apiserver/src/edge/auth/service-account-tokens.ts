/**
 * Tokens of service accounts: JSON web tokens that this server signs (ES256) and later recognises. A token names the
 * account's UID, and the pod, node or secret it was bound to; it becomes invalid when one of them is deleted or it expires.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import type { KubeObject } from '@chandler/kube';
import type { UserInfo } from '../../resource.ts';
import { AUTHENTICATED } from './attributes.ts';

export const ISSUER = 'https://kubernetes.default.svc';

export interface BoundObject {
  readonly name: string;
  readonly uid?: string;
}

export interface TokenClaims {
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  readonly namespace: string;
  readonly serviceAccount: Required<BoundObject>;
  readonly pod?: BoundObject;
  readonly node?: BoundObject;
  readonly secret?: BoundObject;
}

export interface ServiceAccountTokensOptions {
  /** PKCS 8. A new key is made when none is given; tokens of an older key then stop working. */
  readonly privateKeyPem?: string;
  readonly now: () => number;
  readonly uuid: () => string;
  /** Reads `serviceaccounts`, `pods`, `nodes` and `secrets` by storage key. */
  readonly lookup: (storageKey: string, namespace: string, name: string) => KubeObject | undefined;
}

/** A valid token with its audiences, or the reason why it is invalid. */
export type TokenCheck =
  | { readonly user: UserInfo; readonly audiences: readonly string[] }
  | { readonly error: string };

export class ServiceAccountTokens {
  readonly #options: ServiceAccountTokensOptions;
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  readonly #keyId: string;
  /** Signatures that were checked before, by token: checking one costs more than a whole request. */
  readonly #verified = new Map<string, Claims>();

  constructor(options: ServiceAccountTokensOptions) {
    this.#options = options;
    this.#privateKey =
      options.privateKeyPem === undefined
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
        : createPrivateKey(options.privateKeyPem);
    this.#publicKey = createPublicKey(this.#privateKey);
    const der = this.#publicKey.export({ type: 'spki', format: 'der' });
    this.#keyId = createHash('sha256').update(der).digest('base64url');
  }

  /** To be stored if tokens must outlive the process. */
  get privateKeyPem(): string {
    return this.#privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  }

  issue(claims: TokenClaims): string {
    const nowSeconds = Math.floor(this.#options.now() / 1000);
    const { namespace, serviceAccount, pod, node, secret } = claims;
    const payload: Claims = {
      aud: claims.audiences,
      exp: nowSeconds + claims.expirationSeconds,
      iat: nowSeconds,
      iss: ISSUER,
      jti: this.#options.uuid(),
      'kubernetes.io': {
        namespace,
        ...(node === undefined ? {} : { node }),
        ...(pod === undefined ? {} : { pod }),
        ...(secret === undefined ? {} : { secret }),
        serviceaccount: serviceAccount,
      },
      nbf: nowSeconds,
      sub: usernameOf(namespace, serviceAccount.name),
    };
    const signed = `${encode({ alg: 'ES256', kid: this.#keyId })}.${encode(payload)}`;
    const signature = sign('sha256', Buffer.from(signed), {
      key: this.#privateKey,
      dsaEncoding: 'ieee-p1363',
    });
    return `${signed}.${signature.toString('base64url')}`;
  }

  /** Undefined when this server did not issue the token. */
  verify(token: string): TokenCheck | undefined {
    const claims = this.#claimsOf(token);
    if (claims === undefined) return undefined;
    const error = this.#whyNot(claims);
    if (error !== undefined) return { error };
    return { user: userOf(claims), audiences: claims.aud };
  }

  #claimsOf(token: string): Claims | undefined {
    const known = this.#verified.get(token);
    if (known !== undefined) return known;
    const parts = token.split('.');
    if (parts.length !== 3) return undefined;
    const signature = Buffer.from(parts[2]!, 'base64url');
    const signed = Buffer.from(`${parts[0]}.${parts[1]}`);
    const header = decode(parts[0]!) as { alg?: unknown; kid?: unknown } | undefined;
    if (header?.alg !== 'ES256' || header.kid !== this.#keyId || signature.length !== 64) return undefined;
    if (!verify('sha256', signed, { key: this.#publicKey, dsaEncoding: 'ieee-p1363' }, signature))
      return undefined;
    const claims = decode(parts[1]!) as Claims;
    if (this.#verified.size >= VERIFIED_LIMIT) this.#verified.clear();
    this.#verified.set(token, claims);
    return claims;
  }

  #whyNot(claims: Claims): string | undefined {
    const nowMs = this.#options.now();
    if (nowMs >= claims.exp * 1000) return 'service account token has expired';
    if (nowMs + CLOCK_LEEWAY_MS < claims.nbf * 1000) return 'service account token is not valid yet';
    const { namespace, serviceaccount, pod, node, secret } = claims['kubernetes.io'];
    const account = this.#options.lookup('serviceaccounts', namespace, serviceaccount.name);
    if (account === undefined) return `serviceaccounts ${JSON.stringify(serviceaccount.name)} not found`;
    if (account.metadata.uid !== serviceaccount.uid) {
      return `service account UID (${account.metadata.uid}) does not match claim (${serviceaccount.uid})`;
    }
    if (this.#longDeleted(account))
      return `service account ${namespace}/${serviceaccount.name} has been deleted`;
    if (pod !== undefined) return this.#whyNotBound('pods', namespace, pod);
    if (secret !== undefined) return this.#whyNotBound('secrets', namespace, secret);
    return node === undefined ? undefined : this.#whyNotBound('nodes', '', node);
  }

  #whyNotBound(storageKey: string, namespace: string, bound: BoundObject): string | undefined {
    const object = this.#options.lookup(storageKey, namespace, bound.name);
    const gone = object === undefined || object.metadata.uid !== bound.uid || this.#longDeleted(object);
    return gone ? 'service account token has been invalidated' : undefined;
  }

  /** An object that is being deleted may still authenticate for a minute, so that it can finish. */
  #longDeleted(object: KubeObject): boolean {
    const { deletionTimestamp } = object.metadata;
    if (deletionTimestamp === undefined) return false;
    return Date.parse(deletionTimestamp) < this.#options.now() - DELETED_GRACE_MS;
  }
}

// ---------------------------------------------------------------------------------------------------

const VERIFIED_LIMIT = 10_000;
const CLOCK_LEEWAY_MS = 60_000;
const DELETED_GRACE_MS = 60_000;

interface Claims {
  readonly aud: readonly string[];
  readonly exp: number;
  readonly iat: number;
  readonly nbf: number;
  readonly iss: string;
  readonly jti: string;
  readonly sub: string;
  readonly 'kubernetes.io': {
    readonly namespace: string;
    readonly serviceaccount: Required<BoundObject>;
    readonly pod?: BoundObject;
    readonly node?: BoundObject;
    readonly secret?: BoundObject;
  };
}

function usernameOf(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

function userOf(claims: Claims): UserInfo {
  const { namespace, serviceaccount, pod, node } = claims['kubernetes.io'];
  const extra: Record<string, readonly string[]> = {
    'authentication.kubernetes.io/credential-id': [`JTI=${claims.jti}`],
  };
  if (node !== undefined) {
    extra['authentication.kubernetes.io/node-name'] = [node.name];
    if (node.uid !== undefined) extra['authentication.kubernetes.io/node-uid'] = [node.uid];
  }
  if (pod !== undefined) {
    extra['authentication.kubernetes.io/pod-name'] = [pod.name];
    extra['authentication.kubernetes.io/pod-uid'] = [pod.uid ?? ''];
  }
  return {
    username: usernameOf(namespace, serviceaccount.name),
    uid: serviceaccount.uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, AUTHENTICATED],
    extra,
  };
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString());
  } catch {
    return undefined;
  }
}
