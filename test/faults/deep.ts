/**
 * The long run: `node test/faults/deep.ts` plays 10,000 seeds on all cores, and a death at every effect of the small story,
 * and ends with 1 if anything is wrong. It notes how far it came and goes on from there; `--from`, `--count`, `--workers`.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

const { values } = parseArgs({
  options: {
    from: { type: 'string', default: '1' },
    count: { type: 'string', default: '10000' },
    workers: { type: 'string', default: String(availableParallelism()) },
  },
});

if (isMainThread) process.exitCode = (await runAll()) ? 0 : 1;
else await serve();

// ---------------------------------------------------------------------------------------------------

interface Task {
  readonly kind: 'seed' | 'crash';
  readonly number: number;
}

interface Outcome extends Task {
  readonly wrong: readonly string[];
  readonly events: number;
  readonly processes: number;
  readonly virtualMs: number;
}

interface Note {
  done: { seed: number; crash: number };
  events: number;
  processes: number;
  virtualMs: number;
  readonly wrong: string[];
}

/** A seed that does not end in this time of the machine's own is wrong too. */
const LONGEST_MS = 10 * 60_000;
/** Threads are not for ever: what a dead process of ours waits for stays in memory. */
const TASKS_OF_A_THREAD = 300;

async function runAll(): Promise<boolean> {
  const [from, count] = [Number(values.from), Number(values.count)];
  const folder = join(tmpdir(), 'chandler-deep');
  const file = join(folder, `faults-${from}-${count}.json`);
  mkdirSync(folder, { recursive: true });
  const note: Note = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as Note)
    : { done: { seed: 0, crash: 0 }, events: 0, processes: 0, virtualMs: 0, wrong: [] };
  if (note.done.seed > 0) console.log(`going on at seed ${from + note.done.seed}`);
  const { crashAt } = await import('./crash-sweep.ts');
  const { effects } = await crashAt(0);
  const tasks: Task[] = [
    ...Array.from({ length: effects }, (_, at): Task => ({ kind: 'crash', number: at + 1 })).slice(
      note.done.crash,
    ),
    ...Array.from({ length: count }, (_, at): Task => ({ kind: 'seed', number: from + at })).slice(
      note.done.seed,
    ),
  ];
  const finished = new Set<Task>();
  const next = tasks.values();
  const keep = (task: Task, outcome: Outcome) => {
    finished.add(task);
    for (const each of ['events', 'processes', 'virtualMs'] as const) note[each] += outcome[each];
    for (const line of outcome.wrong) {
      console.log(line);
      note.wrong.push(line);
    }
    // Only what is done without a gap is not done again.
    while (tasks[0] !== undefined && finished.delete(tasks[0])) note.done[tasks.shift()!.kind] += 1;
    writeFileSync(file, JSON.stringify(note));
  };
  await Promise.all(Array.from({ length: Number(values.workers) }, () => work(next, keep)));
  rmSync(file);
  const hours = Math.round(note.virtualMs / 3600_000);
  console.log(
    `${count} seeds from ${from} and ${effects} deaths: ${hours} virtual hours, ${note.processes} processes, ${note.events} events, ${note.wrong.length} wrong`,
  );
  return note.wrong.length === 0;
}

async function work(tasks: Iterator<Task>, keep: (task: Task, outcome: Outcome) => void): Promise<void> {
  let worker: Worker | undefined;
  let left = 0;
  for (let next = tasks.next(); !next.done; next = tasks.next()) {
    if (worker === undefined || left === 0) {
      await worker?.terminate();
      worker = new Worker(new URL(import.meta.url));
      left = TASKS_OF_A_THREAD;
    }
    left -= 1;
    const outcome = await ask(worker, next.value);
    keep(next.value, outcome ?? lost(next.value));
    if (outcome !== undefined) continue;
    await worker.terminate();
    worker = undefined;
  }
  await worker?.terminate();
}

function lost(task: Task): Outcome {
  const wrong = [
    `${task.kind} ${task.number}: did not end in ${LONGEST_MS / 60_000} minutes, or broke its thread`,
  ];
  return { ...task, wrong, events: 0, processes: 0, virtualMs: 0 };
}

function ask(worker: Worker, task: Task): Promise<Outcome | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => settle(undefined), LONGEST_MS);
    const settle = (outcome: Outcome | undefined) => {
      clearTimeout(timer);
      worker.removeAllListeners();
      resolve(outcome);
    };
    worker.once('message', (outcome: Outcome) => settle(outcome));
    worker.once('error', (error) => {
      console.log(`${task.kind} ${task.number}: ${error.stack ?? error.message}`);
      settle(undefined);
    });
    worker.postMessage(task);
  });
}

async function serve(): Promise<void> {
  const [{ runTrial }, { crashAt }] = await Promise.all([import('./trial.ts'), import('./crash-sweep.ts')]);
  parentPort?.on('message', async (task: Task) => {
    const result = await (task.kind === 'seed' ? runTrial({ seed: task.number }) : crashAt(task.number));
    const wrong = result.violations.map(
      ({ check, what }) => `${task.kind} ${task.number}: ${check}: ${what}`,
    );
    const { events, processes, virtualMs } = result;
    parentPort?.postMessage({ ...task, wrong, events, processes, virtualMs } satisfies Outcome);
  });
}
