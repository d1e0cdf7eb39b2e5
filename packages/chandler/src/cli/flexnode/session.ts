/**
 * Runs a verb with output: its events are printed as JSON lines or as text, and written to the log file. At the end a
 * failure is printed in full, and its class becomes the exit code.
 */
import { stderr } from 'node:process';
import {
  type ErrorFacts,
  EXIT_CODES,
  type FlexConfig,
  type FlexEvent,
  type MachineHost,
  redact,
  redactedJson,
} from '../../flexnode/index.ts';
import type { Environment } from '../../settings/index.ts';

import type { Terminal } from '../verb.ts';
import { createDisplay } from './display.ts';
import { failureText } from './failure-text.ts';
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
    if (json) terminal.out(`${redactedJson(event)}\n`);
    else display.show(event);
    log.write(event);
  });
  display.close();
  const logError = await log.close();
  if (logError !== undefined) terminal.err(`could not write the log file ${log.path}: ${logError}\n`);
  if (outcome.error !== undefined && !json) {
    terminal.err(failureText(`flexnode ${name}`, outcome.error));
    if (logError === undefined) terminal.err(`log: ${log.path}\n`);
  }
  if (outcome.error !== undefined) return EXIT_CODES[outcome.error.class];
  return outcome.success ? 0 : EXIT_CODES.step;
}

// ---------------------------------------------------------------------------------------------------

function isLive(env: Environment): boolean {
  return stderr.isTTY === true && env['TERM'] !== 'dumb';
}
