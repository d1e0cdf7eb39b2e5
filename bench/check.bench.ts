/**
 * `chandler check` on folders: 500 files (a healthy installation and manifests of workloads), the same among 10,000 files
 * with links in a circle, and a state of 100 MB that is read in pieces. Reading and judging, without the start of the process.
 */
import {
  cpSync,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { CHECKS, judge, readInputs } from '../packages/chandler/src/readiness/index.ts';
import { assertWork, atMost, report, rounded } from './result.ts';

const STATE_BYTES = 100 * 1024 * 1024;
const folder = mkdtempSync(join(tmpdir(), 'chandler-check-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const small = repository('small', 500);
const large = repository('large', 10_000);
symlinkSync('..', join(large, 'workloads', 'circle'));
const state = join(folder, 'state');
await writeState(state);

const first = await measured(small);
const again = await measured(small);
const many = await measured(large);
const streamed = await measured(state);
const peakMb = process.resourceUsage().maxRSS / 1024;

report({
  name: 'check',
  figures: {
    ms500Files: rounded(first.ms),
    ms500FilesAgain: rounded(again.ms),
    ms10000Files: rounded(many.ms),
    ms100MbState: rounded(streamed.ms),
    peakMb: rounded(peakMb),
  },
  goals: { ms500Files: atMost(first.ms, 2000), peakMb: atMost(peakMb, 300) },
  checked: [
    assertWork(first.passes > 40, 'more than 40 checks pass on 500 files'),
    assertWork(many.passes >= first.passes, 'as many pass among 10,000 files with a circle of links'),
    assertWork(streamed.resources === 1, 'the cluster at the end of the state was read'),
  ],
});

async function measured(path: string) {
  const started = performance.now();
  const inputs = await readInputs({ paths: [path] });
  const { findings } = judge(inputs, CHECKS, { strict: false });
  const passes = new Set(findings.filter(({ status }) => status === 'pass').map(({ id }) => id)).size;
  return { ms: performance.now() - started, passes, resources: inputs.resources.length };
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
