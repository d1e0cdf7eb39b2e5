/**
 * The long run of the oracle: `node test/scheduling/deep.ts` checks 20,000 random clusters and exits with 1
 * if a plan is wrong. It saves its progress and continues from there. Options: `--from`, `--count`, `--seed
 * <n>` (one cluster, minimised).
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { clusterOf, type Failure, judge, smallest, tryClusters } from './trial.ts';

const STEP = 100;
const { values } = parseArgs({
  options: {
    from: { type: 'string', default: '0' },
    count: { type: 'string', default: '20000' },
    seed: { type: 'string' },
  },
});

if (values.seed === undefined) process.exitCode = run(Number(values.from), Number(values.count)) ? 0 : 1;
else show(Number(values.seed));

// ---------------------------------------------------------------------------------------------------

interface Note {
  readonly next: number;
  readonly failures: readonly Failure[];
}

function run(from: number, count: number): boolean {
  const folder = join(tmpdir(), 'chandler-deep');
  const file = join(folder, `scheduling-${from}-${count}.json`);
  mkdirSync(folder, { recursive: true });
  const note: Note = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as Note)
    : { next: from, failures: [] };
  const failures = [...note.failures];
  if (note.next > from) console.log(`going on at ${note.next}`);
  for (let next = note.next; next < from + count; next += STEP) {
    const found = tryClusters(next, Math.min(next + STEP, from + count));
    for (const failure of found)
      console.log(`seed ${failure.seed}: ${failure.complaints.slice(0, 3).join(' | ')}`);
    failures.push(...found);
    writeFileSync(file, JSON.stringify({ next: next + STEP, failures } satisfies Note));
  }
  rmSync(file);
  console.log(`${count} clusters from seed ${from}, ${failures.length} wrong plans`);
  return failures.length === 0;
}

function show(seed: number): void {
  const { input, features } = clusterOf(seed);
  const complaints = judge(input, seed);
  console.log(`features: ${features.join(', ')}`);
  if (complaints.length === 0) {
    console.log('nothing is wrong');
    return;
  }
  const small = smallest(input, seed);
  console.log(JSON.stringify(small, null, 1));
  for (const complaint of judge(small, seed)) console.log(complaint);
  process.exitCode = 1;
}
