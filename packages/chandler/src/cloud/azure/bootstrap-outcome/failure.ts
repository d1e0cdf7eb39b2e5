/**
 * Reduces the reports about a VM to one failure: the first report with an exit code, else a report of a timeout, else
 * the first report of a failure. Pure; other files read the reports.
 */
import {
  cseMessage,
  describeCseFailure,
  logTail,
  parseConsoleFailure,
  parseCseFailure,
} from '../../../bootstrap/index.ts';
import type { BootstrapFailure, BootstrapWitness } from '../../index.ts';

export interface BootstrapReport {
  readonly readFrom: BootstrapWitness;
  /** The complete raw text; secrets are removed before it leaves this module. */
  readonly text: string;
}

/** Undefined if no report is of a failed provisioning. Reports are in order of reliability. */
export function failureOf(
  reports: readonly BootstrapReport[],
  image: string | undefined,
): BootstrapFailure | undefined {
  const failures = reports.flatMap(({ readFrom, text }) => {
    const failure = readFrom === 'serialLog' ? parseConsoleFailure(text) : parseCseFailure(text);
    return failure === undefined ? [] : [{ readFrom, failure }];
  });
  const best =
    failures.find(({ failure }) => failure.exitCode !== undefined) ??
    failures.find(({ failure }) => failure.timedOut) ??
    failures[0];
  if (best === undefined) return undefined;
  const description = describeCseFailure(best.failure, { imageId: image });
  return {
    code: description.code,
    constant: description.constant,
    message: cseMessage(description),
    deterministic: description.deterministic,
    image,
    readFrom: best.readFrom,
    lastCommand: description.lastCommand,
    log: logTail(best.failure),
  };
}
