/**
 * From what was said about a VM, by whomever, to one failure: the first who knows the exit code is believed, else
 * one who knows that Azure stopped waiting, else the first who knows that it failed at all. Pure; reading is left to the neighbours.
 */
import { cseMessage, describeCseFailure, parseCseFailure } from '../../../bootstrap/index.ts';
import type { BootstrapFailure, BootstrapWitness } from '../../index.ts';

export interface BootstrapReport {
  readonly readFrom: BootstrapWitness;
  /** Raw and whole; it leaves this module only without its secrets. */
  readonly text: string;
}

/** Undefined when nobody tells of a failed provisioning. The surest witness first. */
export function failureOf(
  reports: readonly BootstrapReport[],
  image: string | undefined,
): BootstrapFailure | undefined {
  const failures = reports.flatMap(({ readFrom, text }) => {
    const failure = parseCseFailure(text);
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
  };
}
