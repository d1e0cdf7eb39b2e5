/**
 * AWS Signature Version 4 from the server's side: reads the Authorization header, and computes the signature that the
 * request must have. Who may sign, and when a signature is too old, is decided in authentication.ts.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

export interface SignedRequest {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

export interface Authorization {
  readonly accessKeyId: string;
  /** `20260101`. */
  readonly day: string;
  readonly region: string;
  readonly service: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
}

/** Undefined: not a SigV4 header. */
export function readAuthorization(header: string | undefined): Authorization | undefined {
  const match =
    /^AWS4-HMAC-SHA256 Credential=([\w]+)\/(\d{8})\/([\w-]+)\/([\w-]+)\/aws4_request, ?SignedHeaders=([\w;-]+), ?Signature=([0-9a-f]{64})$/.exec(
      header ?? '',
    );
  if (match === null) return undefined;
  const [, accessKeyId, day, region, service, signedHeaders, signature] = match as unknown as string[];
  return {
    accessKeyId: accessKeyId!,
    day: day!,
    region: region!,
    service: service!,
    signedHeaders: signedHeaders!.split(';'),
    signature: signature!,
  };
}

export function isSignedWith(secretKey: string, request: SignedRequest, given: Authorization): boolean {
  const expected = Buffer.from(signatureOf(secretKey, request, given));
  const actual = Buffer.from(given.signature);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

export function signatureOf(
  secretKey: string,
  request: SignedRequest,
  { day, region, service, signedHeaders }: Omit<Authorization, 'accessKeyId' | 'signature'>,
): string {
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = [
    'AWS4-HMAC-SHA256',
    request.headers['x-amz-date'] ?? '',
    scope,
    sha256(canonicalRequest(request, signedHeaders)),
  ].join('\n');
  let key: Buffer = Buffer.from(`AWS4${secretKey}`);
  for (const part of [day, region, service, 'aws4_request']) key = hmac(key, part);
  return hmac(key, text).toString('hex');
}

/** `20260101T120000Z` as milliseconds. */
export function amzDateMs(text: string | undefined): number | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text ?? '');
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

export function amzDate(ms: number): string {
  return new Date(ms).toISOString().replace(/[-:]|\.\d{3}/g, '');
}

// ---------------------------------------------------------------------------------------------------

function canonicalRequest(request: SignedRequest, signedHeaders: readonly string[]): string {
  const [path = '/', query = ''] = splitOnce(request.target, '?');
  const headers = signedHeaders.map(
    (name) => `${name}:${(request.headers[name] ?? '').trim().replace(/\s+/g, ' ')}\n`,
  );
  return [
    request.method,
    // Every service but S3 encodes the path that was already encoded.
    path.split('/').map(encoded).join('/') || '/',
    canonicalQuery(query),
    headers.join(''),
    signedHeaders.join(';'),
    sha256(request.body),
  ].join('\n');
}

function canonicalQuery(query: string): string {
  if (query === '') return '';
  return query
    .split('&')
    .map((pair) => splitOnce(pair, '=').map((part) => encoded(decodeURIComponent(part.replaceAll('+', ' ')))))
    .map(([name = '', value = '']) => `${name}=${value}`)
    .sort()
    .join('&');
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
