/** A simulated account in which nothing is configured, and `chandler configure eks` for its cluster. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
// Loaded here, because loading takes real time, and the clock of the test is virtual.
import '../../packages/chandler/src/cloud/aws/testing.ts';
import '../../packages/chandler/src/cloud/aws/index.ts';
import '../../packages/chandler/src/configure/eks/index.ts';
import type { AwsServerOptions } from '@chandler/cloudsim/aws';
import { testAws } from '@chandler/cloudsim/aws/testing';
import { type AwsCalls, connectCalls } from '../../packages/chandler/src/cloud/aws/account.ts';
import { awsWriteOf } from '../../packages/chandler/src/cloud/aws/index.ts';
import { aFolder, type Kill, killedAt, type Ran, runConfigure } from './configure.fixture.ts';

export interface TestEks extends Awaited<ReturnType<typeof anEks>> {}

const ISSUER = 'https://oidc.eks.us-west-2.amazonaws.com/id/0123456789ABCDEF';
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

export async function anEks(options: Partial<AwsServerOptions> = {}) {
  const folder = aFolder();
  const keys = () => [publicKey.export({ format: 'jwk' }) as Record<string, unknown>];
  const aws = await testAws({
    configured: false,
    oidcIssuer: ISSUER,
    identityProviders: [{ issuer: ISSUER, audiences: [], keys }],
    ...options,
  });
  const { server, world } = aws;
  const { account, cluster, settings } = server;
  const place = { AWS_REGION: settings.region, AWS_ENDPOINT_URL: server.url, HOME: folder };
  const env = {
    ...place,
    AWS_ACCESS_KEY_ID: server.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: server.credentials.secretAccessKey,
  };
  const journal = join(folder, 'journal.json');
  const eks = (
    args: readonly string[],
    more: Partial<Parameters<typeof runConfigure>[1]> = {},
  ): Promise<Ran> =>
    runConfigure(['eks', '-n', settings.clusterName, '--journal', journal, ...args], {
      world,
      env,
      fetch: server.fetch,
      ...more,
    });
  return {
    aws,
    server,
    world,
    folder,
    env,
    eks,
    /** As `eks`, and the process ends at one of the calls that change something. Undefined: it made fewer of them. */
    async eksKilled(args: readonly string[], kill: Kill): Promise<Ran | undefined> {
      const { killed, ...killing } = killedAt(server.fetch, kill, async (request) => {
        const { url, method, headers } = request;
        return awsWriteOf(url, { method, headers, body: await request.text() }) !== undefined;
      });
      const ran = await eks(args, killing);
      return killed() ? ran : undefined;
    },
    journal: () =>
      existsSync(journal)
        ? { text: readFileSync(journal, 'utf8'), mode: statSync(journal).mode & 0o777 }
        : undefined,
    /** What a configuration is made of. */
    made() {
      const tags = [
        ...[...account.subnets.values()].flatMap((subnet) => subnet.tags),
        ...[...account.securityGroups.values()].flatMap(({ Tags = [] }) => Tags),
      ];
      return {
        roles: [...account.roles.values()]
          .map(({ name, attached, inline }) => [name, ...attached, ...(inline?.keys() ?? [])].join(' '))
          .sort(),
        providers: [...account.oidcProviders.keys()],
        queues: [...account.queues.keys()],
        rules: [...account.eventRules.values()].map(({ name, targets }) => `${name} ${targets.size}`).sort(),
        entries: [...cluster.accessEntries.keys()],
        associations: cluster.podIdentityAssociations.map(({ roleArn }) => roleArn),
        tags: tags.filter(({ Key }) => Key === 'karpenter.sh/discovery').length,
      };
    },
    /** The calls of a pod of the ServiceAccount, signed in as the variables say that EKS sets in it. */
    async asPod(identity: 'pod-identity' | 'irsa', roleArn: string): Promise<AwsCalls> {
      const token = join(folder, 'token');
      const audience = identity === 'irsa' ? 'sts.amazonaws.com' : 'pods.eks.amazonaws.com';
      writeFileSync(token, tokenOf(audience, world.clock.now()));
      const variables =
        identity === 'irsa'
          ? { AWS_WEB_IDENTITY_TOKEN_FILE: token, AWS_ROLE_ARN: roleArn }
          : {
              AWS_CONTAINER_CREDENTIALS_FULL_URI: `${AGENT}/v1/credentials`,
              AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: token,
            };
      const { access, missing } = await connectCalls({
        world,
        env: { ...place, ...variables },
        readFile: (path) => readFileSync(path, 'utf8'),
        version: '0.0.0-test',
        openWire: () => ({ fetch: server.fetch, close: async () => {} }),
        required: true,
        region: undefined,
      });
      if (access === undefined) throw new Error(missing?.message);
      return access.calls;
    },
    async close() {
      await aws.close();
      rmSync(folder, { recursive: true });
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------

/** Of the agent on a node. */
const AGENT = 'http://169.254.170.23';

function tokenOf(audience: string, nowMs: number): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = {
    iss: ISSUER,
    sub: 'system:serviceaccount:kube-system:chandler',
    aud: [audience],
    exp: Math.floor(nowMs / 1000) + 3600,
  };
  const text = `${part({ alg: 'ES256' })}.${part(claims)}`;
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}
