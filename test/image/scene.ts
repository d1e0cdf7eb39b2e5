/**
 * Runs the image, in a network that is a loopback interface and nothing else (`run.ts` makes it): what the program says of
 * itself, what it may do, and the controller against a simulated Azure and API server. Arguments: the folder of the image
 * layout, an empty folder, the path of runc, and the emulator of the other architecture, if there is one.
 */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { chownSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildFacts } from '../../scripts/build/build-facts.ts';
import { DIST, ROOT } from '../../scripts/build/paths.ts';
import { OWN_ARCHITECTURE } from '../../scripts/image/emulator.ts';
import { NONROOT } from '../../scripts/image/root-files.ts';
import { environment } from '../dist/installed.ts';
import { assertNoBug } from '../dist/program.ts';
import { Suite } from '../dist/suite.ts';
import { startProcess } from '../playground/process.ts';
import { Container, type Ended, ended, type RunOptions, type Unpacked, unpackImage } from './container.ts';

const [layout, folder, runc, emulator] = process.argv.slice(2) as [string, string, string, string?];
const suite = new Suite();
const container = new Container(runc, join(folder, 'runc'));
const { version, commit } = buildFacts(ROOT);
const OTHER_ARCHITECTURE = OWN_ARCHITECTURE === 'amd64' ? 'arm64' : 'amd64';
const PROBE_PORT = 18_081;
const PATIENCE_MS = 180_000;
const MEASURED_RUNS = 10;

await suite.step(`linux/${OWN_ARCHITECTURE} under runc`, async () => {
  const image = unpackImage(layout, OWN_ARCHITECTURE, folder);
  await checkProgram(image);
  await suite.check('it has user 65532, no capabilities, a read-only root and no network', () =>
    checkConfined(image),
  );
  await suite.check('the controller becomes ready and leads, and ends when it is asked to', () =>
    checkController(image),
  );
  await measureVersion(image);
});
if (emulator !== undefined)
  await suite.step(`linux/${OTHER_ARCHITECTURE} under runc and an emulator`, () =>
    checkProgram(unpackImage(layout, OTHER_ARCHITECTURE, folder), { emulator }),
  );
suite.end();

// ---------------------------------------------------------------------------------------------------

async function run(image: Unpacked, args: readonly string[], options?: RunOptions): Promise<Ended> {
  const ran = await ended(container.start(image, args, options));
  assertNoBug(`${ran.out}\n${ran.err}`, `chandler ${args.join(' ')}`);
  assert.equal(ran.code, 0, `chandler ${args.join(' ')} ended with ${ran.code}: ${ran.err}${ran.out}`);
  return ran;
}

async function checkProgram(image: Unpacked, options: RunOptions = {}): Promise<void> {
  await suite.check('version names the version and the commit, as the labels do', async () => {
    const { out } = await run(image, ['version', '-o', 'json'], options);
    assert.partialDeepStrictEqual(JSON.parse(out), { version, commit });
    assert.partialDeepStrictEqual(image.config.Labels, {
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.revision': commit,
    });
  });
  await suite.check('controller --help', async () => {
    assert.match((await run(image, ['controller', '--help'], options)).out, /^Usage: chandler controller/m);
  });
  await suite.check('crds prints the CRDs', async () => {
    assert.match((await run(image, ['crds'], options)).out, /^kind: CustomResourceDefinition$/m);
  });
}

async function checkConfined(image: Unpacked): Promise<void> {
  const program = `
    const { readFileSync, writeFileSync } = require('node:fs');
    const status = readFileSync('/proc/self/status', 'utf8');
    const tries = ['/a', '/opt/chandler/a', '/tmp/a', '/home/nonroot/a'].map((file) => {
      try { writeFileSync(file, ''); return 'written'; } catch (error) { return error.code; }
    });
    console.log(JSON.stringify({
      user: [process.getuid(), process.getgid()],
      groups: process.getgroups().filter((group) => group !== process.getgid()),
      capabilities: [...status.matchAll(/^Cap(?!Inh)\\w+:\\s*(\\w+)$/gm)].map(([, bits]) => BigInt('0x' + bits) === 0n),
      privileges: /^NoNewPrivs:\\s*1$/m.test(status),
      tries,
      networks: Object.keys(require('node:os').networkInterfaces()),
      home: require('node:os').homedir(),
      certificates: require('node:tls').rootCertificates.length > 50,
      time: new Date(0).toLocaleString('en-GB', { timeZone: 'Asia/Tokyo' }),
    }));`;
  const ran = await ended(container.startProgram(image, ['/usr/local/bin/node', '-e', program]));
  assert.equal(ran.code, 0, ran.err);
  assert.deepEqual(JSON.parse(ran.out), {
    user: [NONROOT, NONROOT],
    groups: [],
    capabilities: [true, true, true, true],
    privileges: true,
    tries: ['EROFS', 'EROFS', 'EROFS', 'EROFS'],
    networks: ['lo'],
    home: '/home/nonroot',
    certificates: true,
    time: '01/01/1970, 09:00:00',
  });
}

