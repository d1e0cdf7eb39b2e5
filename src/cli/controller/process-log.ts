/** The log of a controller: JSON lines to where the options say, at a level that can change while it runs. */
import { type LogLevel, pinoLog } from '../../kube/log.ts';
import type { Log, LogFields } from '../../world.ts';
import type { Terminal } from '../verb.ts';

export interface ProcessLogOptions {
  readonly terminal: Terminal;
  readonly now: () => number;
  /** `stdout`, `stderr` or files. */
  readonly paths: readonly string[];
  /** Of this moment; empty is info. */
  readonly level: () => string;
}

export function processLog({ terminal, now, paths, level }: ProcessLogOptions): Log {
  const logs = (paths.length === 0 ? ['stdout'] : paths).map((path) =>
    pinoLog({ level: 'debug', now, destination: destinationOf(path, terminal) }),
  );
  return filtered(logs, level);
}

// ---------------------------------------------------------------------------------------------------

const ORDER: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

function destinationOf(path: string, terminal: Terminal) {
  if (path === 'stdout' || path === '/dev/stdout') return { write: (line: string) => terminal.out(line) };
  if (path === 'stderr' || path === '/dev/stderr') return { write: (line: string) => terminal.err(line) };
  return path;
}

function filtered(logs: readonly Log[], level: () => string): Log {
  const write = (at: LogLevel) => (message: string, fields?: LogFields) => {
    const least = ORDER.indexOf((level() || 'info') as LogLevel);
    if (ORDER.indexOf(at) < least) return;
    for (const log of logs) log[at](message, fields);
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    with: (fields) =>
      filtered(
        logs.map((log) => log.with(fields)),
        level,
      ),
  };
}
