/**
 * The scenario of `npm run test:flexnode`, phase by phase, on a real machine: bootstrap, Ready, a pod Running, its
 * log read, a second run that changes nothing, a changed label, unbootstrap, and the tree and services as they were.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { findBinaries } from '../../cluster/control-plane/binaries.ts';
import { bootMachine, findBaseTree, type Machine } from '../../machines/machine.ts';
import { writeImage } from '../../machines/pause-image.ts';
import { ARCHITECTURE, findPrograms } from '../../machines/programs.ts';
import { startIdentityStandins } from '../standins/identity.ts';
import { AKS_AUDIENCE, type Plane, startPlane } from './control-plane.ts';
import { startFileMirror } from './file-mirror.ts';
import { layDeployFolder, runFirstBootUnit } from './first-boot.ts';
import { differences, treeOf } from './machine-tree.ts';
import { checkNodeRights } from './node-rights.ts';
import { CLUSTER_ID, IMAGE, NODE, scenarioConfig, TENANT } from './scenario-config.ts';

const TRUST = { NODE_EXTRA_CA_CERTS: '/root/ca.pem' };
const CONFIG_FILE = '/etc/aks-flex-node/config.json';
const COMMON = ['--config', CONFIG_FILE, '--allow-unsupported-os'];
/** The log of what was done stays. */
const LOG = ['/var/log/aks-flex-node'];
/** What a running node writes by itself. */
const MOVING = ['/var/lib/kubelet', '/var/lib/containerd', '/var/log', '/var/lib/cni'];

/** What `timeout` ends with when it had to kill. */
const KILLED = 137;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { 'arc-token': { type: 'boolean', default: false }, record: { type: 'string' } },
});
const executable = positionals[0]!;
const began = performance.now();
const recorded: string[] = [];

const silent = () => undefined;
const [programs, base, binaries] = [
  await findPrograms(silent),
  await findBaseTree(silent),
  await findBinaries(silent),
];
if ('missing' in programs || 'missing' in base || 'missing' in binaries) throw new Error('run run.ts');

const folder = mkdtempSync(join(tmpdir(), 'chandler-flexnode-'));
const ends: (() => Promise<void>)[] = [];
let failed: unknown;
try {
  await runScenario();
  say('the whole scenario: ok');
} catch (error) {
  failed = error;
  console.error(error);
} finally {
  for (const end of ends.toReversed()) await end().catch((error) => console.error(error));
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed === undefined ? 0 : 1);

// ---------------------------------------------------------------------------------------------------

