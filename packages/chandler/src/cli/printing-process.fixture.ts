/**
 * A process that runs a verb as `main.ts` does, for tests with a real pipe: it prints a line every 20 ms, fifty times, then
 * writes a file. Arguments: what the verb says about a closed output, the file, the exit code of its work.
 */
import { writeFileSync } from 'node:fs';
import { stderr, stdout } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { run } from './run.ts';
import { handleSignals } from './signals.ts';
import { StandardOutput } from './standard-output.ts';
import { defineVerb, type WhenOutputCloses } from './verb.ts';

const [policy = '', file = '', code = '0'] = process.argv.slice(2);
const interrupt = new AbortController();
const output = new StandardOutput({
  stdout,
  stderr,
  color: false,
  stop: (reason) => interrupt.abort(reason),
  endWithin: (delayMs, exitCode) => void setTimeout(() => process.exit(exitCode), delayMs).unref(),
});
const nowMs = () => process.uptime() * 1_000;
handleSignals({ process, stderr, interrupt, output, atOnce: 'stopped at once', nowMs });
const work = defineVerb({
  name: 'work',
  summary: '',
  description: '',
  positionals: '',
  examples: [],
  options: {},
  whenOutputCloses: () => policy as WhenOutputCloses,
  async run({ terminal, interrupted }) {
    for (let line = 0; line < 50; line++) {
      if (interrupted.aborted) return 130;
      terminal.out(`line ${line}\n`);
      await sleep(20);
    }
    writeFileSync(file, 'done');
    return Number(code);
  },
});
process.exitCode = output.exitCode(
  await run([work], {
    args: ['work'],
    env: {},
    terminal: output.terminal,
    started: (whenOutputCloses) => output.started(whenOutputCloses),
    interrupted: interrupt.signal,
    world: () => Promise.reject(new Error('this verb needs no world')),
  }),
);
