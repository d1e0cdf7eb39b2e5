/**
 * `chandler check` on folders: 500 files (a healthy installation and manifests of workloads), the same among 10,000 files
 * with links in a circle, a state of 100 MB that is read in pieces, and an account of a simulated AWS over HTTP. Each is a
 * bundled process of its own, from its start to its end, with the memory that it had at most.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { startAwsServer } from '@chandler/cloudsim/aws';
import { FILES, furnish } from '../test/readiness/live-estate.ts';
import { bundle } from './bundle.ts';
import { assertWork, atMost, report, rounded } from './result.ts';
import { benchWorld } from './world.ts';

const STATE_BYTES = 100 * 1024 * 1024;
const folder = mkdtempSync(join(tmpdir(), 'chandler-check-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
// A cache of its own: what other processes compiled does not count.
const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled'), PEAK: join(folder, 'peak') };
/** Writes the memory of the process, in KiB, when it ends. */
const WITH_PEAK = `data:text/javascript,${encodeURIComponent(
  "import{writeFileSync}from'node:fs';process.on('exit',()=>writeFileSync(process.env.PEAK,String(process.resourceUsage().maxRSS)))",
)}`;
const program = await bundle();

const small = repository('small', 500);
const large = repository('large', 10_000);
symlinkSync('..', join(large, 'workloads', 'circle'));
const state = join(folder, 'state');
await writeState(state);

const first = measured(small);
const again = measured(small);
const many = measured(large);
const streamed = measured(state);
const live = await measuredLive();
const peakMb = Math.max(first.peakMb, again.peakMb, streamed.peakMb, live.peakMb);

report({
  name: 'check',
  figures: {
    ms500Files: rounded(first.ms),
    ms500FilesAgain: rounded(again.ms),
    ms10000Files: rounded(many.ms),
    ms100MbState: rounded(streamed.ms),
    msLiveEks: rounded(live.ms),
    callsLiveEks: live.calls,
    peakMbLiveEks: rounded(live.peakMb),
    peakMb500Files: rounded(first.peakMb),
    peakMb10000Files: rounded(many.peakMb),
    peakMb100MbState: rounded(streamed.peakMb),
  },
  goals: {
    ms500Files: atMost(first.ms, 2000),
    msLiveEks: atMost(live.ms, 10_000),
    callsLiveEks: atMost(live.calls, 60),
    peakMb: atMost(peakMb, 300),
  },
  checked: [
    assertWork(first.passes > 40, 'more than 40 checks pass on 500 files'),
    assertWork(many.passes >= first.passes, 'as many pass among 10,000 files with a circle of links'),
    assertWork(live.passes > 60, 'more than 60 checks pass on a live account'),
    assertWork(streamed.kinds.includes('state'), 'the cluster at the end of the state was read'),
  ],
});

function measured(path: string) {
  const started = performance.now();
  const args = ['--import', WITH_PEAK, program, 'check', path, '-o', 'json', '--exit-zero'];
  const run = spawnSync(process.execPath, args, { encoding: 'utf8', env, maxBuffer: 2 ** 29 });
  const ms = performance.now() - started;
  if (run.status !== 0) throw new Error(`check exited with ${run.status}: ${run.stderr}`);
  const { findings, inputs } = JSON.parse(run.stdout) as {
    readonly findings: readonly { readonly id: string; readonly status: string }[];
    readonly inputs: { readonly kinds: readonly string[] };
  };
  const passes = new Set(findings.filter(({ status }) => status === 'pass').map(({ id }) => id)).size;
  const peakMb = Number(readFileSync(env.PEAK, 'utf8')) / 1024;
  return { ms, passes, peakMb, kinds: inputs.kinds };
}

/** With the latencies that the simulated AWS has by default. */
async function measuredLive() {
  const path = join(folder, 'live');
  mkdirSync(path);
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(path, name), text);
  const account = { clusterName: 'shop', accountId: '418295670013', region: 'eu-west-1' };
  const server = await startAwsServer({ world: benchWorld(), ...account });
  furnish(server);
  server.context.access.attach([...server.account.roles.values()].at(-1)!.arn, {
    policies: [{ Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }] }],
  });
  const { accessKeyId, secretAccessKey } = server.credentials;
  const started = performance.now();
  const args = ['--import', WITH_PEAK, program, 'check', path, '--live-aws', '-o', 'json', '--exit-zero'];
  const child = spawn(process.execPath, args, {
    env: {
      ...env,
      AWS_ENDPOINT_URL: server.url,
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (data) => (out += String(data)));
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const ms = performance.now() - started;
  const calls = server.calls().length;
  await server.close();
  if (status !== 0) throw new Error(`check --live-aws exited with ${status}`);
  const { findings } = JSON.parse(out) as { findings: readonly { id: string; status: string }[] };
  const passes = new Set(findings.filter((each) => each.status === 'pass').map(({ id }) => id)).size;
  return { ms, calls, passes, peakMb: Number(readFileSync(env.PEAK, 'utf8')) / 1024 };
}

/** One healthy installation, and Deployments up to the number of files. */
function repository(name: string, files: number): string {
  const path = join(folder, name);
  cpSync(join(import.meta.dirname, '../test/readiness/estates/irsa'), path, { recursive: true });
  mkdirSync(join(path, 'workloads'));
  for (let index = 0; index < files; index++)
    writeFileSync(
      join(path, 'workloads', `app-${index}.yaml`),
      `apiVersion: apps/v1
kind: Deployment
metadata: {name: app-${index}, namespace: shop}
spec:
  replicas: 3
  template:
    metadata: {labels: {app: app-${index}}}
    spec:
      containers:
        - name: app
          resources: {requests: {cpu: 100m, memory: 128Mi}}
`,
    );
  return path;
}

/** Resources that no check reads, and one that all do. */
async function writeState(path: string): Promise<void> {
  mkdirSync(path);
  const out = createWriteStream(join(path, 'terraform.tfstate'));
  out.write('{"version":4,"terraform_version":"1.11.4","outputs":{},"resources":[\n');
  const other = `${JSON.stringify({ mode: 'managed', type: 'aws_route53_record', name: 'a', instances: [{ attributes: { name: 'x'.repeat(4000) } }] })},\n`;
  for (let bytes = 0; bytes < STATE_BYTES; bytes += other.length)
    if (!out.write(other)) await new Promise<void>((resolve) => out.once('drain', () => resolve()));
  const cluster = {
    mode: 'managed',
    type: 'aws_eks_cluster',
    name: 'this',
    instances: [{ attributes: { name: 'shop' } }],
  };
  out.end(`${JSON.stringify(cluster)}\n]}`);
  await finished(out);
}
