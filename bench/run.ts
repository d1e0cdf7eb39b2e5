/**
 * `npm run bench [-- name …]`: runs each benchmark in its own process and prints one JSON document. Options after one name
 * are those of the benchmark: `held-cluster --cloud aws`.
 */
import { spawnSync } from 'node:child_process';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';

/** Flags for Node by benchmark. */
const BENCHMARKS: Readonly<Record<string, readonly string[]>> = {
  'playground-start': [],
  'api-server-creates': [],
  'api-server-https': [],
  'api-server-watch': [],
  'reflector-heap': ['--expose-gc'],
  'azure-instance-types': [],
  'aws-instance-types': [],
  provisioning: [],
  claims: [],
  'held-cluster': [],
  flood: [],
  disruption: [],
  why: [],
  'why-process': [],
  check: [],
  'simulate-process': [],
  top: ['--expose-gc'],
  dashboard: ['--expose-gc'],
  'controller-page': [],
  // The limit of a container would bound the heap as well; uncollected memory is not needed memory.
  'aws-launch': [],
  'azure-launch': ['--max-semi-space-size=8', '--max-old-space-size=170'],
};

const args = process.argv.slice(2);
const firstOption = args.findIndex((arg) => arg.startsWith('--'));
const asked = firstOption < 0 ? args : args.slice(0, firstOption);
const options = firstOption < 0 ? [] : args.slice(firstOption);
if (options.length > 0 && asked.length !== 1) {
  console.error(`options (${options.join(' ')}) need the name of one benchmark before them`);
  process.exit(2);
}
const unknown = asked.filter((name) => !(name in BENCHMARKS));
if (unknown.length > 0) {
  console.error(`unknown benchmark ${unknown.join(', ')}; available: ${Object.keys(BENCHMARKS).join(', ')}`);
  process.exit(2);
}

const results: unknown[] = [];
for (const [name, flags] of Object.entries(BENCHMARKS)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  const file = join(import.meta.dirname, `${name}.bench.ts`);
  const run = spawnSync(process.execPath, [...flags, file, ...options], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (run.status !== 0) {
    console.error(`${name} failed`);
    process.exitCode = 1;
    continue;
  }
  results.push(JSON.parse(run.stdout.trim().split('\n').at(-1)!));
}
const machine = {
  cores: availableParallelism(),
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  node: process.version,
};
console.log(JSON.stringify({ machine, results }, null, 2));
