/**
 * The executable `chandler-flexnode`: only the verbs of `chandler flexnode`, for machines without Node.js. It handles
 * signals and the exit code as `main.ts` does. It has no top-level await because it is bundled as CommonJS.
 */
import { stderr, stdout } from 'node:process';
import { run, runFamily } from './run.ts';
import { handleSignals } from './signals.ts';
import { StandardOutput } from './standard-output.ts';
import type { Verb, WhenOutputCloses } from './verb.ts';
import { flexnode } from './verbs/flexnode.ts';

const PROGRAM = 'chandler-flexnode';

const interrupt = new AbortController();
const output = new StandardOutput({
  stdout,
  stderr,
  color: stdout.isTTY === true && (process.env['NO_COLOR'] ?? '') === '',
  stop: (reason) => interrupt.abort(reason),
  endWithin: (delayMs, exitCode) => void setTimeout(() => process.exit(exitCode), delayMs).unref(),
});
handleSignals({
  process,
  stderr,
  interrupt,
  output,
  atOnce: 'stopped immediately; the next run resumes from the journal',
  nowMs: () => process.uptime() * 1_000,
});

const args = process.argv.slice(2);
const outside = {
  args,
  env: process.env,
  program: PROGRAM,
  terminal: output.terminal,
  started: (whenOutputCloses: WhenOutputCloses) => output.started(whenOutputCloses),
  interrupted: interrupt.signal,
  world: async () => (await import('./create-world.ts')).createWorld(),
};
const family = byItsOwnName(flexnode);
const ended =
  args[0]?.startsWith('-v') || args[0] === '--version'
    ? run(family.verbs ?? [], { ...outside, args: ['version'] })
    : runFamily(family, outside);
ended.then(
  (code) => {
    process.exitCode = output.exitCode(code);
  },
  (error: unknown) => {
    stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exitCode = 1;
  },
);

// ---------------------------------------------------------------------------------------------------

function byItsOwnName(verb: Verb): Verb {
  const own = (command: string) => command.replace(/\bchandler flexnode\b/, PROGRAM);
  return {
    ...verb,
    description: own(verb.description),
    examples: verb.examples.map((example) => ({ ...example, command: own(example.command) })),
    ...(verb.verbs === undefined ? {} : { verbs: verb.verbs.map(byItsOwnName) }),
  };
}
