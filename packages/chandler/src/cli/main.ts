/**
 * The executable. It owns the process: arguments, environment, standard streams, signals and exit code,
 * and hands them on as values.
 */
import { homedir } from 'node:os';
import { stderr, stdout } from 'node:process';
import { keepCompiled } from './compile-cache.ts';

keepCompiled(process.env, homedir);
const { run } = await import('./run.ts');
const { handleSignals } = await import('./signals.ts');
const { StandardOutput } = await import('./standard-output.ts');
const { afterScreen } = await import('./terminal/screen.ts');
const { readInvocation, roleOf } = await import('./kubectl/plugin.ts');

/** A pod has 30 s from the first signal to the last; after a crash there is no reason to use them up. */
const CRASH_STOP_LIMIT_MS = 25_000;
/** What a stopped command leaves open must not keep the process. */
const LINGER_MS = 500;

const interrupt = new AbortController();
// An unhandled rejection is a bug. The process cannot know what it left undone, so it ends. It stops in order, because a
// controller that exits without releasing its lease delays the next one.
let crashed = false;
process.on('unhandledRejection', (reason) => {
  const origin = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
  afterScreen(() =>
    stderr.write(`chandler: stopping because a rejected promise was not handled: ${origin}\n`),
  );
  if (crashed) return;
  crashed = true;
  process.exitCode = 1;
  interrupt.abort(new Error('a rejected promise was not handled'));
  setTimeout(() => process.exit(1), CRASH_STOP_LIMIT_MS).unref();
});
// npm does not forward its termination; without this check a server would outlive its npm.
if (process.env['npm_lifecycle_event'] !== undefined) {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) interrupt.abort(new Error('npm, which started this, is gone'));
  }, 1000).unref();
}
const output = new StandardOutput({
  stdout,
  stderr,
  color: stdout.isTTY === true && (process.env['NO_COLOR'] ?? '') === '',
  columns: stdout.columns,
  interactive: stderr.isTTY === true && process.env['TERM'] !== 'dumb',
  stop: (reason) => interrupt.abort(reason),
  endWithin: (delayMs, exitCode) => void setTimeout(() => process.exit(exitCode), delayMs).unref(),
});
handleSignals({
  process,
  stderr,
  interrupt,
  output,
  atOnce: 'stopped at once; what was not written yet is lost',
  nowMs: () => process.uptime() * 1_000,
});

const role = roleOf([process.argv[1], process.argv0]);
const { program, args, verbs } = await readInvocation(role, process.argv.slice(2), output.terminal.err);
const code = await run(verbs, {
  args,
  program,
  env: process.env,
  terminal: output.terminal,
  started: (whenOutputCloses) => output.started(whenOutputCloses),
  interrupted: interrupt.signal,
  world: async () => (await import('./create-world.ts')).createWorld(),
});
process.exitCode = crashed ? 1 : output.exitCode(code);
if (interrupt.signal.aborted) setTimeout(() => process.exit(), LINGER_MS).unref();
