/**
 * The log file of runs: every event as a line of JSON, mode 0600. Nothing is written before a run changes something, so a
 * run without changes writes no log. A log that cannot be written does not end the run.
 */
import { type FlexConfig, type FlexEvent, type MachineHost, redactedJson } from '../../flexnode/index.ts';

export const LOG_NAME = 'aks-flex-node.log';

export interface RunLog {
  readonly path: string;
  write(event: FlexEvent): void;
  /** Waits until everything is written; returns the error message if writing failed. */
  close(): Promise<string | undefined>;
}

export function openRunLog(
  host: Pick<MachineHost, 'append'>,
  agent: Pick<FlexConfig['agent'], 'logDir' | 'logLevel'>,
): RunLog {
  const path = `${agent.logDir}/${LOG_NAME}`;
  const minimum = LEVELS.indexOf(agent.logLevel);
  let pending: string[] | undefined = [];
  let writing: Promise<unknown> = Promise.resolve();
  let failure: string | undefined;
  const append = (text: string) => {
    writing = writing
      .then(() => (failure === undefined ? host.append(path, text, { mode: 0o600 }) : undefined))
      .catch((error: unknown) => {
        failure = error instanceof Error ? error.message : String(error);
      });
  };
  return {
    path,
    write(event) {
      const level = levelOf(event);
      if (LEVELS.indexOf(level) < minimum) return;
      const line = `${redactedJson({ time: event.at, level, ...without(event) })}\n`;
      if (pending === undefined) return append(line);
      pending.push(line);
      if (!isDoing(event)) return;
      append(pending.join(''));
      pending = undefined;
    },
    async close() {
      await writing;
      return failure;
    },
  };
}

// ---------------------------------------------------------------------------------------------------

const LEVELS: readonly FlexConfig['agent']['logLevel'][] = ['debug', 'info', 'warning', 'error'];

function levelOf(event: FlexEvent): FlexConfig['agent']['logLevel'] {
  if (event.type === 'step-failed') return 'error';
  if (event.type === 'run-completed') return event.success ? 'info' : 'error';
  return event.type === 'leftover' || event.type === 'kept' ? 'warning' : 'info';
}

function isDoing(event: FlexEvent): boolean {
  return event.type === 'run-completed'
    ? event.changed || !event.success
    : event.type !== 'run-started' && event.type !== 'step-skipped';
}

function without({ at: _at, ...rest }: FlexEvent): Omit<FlexEvent, 'at'> {
  return rest;
}
