/**
 * A folder machine with the identity stand-ins beside it, in one process and without waiting: what the tests of steps 1
 * and 9 run on. Everything that is run, written and said is kept.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Fetch } from '@chandler/kube';
import { afterEach } from 'vitest';
import {
  createAzureClient,
  createRealHost,
  type FlexConfig,
} from '../../../packages/chandler/src/flexnode/index.ts';
import {
  type Command,
  type CommandResult,
  type DeepPartial,
  type OwningHost,
  type Step,
  type StepContext,
  sampleConfig,
} from '../../../packages/chandler/src/flexnode/testing.ts';
import { FAST_TMPDIR } from '../fast-tmpdir.ts';
import { instantWorld } from '../instant-world.ts';
import { ArmStandin, type StandinCluster } from './arm.ts';
import { AzcmagentStandin } from './azcmagent.ts';
import { AzureCliStandin } from './azure-cli.ts';
import { FakeCluster } from './fake-cluster.ts';
import { loginStandin } from './login.ts';
import { CUT_SHORT, HANG_UP, type Handler } from './serve.ts';
import { FakeTokenIssuer } from './token-issuer.ts';

export interface IdentityFixtureOptions {
  readonly config?: DeepPartial<FlexConfig>;
  readonly interactive?: boolean;
  /** Default true; otherwise the Azure CLI. */
  readonly servicePrincipal?: boolean;
  readonly budgetMs?: number;
}

export type IdentityFixture = ReturnType<typeof identityFixture>;

/** Makes stages for the tests of one file, each prepared, and removes them after the test. */
export function fixturesForTests(prepare: (made: IdentityFixture) => void = () => undefined) {
  const fixtures: IdentityFixture[] = [];
  afterEach(() => {
    for (const each of fixtures.splice(0)) each.remove();
  });
  return (options: IdentityFixtureOptions = {}): IdentityFixture => {
    const made = identityFixture(options);
    fixtures.push(made);
    prepare(made);
    return made;
  };
}

export async function takeStep(step: Step, { context }: IdentityFixture): Promise<void> {
  await step.validate(context);
  await step.execute(context);
}

function identityFixture(options: IdentityFixtureOptions = {}) {
  const root = mkdtempSync(join(FAST_TMPDIR, 'flexnode-identity-'));
  const plain = sampleConfig(options.config);
  const world = instantWorld();
  const tokens = new FakeTokenIssuer({ tenantId: plain.azure.tenantId, now: () => world.clock.now() });
  const login = loginStandin(tokens);
  const arm = new ArmStandin(tokens);
  const cluster = aCluster();
  arm.clusters.set(plain.azure.targetCluster.resourceId.toLowerCase(), cluster);
  const agent = new AzcmagentStandin(arm, tokens);
  const cli = new AzureCliStandin(tokens);
  const commands: Command[] = [];
  const packages = { azcmagent: false };
  const fakeCluster = new FakeCluster();
  const config = options.servicePrincipal === false ? plain : withPrincipal(plain, login);
  const host = createRealHost(world, {
    root,
    fsync: false,
    commands: async (command) => {
      commands.push(command);
      return answerTo(command);
    },
  });
  const answerTo = async (command: Command): Promise<CommandResult | undefined> => {
    const [program, ...argv] = command.argv;
    if (program === 'az') return cli.answer(command);
    if (program === 'dpkg') {
      packages.azcmagent = argv[0] === '--install';
      agent.installed = packages.azcmagent;
      return OK;
    }
    if (program === 'dpkg-query')
      return packages.azcmagent ? { ...OK, stdout: 'installed' } : { ...OK, exitCode: 1 };
    if (program !== 'azcmagent') return undefined;
    const at = argv.indexOf('--config');
    if (at < 0) return agent.answer({ argv });
    const path = argv[at + 1]!;
    const content = Buffer.from((await host.readFile(path)) ?? []).toString('utf8');
    return agent.answer({ argv, config: content, configMode: (await host.lstat(path))?.mode });
  };
  const fetch = inProcess((request) =>
    new URL(request.url).hostname.startsWith('login.') ? login.handler(request) : arm.handler(request),
  );
  const facts = new Map<string, string>();
  const said: string[] = [];
  const claimed: string[] = [];
  const azure = createAzureClient(world, {
    config,
    host,
    fetch,
    interactive: options.interactive ?? false,
    ...(options.budgetMs === undefined ? {} : { budgetMs: options.budgetMs }),
  });
  const owning: OwningHost = {
    ...host,
    claim: async (path) => void claimed.push(path),
    leave: async () => undefined,
  };
  const context: StepContext = {
    world,
    config,
    host: owning,
    artifacts: {
      prefetch: () => undefined,
      obtain: async (request) => ({
        path: `/downloads/${request.kind}`,
        sha256: 'x',
        bytes: 1,
        from: 'standin',
      }),
      discard: async () => undefined,
    },
    azure,
    cluster: fakeCluster,
    facts: {
      get: (key) => facts.get(key),
      set: async (key, value) => void facts.set(key, value),
      delete: async (key) => void facts.delete(key),
    },
    architecture: 'amd64',
    self: { argv: ['chandler', 'flexnode'] },
    signal: new AbortController().signal,
    dryRun: false,
    say: (message, fields) => void said.push(`${message} ${JSON.stringify(fields ?? {})}`),
  };
  return {
    root,
    world,
    config,
    tokens,
    login,
    arm,
    cluster,
    agent,
    cli,
    commands,
    packages,
    fakeCluster,
    host,
    azure,
    facts,
    said,
    claimed,
    context,
    fetch,
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** A handler as a `fetch`, with the answers that are no answers. */
export function inProcess(handler: Handler): Fetch {
  return async (input, init) => {
    const answer = await handler(new Request(input, init));
    if (answer.headers.has(HANG_UP))
      throw new TypeError('fetch failed', { cause: new Error('socket hang up') });
    if (!answer.headers.has(CUT_SHORT)) return answer;
    const half = (await answer.text()).slice(0, 20);
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(half));
        controller.error(new Error('terminated'));
      },
    });
    return new Response(body, { status: answer.status, headers: { 'content-type': 'application/json' } });
  };
}

// ---------------------------------------------------------------------------------------------------

const OK: CommandResult = { exitCode: 0, stdout: '', stderr: '' };

function aCluster(): StandinCluster {
  return {
    kubernetesVersion: '1.32.7',
    fqdn: 'harbour.example.net',
    dnsServiceIp: '10.1.0.10',
    disableLocalAccounts: false,
    azureRbac: true,
    adminKubeconfig: '',
    userKubeconfig: '',
  };
}

function withPrincipal(config: FlexConfig, login: { clientId: string; clientSecret: string }): FlexConfig {
  const servicePrincipal = {
    tenantId: config.azure.tenantId,
    clientId: login.clientId,
    clientSecret: { from: 'file' as const, read: async () => login.clientSecret },
  };
  return { ...config, azure: { ...config.azure, servicePrincipal } };
}
