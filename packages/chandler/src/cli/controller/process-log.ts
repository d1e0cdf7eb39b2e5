/**
 * The log of a controller: JSON lines to where the options say, at a level that can change while it runs. A file that
 * cannot be written is complained about elsewhere, once for each reason, and does not end the controller.
 */
import { openSync, writeSync } from 'node:fs';
import { type Log, type LogFields, type LogLevel, pinoLog } from '@chandler/kube';
import type { Terminal } from '../verb.ts';

export interface ProcessLogOptions {
  readonly terminal: Terminal;
  readonly now: () => number;
  /** `stdout`, `stderr` or files. */
  readonly paths: readonly string[];
  /** Where the log complains about itself; default standard error. */
  readonly errorPaths?: readonly string[];
  /** Of this moment; empty is info. */
  readonly level: () => string;
}

export function processLog(options: ProcessLogOptions): Log {
  const { terminal, now, paths, errorPaths = ['stderr'], level } = options;
  // What cannot be said there either is said nowhere.
  const complaints = errorPaths.map((path) => destinationOf(path, terminal, () => undefined));
  const complain = (text: string) => {
    const line = `${JSON.stringify({ level: 'ERROR', time: new Date(now()).toISOString(), logger: 'log', message: text })}\n`;
    for (const place of complaints) place.write(line);
  };
  const logs = (paths.length === 0 ? ['stdout'] : paths).map((path) =>
    pinoLog({ level: 'debug', now, destination: destinationOf(path, terminal, complain) }),
  );
  return filtered(logs, level);
}

// ---------------------------------------------------------------------------------------------------

const ORDER: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

interface Destination {
  write(line: string): void;
}

function destinationOf(path: string, terminal: Terminal, complain: (text: string) => void): Destination {
  if (path === 'stdout' || path === '/dev/stdout') return { write: (line) => terminal.out(line) };
  if (path === 'stderr' || path === '/dev/stderr') return { write: (line) => terminal.err(line) };
  return fileAt(path, complain);
}

/** Opened at the first line, and again after a failure: a disk may be mounted, or emptied, later. */
function fileAt(path: string, complain: (text: string) => void): Destination {
  let file: number | undefined;
  let lastWhy: string | undefined;
  return {
    write(line) {
      try {
        file ??= openSync(path, 'a');
        writeSync(file, line);
        lastWhy = undefined;
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        if (why !== lastWhy) complain(`the log cannot be written to ${path}, lines are lost: ${why}`);
        lastWhy = why;
      }
    },
  };
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
