/** A log that reports warnings or errors as activity of the playground, and forwards every line to another log. */
import type { Clock, Log, LogFields } from '@chandler/kube';
import type { Activity } from '../../playground/index.ts';

export interface ActivityLogOptions {
  /** The lowest level that is reported. */
  readonly minLevel: 'warn' | 'error';
  readonly clock: Clock;
  readonly report: (activity: Activity) => void;
  /** Messages that are reported elsewhere already. */
  readonly skip?: (message: string) => boolean;
  /** Receives every line. */
  readonly forwardTo?: Log;
}

export function activityLog(options: ActivityLogOptions): Log {
  return boundLog(options, {});
}

// ---------------------------------------------------------------------------------------------------

function boundLog(options: ActivityLogOptions, context: LogFields): Log {
  const { minLevel, clock, report, forwardTo, skip = () => false } = options;
  const reportLine = (message: string, fields: LogFields = {}) => {
    if (skip(message)) return;
    const pairs = Object.entries({ ...context, ...fields }).map(
      ([name, value]) => `${name}=${textOf(value)}`,
    );
    report({ atMs: clock.now(), topic: 'log', warning: true, text: [message, ...pairs].join(' ') });
  };
  return {
    debug: (message, fields) => forwardTo?.debug(message, fields),
    info: (message, fields) => forwardTo?.info(message, fields),
    warn(message, fields) {
      forwardTo?.warn(message, fields);
      if (minLevel === 'warn') reportLine(message, fields);
    },
    error(message, fields) {
      forwardTo?.error(message, fields);
      reportLine(message, fields);
    },
    with: (fields) =>
      boundLog(
        { ...options, ...(forwardTo === undefined ? {} : { forwardTo: forwardTo.with(fields) }) },
        { ...context, ...fields },
      ),
  };
}

function textOf(value: unknown): string {
  if (value instanceof Error) return value.message;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
