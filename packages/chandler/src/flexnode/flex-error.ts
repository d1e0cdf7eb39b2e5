/** A failure with a class: the class decides the exit code, the other fields are printed. */

export type FailureClass = 'usage' | 'config' | 'preflight' | 'auth' | 'network' | 'step' | 'signal';

export const EXIT_CODES: Readonly<Record<FailureClass, number>> = {
  usage: 2,
  config: 3,
  preflight: 4,
  auth: 5,
  network: 6,
  step: 7,
  signal: 130,
};

export interface FlexErrorFacts {
  readonly class: FailureClass;
  /** A stable code: `download.hash-mismatch`, `himds.unreachable`. */
  readonly code: string;
  /** What failed and where; never contains a secret. */
  readonly message: string;
  /** What to do. */
  readonly remedy?: string;
  /** A file, a config path (`azure.targetCluster.resourceId`), a URL without its query. */
  readonly where?: string;
  readonly line?: number;
  /** The last lines of related logs, without secrets. */
  readonly excerpts?: readonly LogExcerpt[];
  readonly cause?: unknown;
}

export interface LogExcerpt {
  /** `journal of kubelet.service`. */
  readonly from: string;
  readonly lines: readonly string[];
}

export class FlexError extends Error {
  readonly facts: FlexErrorFacts;

  constructor(facts: FlexErrorFacts) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = 'FlexError';
    this.facts = facts;
  }
}
