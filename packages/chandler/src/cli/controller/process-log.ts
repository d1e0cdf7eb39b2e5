/**
 * The log of the controller: JSON lines to the configured outputs, at a level that can change at run time. A file that
 * cannot be written is reported to the error outputs, once for each reason, and does not stop the controller.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { type Log, type LogFields, type LogLevel, pinoLog } from '@chandler/kube';
import type { Terminal } from '../verb.ts';

export interface ProcessLogOptions {
  readonly terminal: Terminal;
  readonly now: () => number;
  /** `stdout`, `stderr` or files. */
  readonly paths: readonly string[];
  /** Where errors of the log itself are written; default standard error. */
  readonly errorPaths?: readonly string[];
  /** The current level; empty means info. */
  readonly level: () => string;
}

export function processLog(options: ProcessLogOptions): Log {
  const { terminal, now, paths, errorPaths = ['stderr'], level } = options;
  // Errors of the error outputs themselves are dropped.
  const errorOutputs = errorPaths.map((path) => destinationOf(path, terminal, () => undefined));
  const reportError = (text: string) => {
    const line = `${JSON.stringify({ level: 'ERROR', time: new Date(now()).toISOString(), logger: 'log', message: text })}\n`;
    for (const place of errorOutputs) place.write(line);
  };
  const logs = (paths.length === 0 ? ['stdout'] : paths).map((path) =>
    pinoLog({ level: 'debug', now, destination: destinationOf(path, terminal, reportError) }),
  );
  return filtered(logs, level);
}

// ---------------------------------------------------------------------------------------------------

const ORDER: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

interface Destination {
  write(line: string): void;
}

function destinationOf(path: string, terminal: Terminal, reportError: (text: string) => void): Destination {
  if (path === 'stdout' || path === '/dev/stdout') return { write: (line) => terminal.out(line) };
  if (path === 'stderr' || path === '/dev/stderr') return { write: (line) => terminal.err(line) };
  return fileAt(path, reportError);
}

/** Opened for the first line, and again after a failure: a disk may be mounted or freed later. */
function fileAt(path: string, reportError: (text: string) => void): Destination {
  let file: number | undefined;
  let lastReason: string | undefined;
  return {
    write(line) {
      try {
        file ??= openSync(path, 'a');
        writeSync(file, line);
        lastReason = undefined;
      } catch (error) {
        if (file !== undefined) close(file);
        file = undefined;
        const why = error instanceof Error ? error.message : String(error);
        if (why !== lastReason) reportError(`cannot write the log to ${path}, lines are lost: ${why}`);
        lastReason = why;
      }
    },
  };
}

/** Closing a file that could not be written may report the same failure. */
function close(file: number): void {
  try {
    closeSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
  }
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
