/**
 * The long run: `node test/faults/deep.ts` plays 10,000 seeds on all cores, and a death at every effect of the small story,
 * and ends with 1 if anything is wrong. It notes how far it came and goes on from there, first with what was wrong the last
 * time: it may have been mended. `--from`, `--count`, `--workers`.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { complaints, type Outcome, type Play, titleOf } from './play.ts';
import { Threads } from './threads.ts';

const { values } = parseArgs({
  options: {
    from: { type: 'string', default: '1' },
    count: { type: 'string', default: '10000' },
    workers: { type: 'string', default: String(availableParallelism()) },
  },
});
process.exitCode = (await runAll(Number(values.from), Number(values.count))) ? 0 : 1;

// ---------------------------------------------------------------------------------------------------

interface Note {
  readonly done: { seed: number; crash: number };
  events: number;
  processes: number;
  virtualMs: number;
  wrong: readonly { readonly play: Play; readonly lines: readonly string[] }[];
}

async function runAll(from: number, count: number): Promise<boolean> {
  const folder = join(tmpdir(), 'chandler-deep');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `faults-${from}-${count}.json`);
  const note: Note = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as Note)
    : { done: { seed: 0, crash: 0 }, events: 0, processes: 0, virtualMs: 0, wrong: [] };
  if (note.done.seed > 0)
    console.log(`going on at seed ${from + note.done.seed}, after ${note.wrong.length} that were wrong`);
  const threads = new Threads(Number(values.workers));
  const { effects } = await threads.play({ kind: 'crash', effect: 0 });
  await playAll(threads, playsFrom(note, from, count, effects), note, file);
  await threads.close();
  // What was wrong is tried again by the next run.
  if (note.wrong.length === 0) renameSync(file, `${file}.done`);
  const hours = Math.round(note.virtualMs / 3600_000);
  console.log(
    `${count} seeds from ${from} and ${effects} deaths: ${hours} virtual hours, ${note.processes} processes, ${note.events} events, ${note.wrong.length} wrong`,
  );
  return note.wrong.length === 0;
}

/** What has not been done yet. */
function playsFrom({ done }: Note, from: number, count: number, effects: number): readonly Play[] {
  const deaths = Array.from({ length: effects }, (_, at): Play => ({ kind: 'crash', effect: at + 1 }));
  const seeds = Array.from({ length: count }, (_, at): Play => ({ kind: 'seed', seed: from + at }));
  return [...deaths.slice(done.crash), ...seeds.slice(done.seed)];
}

async function playAll(threads: Threads, plays: readonly Play[], note: Note, file: string): Promise<void> {
  const again = note.wrong.map(({ play }) => play);
  const left = [...plays];
  const finished = new Set<Play>();
  const keep = (play: Play, lines: readonly string[], outcome?: Outcome) => {
    finished.add(play);
    if (outcome !== undefined)
      for (const each of ['events', 'processes', 'virtualMs'] as const) note[each] += outcome[each];
    for (const line of lines) console.log(line);
    note.wrong = note.wrong.filter((each) => titleOf(each.play) !== titleOf(play));
    if (lines.length > 0) note.wrong = [...note.wrong, { play, lines }];
    // Only what is done without a gap is not done again.
    while (left[0] !== undefined && finished.delete(left[0]))
      note.done[left.shift()!.kind === 'seed' ? 'seed' : 'crash'] += 1;
    writeFileSync(file, JSON.stringify(note));
    if (play.kind === 'seed' && note.done.seed % 100 === 0)
      console.log(`${note.done.seed} seeds, ${note.wrong.length} wrong`);
  };
  await Promise.all(
    [...again, ...plays].map((play) =>
      threads.play(play).then(
        (outcome) => keep(play, complaints(play, outcome), outcome),
        (error: unknown) => keep(play, [`${titleOf(play)}: ${error instanceof Error ? error.stack : error}`]),
      ),
    ),
  );
}