async function runScenario(): Promise<void> {
  if ('missing' in programs || 'missing' in base || 'missing' in binaries) return;
  const mirror = await startFileMirror(programs.mirror);
  ends.push(() => mirror.stop());
  const tokensDir = join(folder, 'machine', 'var', 'opt', 'azcmagent', 'tokens');
  const standins = await startIdentityStandins({ tenantId: TENANT, tokensDir, ports: { himds: 40342 } });
  ends.push(() => standins.close());
  const plane = await startPlane(binaries.folder, { url: standins.issuer, caPem: standins.caPem });
  ends.push(() => plane.stop());
  standins.arm.clusters.set(CLUSTER_ID.toLowerCase(), {
    kubernetesVersion: '1.36.3',
    fqdn: 'localhost',
    dnsServiceIp: '10.96.0.10',
    disableLocalAccounts: false,
    azureRbac: false,
    adminKubeconfig: plane.adminKubeconfig,
    userKubeconfig: plane.adminKubeconfig,
  });
  say('control plane, ARM, login, HIMDS and mirror are up');

  const image = join(folder, 'pause.tar');
  writeImage({
    program: join(programs.folder, 'pause'),
    name: IMAGE,
    architecture: ARCHITECTURE,
    work: join(folder, 'image'),
    file: image,
  });
  const config = scenarioConfig({
    standins,
    mirror: mirror.url,
    sha256: Object.fromEntries(programs.published.map(({ key, sha256 }) => [key, sha256])),
    security: values['arc-token'] ? { tlsBootstrap: false } : {},
  });
  const machine = await bootMachine(
    base.folder,
    folder,
    (root) => {
      spawnSync('mkdir', ['-p', tokensDir, join(root, 'etc', 'aks-flex-node')]);
      copyFileSync(executable, join(root, 'root', 'chandler-flexnode'));
      copyFileSync(image, join(root, 'root', 'pause.tar'));
      layDeployFolder(root, executable, ARCHITECTURE);
      writeFileSync(join(root, 'usr', 'bin', 'azcmagent'), standins.azcmagentScript, { mode: 0o755 });
      writeFileSync(join(root, 'root', 'ca.pem'), standins.caPem);
      layHimdsUnit(root);
      writeFileSync(join(root, 'etc', 'resolv.conf'), 'nameserver 127.0.0.1\n');
      writeFileSync(
        join(root, 'etc', 'fstab'),
        '# the machine has a swap line\n/swapfile none swap sw 0 0\n',
      );
      writeFileSync(join(root, 'etc', 'hostname'), `${NODE}\n`);
      writeConfig(root, config);
    },
    { name: 'flexnode-test' },
  );
  ends.push(() => machine.stop());
  say('the machine has booted');
  const before = { tree: treeOf(machine.root, LOG), units: await unitsOf(machine) };

  // A recorded run is not interrupted.
  if (values.record === undefined)
    await phase('a bootstrap that is killed again and again', () => killRepeatedly(machine));
  await phase('bootstrap', async () => {
    const run = await agent(machine, ['bootstrap', ...COMMON], { shown: true });
    if (run.exitCode !== 0) await showLogs(machine);
    assert.equal(run.exitCode, 0, `bootstrap ended with ${run.exitCode}`);
  });
  await phase('the Node is Ready', async () => {
    const node = kubectl(plane, ['get', 'node', NODE, '-o', 'json']);
    const { status, metadata } = JSON.parse(node) as NodeJson;
    assert.equal(status.conditions.find(({ type }) => type === 'Ready')?.status, 'True');
    assert.equal(metadata.labels['example.com/site'], 'cellar');
    show(kubectl(plane, ['get', 'nodes', '-o', 'wide']));
  });
  await phase('a pod runs, and its log can be read', () => runPod(machine, plane));
  await phase('a second run changes nothing', async () => {
    const tree = treeOf(machine.root, MOVING);
    // Three times: a pod has just been started, and the first may have to share the machine with that.
    for (const shown of [true, false, false]) await changeNothing(machine, shown);
    assert.deepEqual(differences(tree, treeOf(machine.root, MOVING)), []);
  });
  if (values.record === undefined)
    await phase('the install script and the unit for the first boot', () => runFirstBootUnit(machine, TRUST));
  await phase('status says that it is well', async () => {
    const run = await agent(machine, ['status', '--config', CONFIG_FILE], { shown: true });
    assert.equal(run.exitCode, 0, run.stdout + run.stderr);
  });
  await phase('a changed label reaches the Node', async () => {
    writeConfig(machine.root, {
      ...config,
      node: { ...config.node, labels: { ...config.node.labels, 'example.com/rack': 'r2' } },
    });
    const run = await agent(machine, ['bootstrap', ...COMMON]);
    assert.equal(run.exitCode, 0, run.stdout + run.stderr);
    const labels = () =>
      (JSON.parse(kubectl(plane, ['get', 'node', NODE, '-o', 'json'])) as NodeJson).metadata.labels;
    await until(() => labels()['example.com/rack'] === 'r2', 'the label on the Node');
    writeConfig(machine.root, config);
  });
  if (values['arc-token']) {
    await phase('without security.tlsBootstrap: false the node changes to a certificate', async () => {
      writeConfig(machine.root, { ...config, security: {} });
      const run = await agent(machine, ['bootstrap', ...COMMON]);
      assert.equal(run.exitCode, 0, run.stdout + run.stderr);
      writeConfig(machine.root, config);
    });
  }
  await phase('the node has the rights of a node, and the Arc identity none', async () => {
    const certificate = await machine.run(['cat', '/var/lib/kubelet/pki/kubelet-client-current.pem']);
    const issued = standins.tokens.issued.filter(({ claims }) => claims.aud === AKS_AUDIENCE).at(-1);
    const lines = checkNodeRights({
      kubectl: join(binaries.folder, 'kubectl'),
      folder,
      server: plane.url,
      caFile: plane.caFile,
      nodeCertificate: certificate.stdout,
      nodeName: NODE,
      arcToken: issued!.token,
    });
    show(lines.join('\n'));
    const bindings = kubectl(plane, ['get', 'clusterrolebindings', '-o', 'name']).split('\n');
    assert.deepEqual(
      bindings.filter((name) => name.includes('chandler-flexnode')),
      [`clusterrolebinding.rbac.authorization.k8s.io/chandler-flexnode:${NODE}:renewal`],
    );
  });
  await phase('unbootstrap', async () => {
    kubectl(plane, ['delete', 'pod', 'alive', '--wait=true', '--timeout=60s']);
    const run = await agent(machine, ['unbootstrap', '--yes', '--config', CONFIG_FILE], { shown: true });
    assert.equal(run.exitCode, 0, `unbootstrap ended with ${run.exitCode}`);
  });
  await phase('the tree and the services are as they were', async () => {
    assert.deepEqual(differences(before.tree, treeOf(machine.root, LOG)), []);
    assert.deepEqual(differences(before.units, await unitsOf(machine)), []);
    assert.equal(standins.arm.machines.size, 0, 'the Arc machine is gone');
    assert.equal(kubectl(plane, ['get', 'nodes', '-o', 'name']), '', 'the Node is gone');
    assert.equal(
      kubectl(plane, ['get', 'clusterrolebindings', '-o', 'name']).includes('chandler-flexnode'),
      false,
    );
  });
  if (values.record !== undefined) writeFileSync(values.record, recordedRun());
}

