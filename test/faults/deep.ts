/**
 * The long run: `node test/faults/deep.ts` runs 10,000 seeds on all cores and a crash at every effect of the
 * small workload, and exits with 1 if there are violations. It saves its progress and continues from there,
 * starting with the runs that failed. Options: `--cloud`, `--from`, `--count` (default 10,000, of another cloud than the first
 * 5,000), `--workers`.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cloudNamed, DEFAULT_CLOUD } from './clouds.ts';
import { type FaultRun, failureLines, type Outcome, titleOf } from './fault-run.ts';
import { Threads } from './threads.ts';

const { values } = parseArgs({
  options: {
    cloud: { type: 'string', default: DEFAULT_CLOUD },
    from: { type: 'string', default: '1' },
    count: { type: 'string' },
    workers: { type: 'string', default: String(availableParallelism()) },
  },
});
const cloud = cloudNamed(values.cloud);
const isFirst = cloud === DEFAULT_CLOUD;
const count = Number(values.count ?? (isFirst ? 10_000 : 5_000));
process.exitCode = (await runAll(Number(values.from), count)) ? 0 : 1;

// ---------------------------------------------------------------------------------------------------

interface Note {
  readonly done: { seed: number; crash: number };
  events: number;
  processes: number;
  virtualMs: number;
  wrong: readonly { readonly play: FaultRun; readonly lines: readonly string[] }[];
}

async function runAll(from: number, count: number): Promise<boolean> {
  const folder = join(tmpdir(), 'chandler-deep');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `faults-${isFirst ? '' : `${cloud}-`}${from}-${count}.json`);
  const note: Note = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as Note)
    : { done: { seed: 0, crash: 0 }, events: 0, processes: 0, virtualMs: 0, wrong: [] };
  if (note.done.seed > 0)
    console.log(`continuing at seed ${from + note.done.seed}; ${note.wrong.length} runs failed before`);
  const threads = new Threads(Number(values.workers));
  const { effects } = await threads.run({ cloud, kind: 'crash', effect: 0 });
  await runAllOf(threads, runsFrom(note, from, count, effects), note, file);
  await threads.close();
  // The next invocation repeats failed runs.
  if (note.wrong.length === 0) renameSync(file, `${file}.done`);
  const hours = Math.round(note.virtualMs / 3600_000);
  console.log(
    `${cloud}: ${count} seeds from ${from} and ${effects} crashes: ${hours} virtual hours, ${note.processes} processes, ${note.events} events, ${note.wrong.length} failed`,
  );
  return note.wrong.length === 0;
}

/** The remaining runs. */
function runsFrom({ done }: Note, from: number, count: number, effects: number): readonly FaultRun[] {
  const crashes = Array.from(
    { length: effects },
    (_, at): FaultRun => ({ cloud, kind: 'crash', effect: at + 1 }),
  );
  const seeds = Array.from(
    { length: count },
    (_, at): FaultRun => ({ cloud, kind: 'seed', seed: from + at }),
  );
  return [...crashes.slice(done.crash), ...seeds.slice(done.seed)];
}

async function runAllOf(
  threads: Threads,
  runs: readonly FaultRun[],
  note: Note,
  file: string,
): Promise<void> {
  const again = note.wrong.map(({ play }) => play);
  const left = [...runs];
  const finished = new Set<FaultRun>();
  const keep = (run: FaultRun, lines: readonly string[], outcome?: Outcome) => {
    finished.add(run);
    if (outcome !== undefined)
      for (const each of ['events', 'processes', 'virtualMs'] as const) note[each] += outcome[each];
    for (const line of lines) console.log(line);
    note.wrong = note.wrong.filter((each) => titleOf(each.play) !== titleOf(run));
    if (lines.length > 0) note.wrong = [...note.wrong, { play: run, lines }];
    // Progress counts only up to the first run that is not finished.
    while (left[0] !== undefined && finished.delete(left[0]))
      note.done[left.shift()!.kind === 'seed' ? 'seed' : 'crash'] += 1;
    writeFileSync(file, JSON.stringify(note));
    if (run.kind === 'seed' && note.done.seed % 100 === 0)
      console.log(`${note.done.seed} seeds, ${note.wrong.length} failed`);
  };
  await Promise.all(
    [...again, ...runs].map((run) =>
      threads.run(run).then(
        (outcome) => keep(run, failureLines(run, outcome), outcome),
        (error: unknown) => keep(run, [`${titleOf(run)}: ${error instanceof Error ? error.stack : error}`]),
      ),
    ),
  );
}
