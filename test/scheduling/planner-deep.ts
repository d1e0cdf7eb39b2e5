/**
 * The long run of the planner: `node test/scheduling/planner-deep.ts` makes 100,000 random changes and compares each plan of
 * a planner that lives on with the plan of a new one, byte by byte. It saves its progress and continues from there.
 * Options: `--from`, `--count`.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Planner, solve } from '../../packages/chandler/src/scheduling/index.ts';
import { ChangingCluster } from './changing-cluster.ts';

/** Changes of one cluster. */
const STEPS = 50;

const { values } = parseArgs({
  options: {
    from: { type: 'string', default: '1000' },
    count: { type: 'string', default: '100000' },
  },
});
process.exitCode = run(Number(values.from), Number(values.count)) ? 0 : 1;

// ---------------------------------------------------------------------------------------------------

interface Progress {
  readonly seed: number;
  readonly changes: number;
  readonly wrong: readonly string[];
}

function run(from: number, count: number): boolean {
  const folder = join(tmpdir(), 'chandler-deep');
  const file = join(folder, `planner-${from}-${count}.json`);
  mkdirSync(folder, { recursive: true });
  let progress: Progress = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as Progress)
    : { seed: from, changes: 0, wrong: [] };
  if (progress.changes > 0) console.log(`continues at seed ${progress.seed}`);
  while (progress.changes < count) {
    const wrong = differencesOf(progress.seed);
    for (const line of wrong) console.log(line);
    progress = {
      seed: progress.seed + 1,
      changes: progress.changes + STEPS,
      wrong: [...progress.wrong, ...wrong],
    };
    if (progress.seed % 10 === 0) writeFileSync(file, JSON.stringify(progress));
  }
  rmSync(file, { force: true });
  console.log(`${progress.changes} changes from seed ${from}, ${progress.wrong.length} different plans`);
  return progress.wrong.length === 0;
}

function differencesOf(seed: number): string[] {
  const cluster = new ChangingCluster(seed);
  const planner = new Planner();
  const steps: string[] = [];
  for (let step = 0; step < STEPS; step++) {
    steps.push(cluster.step());
    if (JSON.stringify(planner.plan(cluster.input)) !== JSON.stringify(solve(cluster.input)))
      return [`seed ${seed}: ${steps.join(', ')}`];
  }
  return [];
}