/** Each run goes on where the one before was killed, so the first of them cannot come to the end. */
async function killRepeatedly(machine: Machine): Promise<void> {
  const codes: number[] = [];
  for (const seconds of ['1.5', '2', '3', '4', '6']) {
    const kill = ['timeout', '--signal=KILL', seconds, '/root/chandler-flexnode', 'bootstrap', ...COMMON];
    const run = await machine.run(kill, { env: TRUST });
    assert.ok([0, KILLED].includes(run.exitCode), `ended with ${run.exitCode}: ${run.stdout}${run.stderr}`);
    codes.push(run.exitCode);
  }
  const killed = codes.filter((code) => code === KILLED).length;
  assert.ok(killed >= 2, `only ${killed} of ${codes.length} runs were killed before they ended`);
  say(`  ${killed} of ${codes.length} runs were killed`);
}

async function changeNothing(machine: Machine, shown: boolean): Promise<void> {
  const start = performance.now();
  const run = await agent(machine, ['bootstrap', ...COMMON], { shown });
  const wall = Math.round(performance.now() - start);
  assert.equal(run.exitCode, 0, run.stdout + run.stderr);
  const own = /nothing to do \(([\d.]+ s)\)/.exec(run.stderr)?.[1];
  assert.ok(own !== undefined, `it found something to do: ${run.stderr}`);
  say(`  in ${wall} ms on the wall, ${own} by its own count`);
}

function recordedRun(): string {
  return [
    '# A recorded run',
    '',
    'Made by `npm run test:flexnode -- --record docs/flexnode-run.md`: a machine with systemd, containerd, runc and a real',
    'kubelet joins a real kube-apiserver, runs a pod, and is restored. Azure and the Arc agent are stand-ins; the machine is',
    'a Debian with control groups of version 1, hence the two warnings of preflight.',
    '',
    '```console',
    ...recorded,
    '```',
    '',
  ].join('\n');
}

interface NodeJson {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly status: { readonly conditions: readonly { readonly type: string; readonly status: string }[] };
}

