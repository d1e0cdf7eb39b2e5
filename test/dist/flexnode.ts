/**
 * `flexnode bootstrap --dry-run`, with the installed program and with the single executable. Offline, the plans are those of
 * the golden files; otherwise Azure is asked through the official clients, here stand-ins for Microsoft Entra ID and ARM.
 */
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type Changes,
  CLUSTER_ID,
  minimalFile,
  SAMPLE_TENANT,
} from '../../packages/chandler/src/flexnode/testing.ts';
import { buildFacts } from '../../scripts/build/build-facts.ts';
import { DIST, ROOT } from '../../scripts/build/paths.ts';
import { AGENT, CONFIGS } from '../flexnode/dry-run-configs.ts';
import { type IdentityStandins, startIdentityStandins } from '../flexnode/standins/identity.ts';
import { layPlainTree } from '../flexnode/ubuntu-files.ts';
import { Program } from './program.ts';
import type { Stage } from './suite.ts';

interface Agent {
  readonly name: string;
  readonly program: Program;
  readonly first: readonly string[];
}

const EXECUTABLE = join(DIST, 'chandler-flexnode');

export async function checkFlexnode(stage: Stage): Promise<void> {
  const root = join(stage.folder, 'machine');
  layPlainTree(root);
  const { version, commit } = buildFacts(ROOT);
  for (const agent of agents(stage, root)) {
    await stage.suite.check(`${agent.name} version`, async () => {
      const { out } = await agent.program.run([...agent.first, 'version']);
      assert.ok(out.startsWith(`AKS Flex Node Agent\nVersion: ${version}\nGit Commit: ${commit}\n`), out);
    });
    for (const [name, changes] of Object.entries(CONFIGS))
      await stage.suite.check(`${agent.name}, offline: ${name}`, async () => {
        const out = await dryRun(stage, agent, root, { changes, more: ['--offline'] });
        const golden = readFileSync(join(ROOT, 'test/flexnode/golden', `${name}.txt`), 'utf8');
        assert.equal(withoutProgram(out), withoutProgram(golden));
      });
    await stage.suite.check(`${agent.name}: asks Azure for the machine and the cluster`, () =>
      checkOnline(stage, agent, root),
    );
  }
}

// ---------------------------------------------------------------------------------------------------

function agents({ chandler }: Stage, root: string): readonly Agent[] {
  const installed = { name: 'chandler flexnode', program: chandler, first: ['flexnode'] };
  if (!existsSync(EXECUTABLE)) {
    console.log('     dist/chandler-flexnode was not built on this platform; it is left out');
    return [installed];
  }
  // It copies itself, from where it lies on that machine.
  const there = join(root, EXECUTABLE);
  mkdirSync(dirname(there), { recursive: true });
  copyFileSync(EXECUTABLE, there);
  const program = new Program({ ...chandler.files, command: [EXECUTABLE] });
  return [installed, { name: 'chandler-flexnode', program, first: [] }];
}

/** With a proxy in the config, requests go through undici; loopback is reached directly all the same. */
async function checkOnline(stage: Stage, agent: Agent, root: string): Promise<void> {
  const standins = await startIdentityStandins({
    tenantId: SAMPLE_TENANT,
    tokensDir: stage.folder,
    clusters: { [CLUSTER_ID]: CLUSTER },
  });
  try {
    const authorities = join(stage.folder, 'authorities.pem');
    writeFileSync(authorities, standins.caPem);
    const changes = onlineConfig(standins);
    const env = { NODE_EXTRA_CA_CERTS: authorities };
    const out = await dryRun(stage, agent, root, { changes, env });
    assert.match(out, /^Plan for edge-01: 11 of 11 steps would run\. Nothing was changed\.$/m);
    for (const type of [
      'Microsoft.HybridCompute/machines/edge-01',
      'Microsoft.ContainerService/managedClusters/',
    ])
      assert.ok(
        standins.arm.calls.some((call) => call.startsWith('GET ') && call.includes(type)),
        `ARM was not asked for ${type}: ${standins.arm.calls.join(', ')}`,
      );
  } finally {
    await standins.close();
  }
}

const CLUSTER = {
  kubernetesVersion: '1.32.7',
  fqdn: 'harbour.example',
  dnsServiceIp: '10.0.0.10',
  disableLocalAccounts: false,
  azureRbac: true,
  adminKubeconfig: '',
  userKubeconfig: '',
};

function onlineConfig({ url, login }: IdentityStandins): Changes {
  return {
    ...AGENT,
    'azure.servicePrincipal.tenantId': SAMPLE_TENANT,
    'azure.servicePrincipal.clientId': login.clientId,
    'azure.servicePrincipal.clientSecret': login.clientSecret,
    'azure.resourceManagerEndpoint': url,
    'azure.authorityHost': url,
    'proxy.http': 'http://127.0.0.1:9',
    'proxy.https': 'http://127.0.0.1:9',
  };
}

interface DryRun {
  readonly changes: Changes;
  readonly more?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

async function dryRun(
  { folder }: Stage,
  { program, first }: Agent,
  root: string,
  { changes, more = [], env = {} }: DryRun,
): Promise<string> {
  const config = join(folder, 'flexnode.json');
  writeFileSync(config, JSON.stringify(minimalFile(changes), null, 2), { mode: 0o600 });
  const args = [...first, 'bootstrap', '--dry-run', ...more, '--root', root, '--config', config];
  return (await program.run(args, { env })).out;
}

/** The one file that differs: the package installs a script that starts it, the executable a copy of itself. */
const OWN_SCRIPT =
  /^ +--- \/dev\/null\n +\+\+\+ \/usr\/local\/bin\/chandler-flexnode\n.*\n +\+#!\/bin\/sh\n +\+exec .*$/m;
const OWN_COPY = /^ +\(binary, \d+ bytes, sha256 [0-9a-f]{64}\)$/m;

function withoutProgram(text: string): string {
  return text.replace(OWN_SCRIPT, 'OWN PROGRAM').replace(OWN_COPY, 'OWN PROGRAM');
}
