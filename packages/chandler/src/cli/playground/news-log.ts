/** A log whose serious lines become news; the others go on to another log, if there is one. */
import type { Clock, Log, LogFields } from '@chandler/kube';
import type { Activity } from '../../playground/index.ts';

export interface NewsLogOptions {
  /** The least serious level that is news. */
  readonly from: 'warn' | 'error';
  readonly clock: Clock;
  readonly tell: (news: Activity) => void;
  /** Serious lines that are told elsewhere already. */
  readonly except?: (message: string) => boolean;
  /** Gets every line. */
  readonly also?: Log;
}

export function newsLog(options: NewsLogOptions): Log {
  return bound(options, {});
}

// ---------------------------------------------------------------------------------------------------

function bound(options: NewsLogOptions, facts: LogFields): Log {
  const { from, clock, tell, also, except = () => false } = options;
  const news = (message: string, fields: LogFields = {}) => {
    if (except(message)) return;
    const known = Object.entries({ ...facts, ...fields }).map(([name, value]) => `${name}=${shown(value)}`);
    tell({ atMs: clock.now(), topic: 'log', warning: true, text: [message, ...known].join(' ') });
  };
  return {
    debug: (message, fields) => also?.debug(message, fields),
    info: (message, fields) => also?.info(message, fields),
    warn(message, fields) {
      also?.warn(message, fields);
      if (from === 'warn') news(message, fields);
    },
    error(message, fields) {
      also?.error(message, fields);
      news(message, fields);
    },
    with: (fields) =>
      bound(
        { ...options, ...(also === undefined ? {} : { also: also.with(fields) }) },
        { ...facts, ...fields },
      ),
  };
}

function shown(value: unknown): string {
  if (value instanceof Error) return value.message;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