async function checkController(image: Unpacked): Promise<void> {
  const place = join(folder, 'cluster');
  mkdirSync(place, { recursive: true });
  const args = ['--no-controller', '--port', '0', '--write-kubeconfig', join(place, 'kubeconfig')];
  const playground = startProcess(args, {
    command: [process.execPath, join(DIST, 'chandler.js')],
    cwd: folder,
    env: environment(folder),
  });
  try {
    const { azure } = await playground.ready;
    giveTo(NONROOT, place);
    const env = { ...variablesOf(azure.envFile), HEALTH_PROBE_PORT: String(PROBE_PORT), METRICS_PORT: '0' };
    await untilReady(container.start(image, ['controller'], { env, mounts: [place] }));
  } finally {
    await playground.stop();
  }
}

async function untilReady(controller: ChildProcess): Promise<void> {
  const whole = ended(controller);
  let code: number | null | undefined;
  void whole.then((end) => {
    code = end.code;
  });
  try {
    const deadline = Date.now() + PATIENCE_MS;
    for (const path of ['/healthz', '/readyz'])
      while ((await statusOf(path)) !== 200) {
        if (code !== undefined || Date.now() > deadline) {
          controller.kill('SIGTERM');
          const { out, err } = await whole;
          assert.fail(`${path} never answered 200: ${err}${out.slice(-2_000)}`);
        }
        await sleep(100);
      }
  } finally {
    controller.kill('SIGTERM');
  }
  const { out, err } = await whole;
  assertNoBug(`${out}\n${err}`, 'the log of the controller');
  assert.equal(code, 0, `the controller ended with ${code}: ${err}${out.slice(-2_000)}`);
  assert.match(out, /leader/, 'the log does not say that it leads');
}

function statusOf(path: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    get({ host: '127.0.0.1', port: PROBE_PORT, path }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    }).on('error', () => resolve(undefined));
  });
}

/**
 * Times are printed, never judged: they are those of this machine, start of the container included. The first command ends before
 * Node.js has started anything, as `/bin/true` would, which the image does not have.
 */
async function measureVersion(image: Unpacked): Promise<void> {
  const commands = {
    'node --version': ['/usr/local/bin/node', '--version'],
    'node with an empty program': ['/usr/local/bin/node', '-e', '0'],
    'chandler version': [...image.config.Entrypoint, 'version'],
  };
  for (const [measured, command] of Object.entries(commands)) {
    const times: number[] = [];
    for (let count = 0; count < MEASURED_RUNS; count++) {
      const startMs = performance.now();
      const { code, err } = await ended(container.startProgram(image, command));
      times.push(Math.round(performance.now() - startMs));
      assert.equal(code, 0, `${measured}: ${err}`);
    }
    const milliseconds = times.sort((a, b) => a - b);
    console.log(`     ${JSON.stringify({ measured, under: 'runc', bestMs: milliseconds[0], milliseconds })}`);
  }
}

function giveTo(user: number, path: string): void {
  chownSync(path, user, user);
  if (statSync(path).isDirectory()) for (const name of readdirSync(path)) giveTo(user, join(path, name));
}

/** Of a file for a shell: `NAME=value`, or with quotes. */
function variablesOf(file: string): Record<string, string> {
  const lines = readFileSync(file, 'utf8').matchAll(/^(\w+)=(?:'([^']*)'|(.*))$/gm);
  return Object.fromEntries([...lines].map(([, name, quoted, plain]) => [name!, quoted ?? plain!]));
}
