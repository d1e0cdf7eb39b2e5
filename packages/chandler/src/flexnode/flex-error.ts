/** What went wrong, as a value with a class: the class decides the exit code, the rest is for the person in front of it. */

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
  /** A short stable word: `download.hash-mismatch`, `himds.unreachable`. */
  readonly code: string;
  /** What was wrong and where; never a secret. */
  readonly message: string;
  /** What to do. */
  readonly remedy?: string;
  /** A file, a config path (`azure.targetCluster.resourceId`), a URL without its query. */
  readonly where?: string;
  readonly line?: number;
  /** Ends of logs that belong to it, secrets taken out. */
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