/** The Arc agent serves tokens with this unit; here the stand-in outside does, and the unit only runs. */
function layHimdsUnit(root: string): void {
  const units = join(root, 'etc', 'systemd', 'system');
  const unit = '[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n';
  writeFileSync(join(units, 'himdsd.service'), unit);
  mkdirSync(join(units, 'multi-user.target.wants'), { recursive: true });
  symlinkSync('../himdsd.service', join(units, 'multi-user.target.wants', 'himdsd.service'));
}

function writeConfig(root: string, config: unknown): void {
  writeFileSync(join(root, CONFIG_FILE), `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
}

async function agent(machine: Machine, args: readonly string[], options: { readonly shown?: boolean } = {}) {
  if (options.shown === true) show(`$ chandler-flexnode ${args.join(' ')}`);
  return await machine.run(['/root/chandler-flexnode', ...args], {
    env: TRUST,
    timeoutMs: 300_000,
    ...(options.shown === true ? { onLine: show } : {}),
  });
}

async function runPod(machine: Machine, plane: Plane): Promise<void> {
  const imported = await machine.run(['ctr', '-n', 'k8s.io', 'images', 'import', '/root/pause.tar']);
  assert.equal(imported.exitCode, 0, imported.stderr);
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'alive', namespace: 'default' },
    spec: {
      automountServiceAccountToken: false,
      containers: [{ name: 'alive', image: IMAGE, imagePullPolicy: 'IfNotPresent' }],
    },
  };
  const file = join(folder, 'pod.json');
  writeFileSync(file, JSON.stringify(pod));
  kubectl(plane, ['apply', '-f', file]);
  const phaseOf = () => kubectl(plane, ['get', 'pod', 'alive', '-o', 'jsonpath={.status.phase}']);
  try {
    await until(() => phaseOf() === 'Running', 'the pod to run');
  } catch (error) {
    show(kubectl(plane, ['describe', 'pod', 'alive']));
    await showLogs(machine);
    throw error;
  }
  show(kubectl(plane, ['get', 'pods', '-o', 'wide']));
  assert.equal(kubectl(plane, ['logs', 'alive']).trim(), 'alive');
}

async function unitsOf(machine: Machine): Promise<readonly string[]> {
  const files = await machine.run(['systemctl', 'list-unit-files', '--no-legend', '--no-pager']);
  const active = await machine.run([
    'systemctl',
    'list-units',
    '--all',
    '--plain',
    '--no-legend',
    '--no-pager',
    '--type=service,socket,timer',
  ]);
  const running = active.stdout.split('\n').map((line) => line.trim().split(/\s+/).slice(0, 3).join(' '));
  return [...files.stdout.split('\n').map((line) => line.trim()), ...running]
    .filter((line) => line !== '' && !/systemd-tmpfiles-clean|apt-daily|dpkg-db|fstrim/.test(line))
    .sort();
}

async function showLogs(machine: Machine): Promise<void> {
  for (const unit of ['containerd', 'kubelet']) {
    const log = await machine.run(['journalctl', '-u', unit, '--no-pager', '-n', '40']);
    console.log(log.stdout);
  }
}

function kubectl(plane: Plane, args: readonly string[]): string {
  if ('missing' in binaries) throw new Error(binaries.missing);
  const run = spawnSync(join(binaries.folder, 'kubectl'), ['--kubeconfig', plane.kubeconfig, ...args], {
    encoding: 'utf8',
  });
  assert.equal(run.status, 0, `kubectl ${args.join(' ')}: ${run.stderr}`);
  return run.stdout;
}

async function until(holds: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`waited a minute for ${what}`);
    await sleep(300);
  }
}

async function phase(name: string, work: () => Promise<void>): Promise<void> {
  const start = performance.now();
  await work();
  say(`${name}: ok (${((performance.now() - start) / 1000).toFixed(1)} s)`);
}

function say(line: string): void {
  console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${line}`);
}

function show(text: string): void {
  for (const line of text.trimEnd().split('\n')) {
    recorded.push(line);
    console.log(`          | ${line}`);
  }
}
