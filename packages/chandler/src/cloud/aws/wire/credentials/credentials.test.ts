/** Who we are to AWS, against the STS and the metadata service of a simulated AWS. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONTROLLER_ROLE } from '@chandler/cloudsim/aws';
import { addRole, fleetParams, type TestAws, templateParams, testAws } from '@chandler/cloudsim/aws/testing';
import type { Fetch } from '@chandler/kube';
import { settle } from '@chandler/kube/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { awsCallsOf } from '../../aws-calls.fixture.ts';
import { AwsError, NO_CREDENTIALS } from '../../errors/index.ts';
import type { AwsCredentialSource } from '../credential-source.ts';
import { InstanceMetadata } from '../instance-metadata.ts';
import { createCredentials } from './cached-credentials.ts';
import { type CredentialSettings, NO_CREDENTIAL_SETTINGS } from './credential-settings.ts';
import type { ProviderOptions } from './providers.ts';

const ISSUER = 'https://oidc.eks.us-west-2.amazonaws.com/id/0123456789ABCDEF';
const SUBJECT = 'system:serviceaccount:kube-system:karpenter';
const HOUR_MS = 3_600_000;
const options = { signal: new AbortController().signal };
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

let aws: TestAws;
let folder: string;
let files: Map<string, string>;
/** Requests by host and path, in order. */
let sent: string[];

beforeEach(async () => {
  const keys = () => [publicKey.export({ format: 'jwk' }) as Record<string, unknown>];
  const identityProviders = [{ issuer: ISSUER, audiences: ['sts.amazonaws.com'], keys }];
  aws = await testAws({ identityProviders, latencies: { consistencyMs: 0 } });
  folder = mkdtempSync(join(tmpdir(), 'chandler-credentials-'));
  files = new Map();
  sent = [];
});

afterEach(async () => {
  await aws.close();
  rmSync(folder, { recursive: true, force: true });
});

function credentialsOf(
  settings: Partial<CredentialSettings>,
  change: Partial<ProviderOptions> = {},
): AwsCredentialSource {
  const { world, server } = aws;
  const fetch: Fetch = (input, init) => {
    const { host, pathname } = new URL(String(input));
    sent.push(`${host}${pathname}`);
    return server.fetch(input, init);
  };
  return createCredentials({
    world,
    fetch,
    // No profile of the machine that runs the test.
    settings: {
      ...NO_CREDENTIAL_SETTINGS,
      credentialsFile: join(folder, 'credentials'),
      configFile: join(folder, 'config'),
      ...settings,
    },
    readFile(path) {
      const text = files.get(path);
      if (text === undefined) throw new Error(`ENOENT: no such file or directory, open '${path}'`);
      return text;
    },
    metadata: new InstanceMetadata({ world, fetch }),
    region: async () => 'us-west-2',
    version: '0.0.0-test',
    ...change,
  });
}

/** The identity that AWS sees. */
async function identityOf(credentials: AwsCredentialSource): Promise<string> {
  const { Arn } = await awsCallsOf(aws, { credentials }).sts.getCallerIdentity({}, options);
  return Arn!;
}

async function refusalOf(credentials: AwsCredentialSource): Promise<AwsError> {
  const error: unknown = await credentials.get().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(AwsError);
  expect(error).toMatchObject({ code: NO_CREDENTIALS });
  return error as AwsError;
}

