/**
 * Is the single executable whole? Builds it into a folder of its own, starts it, and ends with a non-zero code at the
 * first thing that is not as it should be. Outside `npm test`, since building takes seconds: `node test/flexnode/executable.ts`.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { minimalFile } from '../../packages/chandler/src/flexnode/testing.ts';
import { foreignNode } from '../../scripts/build/node-package.ts';
import { buildExecutable } from '../../scripts/flexnode-executable.ts';

const ENTRY = join(import.meta.dirname, '../../packages/chandler/src/cli/flexnode-main.ts');
const BUILD = { bundle: true, platform: 'node', minify: true } as const;
/** For qemu-user: its name of the CPU, where Debian's cross packages put the libraries, and the number in ELF headers. */
const FOREIGN = {
  arm64: { cpu: 'aarch64', library: '/usr/aarch64-linux-gnu', machine: 183 },
  x64: { cpu: 'x86_64', library: '/usr/x86_64-linux-gnu', machine: 62 },
} as const;

const work = mkdtempSync(join(tmpdir(), 'flexnode-executable-'));
const program = join(work, 'chandler-flexnode');
try {
  await buildExecutable(ENTRY, program, BUILD);
  starts();
  checksConfig();
  refusesStrangeHimds();
  plans();
  measures();
  await runsElsewhere();
} finally {
  rmSync(work, { recursive: true, force: true });
}

function starts(): void {
  const version = run(['version']);
  assert.equal(version.status, 0, version.stderr);
  assert.match(version.stdout, /^AKS Flex Node Agent\nVersion: \d/);
  const help = run(['bootstrap', '--help']);
  assert.match(help.stdout, /Usage: chandler-flexnode bootstrap/);
  assert.doesNotMatch(help.stdout, /chandler flexnode/);
  assert.equal(run([]).status, 2);
  assert.equal(run(['boostrap']).status, 2);
}

function checksConfig(): void {
  const path = join(work, 'config.json');
  writeFileSync(path, JSON.stringify(minimalFile({ 'azure.cloud': 'Mars' })));
  const wrong = run(['config', 'check', path]);
  assert.equal(wrong.status, 3);
  assert.match(wrong.stderr, /config\.json:1: invalid azure\.cloud/);
  writeFileSync(
    path,
    JSON.stringify(minimalFile({ 'agent.nodeName': 'edge-01', 'azure.arc.machineName': 'm' })),
  );
  assert.equal(run(['config', 'check', path]).status, 0);
}

function refusesStrangeHimds(): void {
  const token = run(['token'], { IDENTITY_ENDPOINT: 'http://203.0.113.7/metadata' });
  assert.equal(token.status, 1);
  assert.equal(token.stdout, '');
  assert.match(token.stderr, /must be a loopback address/);
}

/** The large part of it, with every SDK inside. */
function plans(): void {
  const root = join(work, 'root');
  mkdirSync(join(root, 'etc'), { recursive: true });
  writeFileSync(join(root, 'etc/hostname'), 'edge-07\n');
  const path = join(work, 'config.json');
  chmodSync(path, 0o600);
  const args = ['bootstrap', '--dry-run', '--offline', '--only', 'system', '--root', root, '--config', path];
  const plan = run(args);
  assert.equal(plan.status, 0, plan.stderr);
  assert.match(plan.stdout, /br_netfilter/);
}

/** The executable of the other architecture, run with qemu where that is installed. */
async function runsElsewhere(): Promise<void> {
  const architecture = process.arch === 'arm64' ? 'x64' : 'arm64';
  const { cpu, library, machine } = FOREIGN[architecture];
  const foreign = join(work, `chandler-flexnode-${architecture}`);
  let node: string;
  try {
    node = foreignNode(join(import.meta.dirname, '..', '..'), architecture);
  } catch (error) {
    console.log(`SKIPPED ${architecture}: its Node.js cannot be had: ${String(error).split('\n')[0]}`);
    return;
  }
  await buildExecutable(ENTRY, foreign, BUILD, node);
  // The field e_machine of its ELF header.
  assert.equal(readFileSync(foreign).readUInt16LE(18), machine);
  const emulator = ['/usr/bin', '/usr/local/bin']
    .flatMap((folder) => [`${folder}/qemu-${cpu}-static`, `${folder}/qemu-${cpu}`])
    .find((file) => existsSync(file));
  if (emulator === undefined || !existsSync(library)) {
    console.log(
      `SKIPPED running it for ${architecture}: there is no qemu-${cpu} with the libraries in ${library}`,
    );
    return;
  }
  const emulated = (args: readonly string[]) =>
    spawnSync(emulator, ['-L', library, foreign, ...args], {
      encoding: 'utf8',
      env: { PATH: '/usr/bin:/bin' },
    });
  const version = emulated(['version']);
  assert.match(version.stdout, /^AKS Flex Node Agent\nVersion: \d/, version.stderr);
  // A verb of the whole bundle, which has no compiled form here.
  const status = emulated(['status', '--config', join(work, 'nowhere.json')]);
  assert.equal(status.status, 3, status.stdout + status.stderr);
  console.log(`the executable for ${architecture} runs (${emulator})`);
}

/** Printed, not asserted: the machine may be busy. */
function measures(): void {
  const nowhere = join(work, 'nowhere.json');
  for (const [what, args] of [
    ['the small part', ['version']],
    ['the whole', ['status', '--config', nowhere]],
  ] as const) {
    const times = Array.from({ length: 15 }, () => {
      const from = performance.now();
      run(args);
      return performance.now() - from;
    }).sort((one, other) => one - other);
    console.log(
      `${what} starts in ${times[0]!.toFixed(0)} ms at best, ${times[7]!.toFixed(0)} in the middle`,
    );
  }
}

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return spawnSync(program, args, { encoding: 'utf8', env: { PATH: '/usr/bin:/bin', ...env } });
}
