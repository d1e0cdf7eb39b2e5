/** JSON Web Tokens that somebody else issued: their parts, and whether a key that the issuer publishes signed them. */
import { createPublicKey, verify } from 'node:crypto';

export interface JsonWebKey {
  readonly kid?: string;
  readonly [name: string]: unknown;
}

/** An issuer of tokens, with its public keys as JSON Web Keys. */
export interface TokenIssuer {
  /** `https://oidc.eks.us-west-2.amazonaws.com/id/…`. */
  readonly issuer: string;
  readonly keys: () => readonly JsonWebKey[] | Promise<readonly JsonWebKey[]>;
}

export interface JsonWebToken {
  readonly header: { readonly alg?: string; readonly kid?: string };
  readonly claims: Readonly<Record<string, unknown>>;
  /** What is signed. */
  readonly text: string;
  readonly signature: string;
}

/** Undefined: it is none. */
export function readToken(token: string): JsonWebToken | undefined {
  const [header = '', claims = '', signature, ...more] = token.split('.');
  if (signature === undefined || more.length > 0) return undefined;
  const [first, second] = [decoded(header), decoded(claims)];
  if (first === undefined || second === undefined) return undefined;
  return { header: first, claims: second, text: `${header}.${claims}`, signature };
}

export async function isSigned(token: JsonWebToken, { keys }: TokenIssuer): Promise<boolean> {
  const { kid } = token.header;
  return (await keys())
    .filter((key) => kid === undefined || key.kid === undefined || key.kid === kid)
    .some((key) => isSignedWith(key, token));
}

// ---------------------------------------------------------------------------------------------------

function isSignedWith(key: JsonWebKey, { header: { alg }, text, signature }: JsonWebToken): boolean {
  const publicKey = createPublicKey({ key: key as never, format: 'jwk' });
  const data = Buffer.from(text);
  const bytes = Buffer.from(signature, 'base64url');
  if (alg === 'RS256') return verify('sha256', data, publicKey, bytes);
  if (alg === 'ES256') return verify('sha256', data, { key: publicKey, dsaEncoding: 'ieee-p1363' }, bytes);
  return false;
}

function decoded(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}