function jwt(subject = SUBJECT): string {
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor(aws.world.clock.now() / 1000) + 3600;
  const text = `${encoded({ alg: 'ES256' })}.${encoded({ iss: ISSUER, sub: subject, aud: 'sts.amazonaws.com', exp })}`;
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

const TOKEN_FILE = '/var/run/secrets/eks.amazonaws.com/serviceaccount/token';

function webIdentity(): Partial<CredentialSettings> {
  const host = ISSUER.replace('https://', '');
  const { arn } = addRole(aws.server.context, 'irsa', {
    Statement: [
      {
        Effect: 'Allow',
        Principal: { Federated: `arn:aws:iam::111122223333:oidc-provider/${host}` },
        Action: 'sts:AssumeRoleWithWebIdentity',
        Condition: { StringEquals: { [`${host}:sub`]: SUBJECT } },
      },
    ],
  });
  files.set(TOKEN_FILE, `${jwt()}\n`);
  return { roleArn: arn, webIdentityTokenFile: TOKEN_FILE };
}

/** An instance with a role, whose metadata service answers. */
async function onInstance(hops: number): Promise<string> {
  await aws.query('iam', 'CreateInstanceProfile', { InstanceProfileName: 'nodes' });
  const RoleName = aws.server.settings.nodeRoleName;
  await aws.query('iam', 'AddRoleToInstanceProfile', { InstanceProfileName: 'nodes', RoleName });
  const profile = { IamInstanceProfile: { Name: 'nodes' } };
  await aws.ec2('CreateLaunchTemplate', templateParams(aws.server, profile));
  await aws.ec2('CreateFleet', fleetParams(aws.server));
  const [instance] = aws.server.instances.list();
  aws.server.serveMetadata(instance!.id, hops);
  return instance!.id;
}

const POD_IDENTITY = {
  containerUri: 'http://169.254.170.23/v1/credentials',
  containerTokenFile: '/var/run/secrets/pods.eks.amazonaws.com/serviceaccount/eks-pod-identity-token',
};

/** The agent of Pod Identity, which wants the token of the pod. */
function podIdentityAgent(token: string): Fetch {
  return async (_, init) => {
    if (new Headers(init?.headers).get('authorization') !== token)
      return new Response('(AccessDeniedException): no association', { status: 400 });
    const key = aws.server.assume(CONTROLLER_ROLE);
    return Response.json({
      AccessKeyId: key.accessKeyId,
      SecretAccessKey: key.secretAccessKey,
      Token: key.sessionToken,
      Expiration: new Date(key.expiresAtMs!).toISOString(),
    });
  };
}

describe('credentials come from', () => {
  test('variables', async () => {
    const { accessKeyId, secretAccessKey } = aws.server.credentials;
    const credentials = credentialsOf({ accessKeyId, secretAccessKey });
    expect(await identityOf(credentials)).toContain(`assumed-role/${CONTROLLER_ROLE}`);
    expect(sent).toEqual([]);
  });

  test('a profile, and the default one', async () => {
    const { accessKeyId, secretAccessKey } = aws.server.credentials;
    const keys = `aws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`;
    writeFileSync(join(folder, 'credentials'), `[default]\n${keys}\n[other]\n${keys}`);
    expect(await identityOf(credentialsOf({ profile: 'other' }))).toContain(CONTROLLER_ROLE);
    expect(await identityOf(credentialsOf({}))).toContain(CONTROLLER_ROLE);
    expect((await refusalOf(credentialsOf({ profile: 'missing' }))).message).toMatch(/AWS_PROFILE.*missing/);
  });

  test('the web identity of the pod, over STS', async () => {
    const credentials = credentialsOf(webIdentity());
    expect(await identityOf(credentials)).toMatch(/assumed-role\/irsa\/chandler-\d+$/);
    expect(sent).toEqual(['sts.us-west-2.amazonaws.com/']);
  });

  test('the agent of EKS Pod Identity', async () => {
    files.set(POD_IDENTITY.containerTokenFile, 'pod-token');
    const credentials = credentialsOf(POD_IDENTITY, { fetch: podIdentityAgent('pod-token') });
    expect(await identityOf(credentials)).toContain(CONTROLLER_ROLE);
  });

  test('the role of the instance', async () => {
    const id = await onInstance(1);
    expect(await identityOf(credentialsOf({}))).toMatch(new RegExp(`/KarpenterNodeRole-playground/${id}$`));
    expect(sent[0]).toBe('169.254.169.254/latest/api/token');
  });

  test('what is named first: a profile, variables, the web identity', async () => {
    const named = webIdentity();
    const { accessKeyId, secretAccessKey } = aws.server.credentials;
    const both = { ...named, accessKeyId, secretAccessKey };
    expect(await identityOf(credentialsOf(both))).toContain(CONTROLLER_ROLE);
    expect((await refusalOf(credentialsOf({ ...both, profile: 'missing' }))).message).toContain('missing');
  });
});

describe('credentials are kept', () => {
  test('until shortly before they expire, by the clock of the World, and renewed with the token of that time', async () => {
    const credentials = credentialsOf(webIdentity());
    const first = await credentials.get();
    await aws.world.clock.advance(HOUR_MS - 6 * 60_000);
    expect(await credentials.get()).toBe(first);
    expect(sent).toHaveLength(1);
    await aws.world.clock.advance(2 * 60_000);
    files.set(TOKEN_FILE, jwt());
    const second = await credentials.get();
    expect(second.accessKeyId).not.toBe(first.accessKeyId);
    await aws.world.clock.advance(40 * 60_000);
    expect(await identityOf(credentials)).toContain('irsa');
  });

  test('while they are valid, when new ones cannot be had', async () => {
    const credentials = credentialsOf(webIdentity());
    const first = await credentials.get();
    files.delete(TOKEN_FILE);
    await aws.world.clock.advance(HOUR_MS - 60_000);
    expect(await credentials.get()).toBe(first);
    expect(await credentials.get()).toBe(first);
    const warnings = aws.world.lines.filter(({ level }) => level === 'warn');
    expect(warnings.map(({ message }) => message)).toEqual([
      'AWS credentials could not be renewed; those that are still valid are used',
    ]);
    await aws.world.clock.advance(2 * 60_000);
    expect((await refusalOf(credentials)).message).toContain(TOKEN_FILE);
  });

  test('once for all who ask at the same time, and who aborts does not end it for the others', async () => {
    const credentials = credentialsOf(webIdentity());
    const stop = new AbortController();
    const aborted = credentials.get(stop.signal).catch((reason: unknown) => reason);
    const other = credentials.get();
    const reason = new Error('stopped');
    stop.abort(reason);
    expect(await aborted).toBe(reason);
    expect((await other).accessKeyId).toMatch(/^A/);
    expect(sent).toHaveLength(1);
  });

  test('not when AWS refuses them: they are fetched again, with a pause', async () => {
    const credentials = credentialsOf(webIdentity());
    const calls = awsCallsOf(aws, { credentials });
    await calls.sts.getCallerIdentity({}, options);
    const { accessKeyId } = await credentials.get();
    aws.server.context.authentication.revoke(accessKeyId);
    for (let call = 0; call < 3; call++)
      await expect(calls.sts.getCallerIdentity({}, options)).rejects.toMatchObject({
        code: 'InvalidClientTokenId',
      });
    expect(sent).toHaveLength(1);
    await aws.world.clock.advance(10_000);
    await calls.sts.getCallerIdentity({}, options);
    expect(sent).toHaveLength(2);
  });
});

describe('an error', () => {
  test('names what was tried and what to do', async () => {
    const { message } = await refusalOf(credentialsOf({ metadataDisabled: true }));
    for (const part of [
      'AWS_PROFILE is not set',
      'AWS_ACCESS_KEY_ID is not set',
      'IRSA',
      'EKS Pod Identity',
      'AWS_EC2_METADATA_DISABLED is true',
    ])
      expect(message).toContain(part);
    expect(message).toContain('create an EKS Pod Identity association');
  });

  test('of the metadata service says that a pod may not reach it', async () => {
    await onInstance(2);
    expect((await refusalOf(credentialsOf({}))).message).toMatch(
      /the role of the instance: .*hop limit of 2/,
    );
  });

  test('of a metadata service that does not answer comes after seconds', async () => {
    let isAsked = false;
    const silent: Fetch = (_, init) =>
      new Promise((_resolve, reject) => {
        isAsked = true;
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
      });
    const metadata = new InstanceMetadata({ world: aws.world, fetch: silent });
    const refusal = refusalOf(credentialsOf({}, { metadata }));
    // The files of profiles are read in real time.
    while (!isAsked) await settle();
    await aws.world.clock.advance(2_000);
    expect((await refusal).message).toContain('within 2 s');
  });

  test.each<[string, Partial<CredentialSettings>, RegExp]>([
    ['half of a key', { accessKeyId: 'AKIAEXAMPLE' }, /AWS_SECRET_ACCESS_KEY is not/],
    ['a role without a token', { roleArn: 'arn:aws:iam::1:role/a' }, /AWS_WEB_IDENTITY_TOKEN_FILE is not/],
    ['a token without a role', { webIdentityTokenFile: TOKEN_FILE }, /AWS_ROLE_ARN is not/],
    [
      'a token file that is not there',
      { roleArn: 'arn:aws:iam::1:role/a', webIdentityTokenFile: '/none' },
      /\/none cannot be read: ENOENT/,
    ],
    [
      'an agent somewhere else',
      { containerUri: 'http://example.com/creds' },
      /must be https, or an address of this machine/,
    ],
  ])('of %s says so', async (_, settings, expected) => {
    expect((await refusalOf(credentialsOf(settings))).message).toMatch(expected);
    expect(sent).toEqual([]);
  });

  test('of a role that does not trust the pod names the trust policy', async () => {
    const settings = webIdentity();
    files.set(TOKEN_FILE, jwt('system:serviceaccount:default:other'));
    const { message } = await refusalOf(credentialsOf(settings));
    expect(message).toContain('AccessDenied');
    expect(message).toContain('trust policy');
  });

  test('is not asked for again at once, however many calls want credentials', async () => {
    const settings = webIdentity();
    files.set(TOKEN_FILE, jwt('system:serviceaccount:default:other'));
    const credentials = credentialsOf(settings);
    for (let call = 0; call < 5; call++) await refusalOf(credentials);
    expect(sent).toHaveLength(1);
    files.set(TOKEN_FILE, jwt());
    await aws.world.clock.advance(10_000);
    expect(await identityOf(credentials)).toContain('irsa');
  });

  test('credentials that arrive expired are not asked for again with every call', async () => {
    files.set(POD_IDENTITY.containerTokenFile, 'pod-token');
    let fetches = 0;
    let expiresInMs = -60_000;
    const fetch: Fetch = async () => {
      fetches += 1;
      const Expiration = new Date(aws.world.clock.now() + expiresInMs).toISOString();
      return Response.json({ AccessKeyId: `A${fetches}`, SecretAccessKey: 'b', Token: 'c', Expiration });
    };
    const credentials = credentialsOf(POD_IDENTITY, { fetch });
    for (let call = 0; call < 5; call++) expect((await credentials.get()).accessKeyId).toBe('A1');
    expect(fetches).toBe(1);
    await aws.world.clock.advance(10_000);
    expiresInMs = HOUR_MS;
    expect((await credentials.get()).accessKeyId).toBe('A2');
    await aws.world.clock.advance(HOUR_MS);
    // What was valid when it arrived is renewed at once when it expires.
    expect((await credentials.get()).accessKeyId).toBe('A3');
  });

  test('of Pod Identity has the words of the agent', async () => {
    files.set(POD_IDENTITY.containerTokenFile, 'wrong');
    const credentials = credentialsOf(POD_IDENTITY, { fetch: podIdentityAgent('pod-token') });
    expect((await refusalOf(credentials)).message).toMatch(/no association.*eks-pod-identity-agent/);
  });

  test('has no secret, whatever the answer was', async () => {
    const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
    files.set(POD_IDENTITY.containerTokenFile, 'pod-token-of-the-controller');
    for (const body of [
      `{"SecretAccessKey":"${secret}"`,
      `{"AccessKeyId":"A","SecretAccessKey":"${secret}"}`,
    ]) {
      const fetch: Fetch = async () => new Response(body);
      const { message } = await refusalOf(credentialsOf(POD_IDENTITY, { fetch }));
      expect(message).not.toContain(secret);
      expect(message).not.toContain('pod-token-of-the-controller');
    }
  });
});
