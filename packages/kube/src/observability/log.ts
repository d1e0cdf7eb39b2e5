/**
 * The World's log as JSON lines through pino, with the keys Karpenter's have: level, time, logger, message. Secrets
 * are taken out by `redact.ts`; who logs what is decided by the callers.
 */
import { type DestinationStream, destination, type Logger, pino } from 'pino';
import type { Log, LogFields } from '../world.ts';
import { redact, redactText } from './redact.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface PinoLogOptions {
  /** Lines below are not written. Default info. */
  readonly level?: LogLevel;
  /** A stream, or a path (`/dev/stdout`), or a file descriptor. Default: standard output. */
  readonly destination?: DestinationStream | string | number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Default `controller`. */
  readonly logger?: string;
}

export function pinoLog(options: PinoLogOptions): Log {
  const target = options.destination ?? 1;
  const stream = typeof target === 'object' ? target : destination({ dest: target, sync: true });
  const root = pino(
    {
      level: options.level ?? 'info',
      base: { logger: options.logger ?? 'controller' },
      messageKey: 'message',
      timestamp: () => `,"time":"${new Date(options.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label.toUpperCase() }) },
    },
    stream,
  );
  return wrap(root, {});
}

// ------------------------------------------------------------------------------------------------

/** Bound fields are kept here and not in a child of pino, which would write a name twice when it is bound twice. */
function wrap(logger: Logger, bound: Record<string, unknown>): Log {
  const write = (level: LogLevel) => (message: string, fields?: LogFields) => {
    // Redaction is expensive, so it is skipped for lines that are not written.
    if (!logger.isLevelEnabled(level)) return;
    logger[level]({ ...bound, ...safe(fields) }, redactText(message));
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    with: (fields) => wrap(logger, { ...bound, ...safe(fields) }),
  };
}

/** Our own keys must not be overwritten by a caller's field of the same name. */
const RESERVED: ReadonlySet<string> = new Set(['level', 'time', 'logger', 'message']);

function safe(fields: LogFields = {}): Record<string, unknown> {
  const redacted = redact(fields) as Record<string, unknown>;
  const named = Object.entries(redacted).map(([name, value]) => [
    RESERVED.has(name) ? `${name}_` : name,
    value,
  ]);
  return Object.fromEntries(named);
}
