/**
 * One run in front of somebody: its events become lines of JSON, or a display for people; either way they go to the log
 * file. At the end a failure is told in full, and its class is the exit code.
 */
import { stderr, stdin } from 'node:process';
import {
  type ErrorFacts,
  EXIT_CODES,
  type FlexConfig,
  type FlexEvent,
  type MachineHost,
  redact,
} from '../../flexnode/index.ts';
import type { Environment } from '../../settings/index.ts';

import type { Terminal } from '../verb.ts';
import { createDisplay } from './display.ts';
import { failureText } from './failure-words.ts';
import { openRunLog } from './run-log.ts';

export interface SessionOptions {
  /** `bootstrap`. */
  readonly name: string;
  readonly terminal: Terminal;
  readonly json: boolean;
  readonly env: Environment;
  readonly host: Pick<MachineHost, 'append'>;
  readonly agent: Pick<FlexConfig['agent'], 'logDir' | 'logLevel'>;
}

export interface Outcome {
  readonly success: boolean;
  readonly error?: ErrorFacts;
}

export async function inSession(
  options: SessionOptions,
  work: (on: (event: FlexEvent) => void) => Promise<Outcome>,
): Promise<number> {
  const { name, terminal, json } = options;
  const log = openRunLog(options.host, options.agent);
  const display = createDisplay({
    write: (text) => terminal.err(redact(text)),
    ...(isLive(options.env) ? { columns: () => stderr.columns } : {}),
  });
  const outcome = await work((event) => {
    if (json) terminal.out(`${redact(JSON.stringify(event))}\n`);
    else display.show(event);
    log.write(event);
  });
  display.close();
  const trouble = await log.close();
  if (trouble !== undefined) terminal.err(`the log ${log.path} could not be written: ${trouble}\n`);
  if (outcome.error !== undefined && !json) {
    terminal.err(failureText(`flexnode ${name}`, outcome.error));
    if (trouble === undefined) terminal.err(`log: ${log.path}\n`);
  }
  if (outcome.error !== undefined) return EXIT_CODES[outcome.error.class];
  return outcome.success ? 0 : EXIT_CODES.step;
}

/** Somebody sits there who can be asked. */
export function isInteractive(): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

// ---------------------------------------------------------------------------------------------------

function isLive(env: Environment): boolean {
  return stderr.isTTY === true && env['TERM'] !== 'dumb';
}
