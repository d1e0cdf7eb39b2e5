/**
 * `node test/upstream-aws/record.ts`: computes every built-in instance type in every setup with upstream's AWS provider and
 * with ours, prints what differs, and writes upstream's numbers for some types to `expected.json`. Needs Go.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import type { InstanceTypeInfo } from '../../packages/chandler/src/cloud/aws/index.ts';
import { offlineTypes } from '../../packages/chandler/src/cloud/aws/testing.ts';
import { amountsOf, CHOSEN, CHOSEN_IN_SETUPS, type Expected, vectorOf } from './expected.ts';
import { type Figures, OWN_LABELS, ownFigures, plain } from './figures.ts';
import { SETUPS } from './setups.ts';

// A file with the answer of DescribeInstanceTypes by name, instead of the built-in table.
const { values: args } = parseArgs({ options: { types: { type: 'string' } } });
const types: readonly InstanceTypeInfo[] =
  args.types === undefined
    ? offlineTypes()
    : Object.values(JSON.parse(readFileSync(args.types, 'utf8')) as Record<string, InstanceTypeInfo>);

const upstream = runUpstream();
let differences = 0;
for (const setup of SETUPS) {
  const own = ownFigures(setup, types);
  for (const [name, theirs] of upstream.get(setup.name)!) {
    if (isDeepStrictEqual(own.get(name), theirs)) continue;
    differences += 1;
    if (differences <= 10) console.log(setup.name, name, difference(own.get(name), theirs));
  }
}
console.log(`${types.length} types in ${SETUPS.length} setups: ${differences} differences`);
if (args.types === undefined) write();
process.exitCode = differences === 0 ? 0 : 1;

// ---------------------------------------------------------------------------------------------------------------

function runUpstream(): ReadonlyMap<string, ReadonlyMap<string, Figures>> {
  const folder = mkdtempSync(join(tmpdir(), 'upstream-aws-'));
  const binary = join(folder, 'upstream-aws');
  const env = {
    ...process.env,
    GOFLAGS: '-mod=readonly -buildvcs=false',
    GOTOOLCHAIN: 'auto',
    GOWORK: 'off',
  };
  const cwd = join(import.meta.dirname, 'karpenter-aws');
  run('go', ['build', '-o', binary, '.'], { cwd, env });
  const output = run(binary, [], { input: JSON.stringify({ setups: SETUPS, types }) });
  rmSync(folder, { recursive: true });
  const result = new Map<string, Map<string, Figures>>();
  for (const line of output.trim().split('\n')) {
    const { setup, type, ...raw } = JSON.parse(line) as Figures & { setup: string; type: string };
    const known = Object.entries(raw.labels).filter(([key]) => !OWN_LABELS.includes(key));
    const figures = {
      labels: Object.fromEntries(known.sort(([a], [b]) => (a < b ? -1 : 1))),
      capacity: plain(raw.capacity),
      kubeReserved: plain(raw.kubeReserved),
      systemReserved: plain(raw.systemReserved),
      eviction: plain(raw.eviction),
      allocatable: plain(raw.allocatable),
    };
    result.set(setup, (result.get(setup) ?? new Map()).set(type, figures));
  }
  return result;
}

function run(command: string, args: readonly string[], options: object): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    ...options,
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  });
  if (status !== 0) throw new Error(`${command} failed: ${stderr ?? String(error)}`);
  return stdout;
}

function difference(own: Figures | undefined, theirs: Figures): string {
  const parts: string[] = [];
  for (const part of Object.keys(theirs) as (keyof Figures)[]) {
    const ours = own?.[part] ?? {};
    for (const key of new Set([...Object.keys(ours), ...Object.keys(theirs[part])]))
      if (ours[key] !== theirs[part][key])
        parts.push(`${part} ${key}: ${ours[key]}, upstream ${theirs[part][key]}`);
  }
  return parts.join('; ');
}

/** Of every type what upstream's documentation lists, of some types everything. */
function write(): void {
  const all = upstream.get(SETUPS[0]!.name)!;
  const expected: Expected = {
    source:
      'github.com/aws/karpenter-provider-aws v1.14.1 with sigs.k8s.io/karpenter v1.14.0, run on 2026-11-16; types of moto 5.2.5',
    vectors: Object.fromEntries([...all].map(([name, figures]) => [name, vectorOf(figures)])),
    labels: Object.fromEntries(CHOSEN.map((type) => [type, all.get(type)!.labels])),
    amounts: Object.fromEntries(
      SETUPS.map(({ name }) => [
        name,
        Object.fromEntries(CHOSEN_IN_SETUPS.map((type) => [type, amountsOf(upstream.get(name)!.get(type)!)])),
      ]),
    ),
  };
  writeFileSync(join(import.meta.dirname, 'expected.json'), `${JSON.stringify(expected, undefined, 1)}\n`);
}
