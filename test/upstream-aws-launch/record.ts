/**
 * `node test/upstream-aws-launch/record.ts`: makes launches from a seed, lets upstream's AWS provider choose instance types
 * and offerings for them, and writes both to `recorded.gen.json`, which the tests of `cloud/aws/launch` compare with our
 * own choice. `--count 20000` for a larger comparison. Needs Go.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values: args } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '150' },
  },
});
let state = Number(args.seed);
let sequence = 0;
const launches = Array.from({ length: Number(args.count) }, aLaunch);
const choices = JSON.parse(upstream(JSON.stringify(launches))) as readonly string[];
const lines = launches.map((launch, index) => JSON.stringify({ launch, choice: choices[index] }));
writeFileSync(join(import.meta.dirname, 'recorded.gen.json'), `[\n${lines.join(',\n')}\n]\n`);

// ---------------------------------------------------------------------------------------------------------------

/** A linear congruential generator: the same launches from the same seed. */
function chance(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}

function below(limit: number): number {
  return Math.floor(chance() * limit);
}

function pick<T>(list: readonly T[]): T {
  return list[below(list.length)]!;
}

function aLaunch() {
  const capacityTypes =
    chance() < 0.4 ? ['on-demand', 'spot', 'reserved', 'reserved'] : ['on-demand', 'spot'];
  const some = (list: readonly string[]) => list.filter(() => chance() < 0.6);
  return {
    types: Array.from({ length: 1 + below(9) }, (_, index) => aType(index, capacityTypes)),
    capacityTypes: some(['on-demand', 'spot', 'reserved']),
    zones: chance() < 0.5 ? [] : some(['za', 'zb', 'zc']),
    minFamilies: chance() < 0.25 ? 1 + below(3) : 0,
    cpu: String(1 + below(3)),
  };
}

function aType(index: number, capacityTypes: readonly string[]) {
  const family = pick(['m5', 'c5', 'r5', 'g5']);
  return {
    name: `${family}.${index}`,
    family,
    size: pick(['large', 'xlarge', 'metal', 'metal-24xl']),
    cpu: String(1 + below(4)),
    gpu: family === 'g5' ? '1' : '0',
    offerings: Array.from({ length: below(7) }, () => anOffering(pick(capacityTypes))),
  };
}

/** No two have the same price or the same number of free instances: upstream decides between these by chance. */
function anOffering(capacityType: string) {
  sequence += 1;
  const kind = pick(['default', 'default', 'capacity-block']);
  const offering = {
    capacityType,
    zone: pick(['za', 'zb', 'zc']),
    price: 1 + ((sequence * 7919) % 100_003) / 1000,
    available: chance() < 0.8,
  };
  if (capacityType !== 'reserved') return offering;
  const interruptible = kind === 'default' && chance() < 0.4;
  return { ...offering, reservation: `cr-${sequence}`, kind, interruptible, free: sequence };
}

function upstream(input: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'upstream-aws-launch-'));
  const binary = join(folder, 'choose');
  const cwd = join(import.meta.dirname, 'karpenter-aws');
  const env = {
    ...process.env,
    GOFLAGS: '-mod=readonly -buildvcs=false',
    GOTOOLCHAIN: 'auto',
    GOWORK: 'off',
  };
  try {
    run('go', ['build', '-o', binary, '.'], { cwd, env });
    return run(binary, [], { input });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function run(command: string, given: readonly string[], options: object): string {
  const { status, stdout, stderr, error } = spawnSync(command, given, {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    ...options,
  });
  if (status !== 0) throw new Error(`${command} failed: ${error?.message ?? stderr}`);
  return stdout;
}
