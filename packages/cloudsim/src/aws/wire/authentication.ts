/**
 * Access keys and sessions, and whether a request is signed by one of them now. The codes differ between services: EC2 says
 * AuthFailure and RequestExpired, IAM and STS SignatureDoesNotMatch, InvalidClientTokenId and ExpiredToken, the JSON services InvalidSignatureException,
 * UnrecognizedClientException and ExpiredTokenException.
 */
import type { World } from '@chandler/kube';
import type { Principal, ServiceName } from './aws-request.ts';
import { type AwsError, awsError, ec2Error } from './errors.ts';
import { amzDate, amzDateMs, isSignedWith, readAuthorization, type SignedRequest } from './sigv4.ts';

export interface AccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary credentials. */
  readonly sessionToken?: string;
  readonly expiresAtMs?: number;
  readonly principal: Principal;
}

export class Authentication {
  readonly #world: World;
  readonly #keys = new Map<string, AccessKey>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Long-lived keys of a user, or temporary ones of a role when they expire. */
  issue(principal: Principal, lifetimeMs?: number): AccessKey {
    const { random, clock } = this.#world;
    const id = random.uuid().replaceAll('-', '').slice(0, 16).toUpperCase();
    const secretAccessKey = Buffer.from(random.uuid() + random.uuid())
      .toString('base64')
      .slice(0, 40);
    const key: AccessKey = {
      accessKeyId: `${lifetimeMs === undefined ? 'AKIA' : 'ASIA'}${id}`,
      secretAccessKey,
      principal,
      ...(lifetimeMs === undefined
        ? {}
        : {
            sessionToken: Buffer.from(`session ${random.uuid()} ${random.uuid()}`).toString('base64'),
            expiresAtMs: clock.now() + lifetimeMs,
          }),
    };
    this.#keys.set(key.accessKeyId, key);
    this.#forgetExpired();
    return key;
  }

  revoke(accessKeyId: string): void {
    this.#keys.delete(accessKeyId);
  }

  /** @throws {AwsError} in the words of the service. */
  verify(request: SignedRequest, service: ServiceName, region: string): Principal {
    const words = WORDS[service] ?? JSON_WORDS;
    const given = readAuthorization(request.headers['authorization']);
    if (given === undefined) throw words.unsigned();
    const key = this.#keys.get(given.accessKeyId);
    if (key === undefined || key.sessionToken !== request.headers['x-amz-security-token'])
      throw words.unknownKey();
    const sentMs = amzDateMs(request.headers['x-amz-date']);
    const nowMs = this.#world.clock.now();
    if (sentMs === undefined) throw words.unsigned();
    if (!isSignedWith(key.secretAccessKey, request, given)) throw words.wrongSignature(WRONG_SIGNATURE);
    if (Math.abs(nowMs - sentMs) > MAX_SKEW_MS) throw words.wrongSignature(skewText(sentMs, nowMs));
    if (given.region !== region && !GLOBAL.has(service))
      throw words.wrongSignature(`Credential should be scoped to a valid region, not '${given.region}'. `);
    if (key.expiresAtMs !== undefined && key.expiresAtMs <= nowMs) throw words.expired();
    return key.principal;
  }

  #forgetExpired(): void {
    const longAgoMs = this.#world.clock.now() - 24 * 3_600_000;
    for (const { accessKeyId, expiresAtMs = Number.POSITIVE_INFINITY } of this.#keys.values())
      if (expiresAtMs < longAgoMs) this.#keys.delete(accessKeyId);
  }
}

// ---------------------------------------------------------------------------------------------------

const MAX_SKEW_MS = 5 * 60_000;
/** Called in another region than the one of the cluster. */
const GLOBAL: ReadonlySet<ServiceName> = new Set<ServiceName>(['iam', 'sts', 'pricing']);
const WRONG_SIGNATURE =
  'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.';

interface Words {
  unsigned(): AwsError;
  unknownKey(): AwsError;
  wrongSignature(message: string): AwsError;
  expired(): AwsError;
}

const EC2_WORDS: Words = {
  unsigned: () => awsError('MissingParameter', 'The request must contain the parameter AWSAccessKeyId', 400),
  unknownKey: authFailure,
  wrongSignature: authFailure,
  expired: () => ec2Error('RequestExpired', 'Request has expired.'),
};

const QUERY_WORDS: Words = {
  unsigned: () => awsError('MissingAuthenticationToken', 'Request is missing Authentication Token', 403),
  unknownKey: () =>
    awsError('InvalidClientTokenId', 'The security token included in the request is invalid.', 403),
  wrongSignature: (message) => awsError('SignatureDoesNotMatch', message, 403),
  expired: () => awsError('ExpiredToken', 'The security token included in the request is expired', 403),
};

const JSON_WORDS: Words = {
  unsigned: () => awsError('MissingAuthenticationTokenException', 'Missing Authentication Token', 403),
  unknownKey: () =>
    awsError('UnrecognizedClientException', 'The security token included in the request is invalid.', 403),
  wrongSignature: (message) => awsError('InvalidSignatureException', message, 403),
  expired: () =>
    awsError('ExpiredTokenException', 'The security token included in the request is expired', 403),
};

const WORDS: Readonly<Partial<Record<ServiceName, Words>>> = {
  ec2: EC2_WORDS,
  iam: QUERY_WORDS,
  sts: QUERY_WORDS,
};

function authFailure(): AwsError {
  return ec2Error('AuthFailure', 'AWS was not able to validate the provided access credentials');
}

function skewText(sentMs: number, nowMs: number): string {
  const [sent, now] = [amzDate(sentMs), amzDate(nowMs)];
  return sentMs < nowMs
    ? `Signature expired: ${sent} is now earlier than ${amzDate(nowMs - MAX_SKEW_MS)} (${now} - 5 min.)`
    : `Signature not yet current: ${sent} is still later than ${amzDate(nowMs + MAX_SKEW_MS)} (${now} + 5 min.)`;
}
