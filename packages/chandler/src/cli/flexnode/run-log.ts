/**
 * The log file of runs: every event as a line of JSON, 0600. Nothing is written before a run does something, so that one
 * with nothing to do leaves no trace; a log that cannot be written does not end the run.
 */
import { type FlexConfig, type FlexEvent, type MachineHost, redact } from '../../flexnode/index.ts';

export const LOG_NAME = 'aks-flex-node.log';

export interface RunLog {
  readonly path: string;
  write(event: FlexEvent): void;
  /** Everything is on the disk; or the reason why it is not. */
  close(): Promise<string | undefined>;
}

export function openRunLog(
  host: Pick<MachineHost, 'append'>,
  agent: Pick<FlexConfig['agent'], 'logDir' | 'logLevel'>,
): RunLog {
  const path = `${agent.logDir}/${LOG_NAME}`;
  const least = LEVELS.indexOf(agent.logLevel);
  let held: string[] | undefined = [];
  let writing: Promise<unknown> = Promise.resolve();
  let trouble: string | undefined;
  const append = (text: string) => {
    writing = writing
      .then(() => (trouble === undefined ? host.append(path, text, { mode: 0o600 }) : undefined))
      .catch((error: unknown) => {
        trouble = error instanceof Error ? error.message : String(error);
      });
  };
  return {
    path,
    write(event) {
      const level = levelOf(event);
      if (LEVELS.indexOf(level) < least) return;
      const line = `${redact(JSON.stringify({ time: event.at, level, ...without(event) }))}\n`;
      if (held === undefined) return append(line);
      held.push(line);
      if (!isDoing(event)) return;
      append(held.join(''));
      held = undefined;
    },
    async close() {
      await writing;
      return trouble;
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
