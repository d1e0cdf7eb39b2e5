/**
 * What the page asks besides rows: answers that take reading or planning. This module only serves them; `cli/page` answers with
 * the parts of `why`, `plan` and `simulate`.
 */
import type {
  ClaimsAnswer,
  ObjectAnswer,
  PendingAnswer,
  PlaygroundAnswer,
  SavingsAnswer,
  Sequenced,
  TimelineAnswer,
  WhatIfAnswer,
} from './wire.ts';

export interface DashboardQuestions {
  pending(): Promise<Sequenced<PendingAnswer>>;
  claims(): Promise<Sequenced<ClaimsAnswer>>;
  savings(): Promise<Sequenced<SavingsAnswer>>;
  timeline(fromMs: number | undefined, toMs: number | undefined): Promise<Sequenced<TimelineAnswer>>;
  /** @param subject `Node/x`, `Pod/shop/x`. */
  object(subject: string): Promise<Sequenced<ObjectAnswer>>;
  /** @param manifests YAML or JSON. @param signal who asked has left. */
  whatIf(manifests: string, signal: AbortSignal): Promise<WhatIfAnswer>;
  /** Undefined: this is no playground. */
  readonly playground?: PlaygroundQuestions;
}

export interface PlaygroundQuestions {
  state(): Promise<PlaygroundAnswer>;
  /** @param wish what was sent; its shape is not checked yet. */
  change(wish: unknown): Promise<PlaygroundAnswer>;
}

export type QuestionStatus = 400 | 403 | 404 | 413 | 429 | 503;

/** An answer that cannot be given, with the status of the wire. */
export class QuestionError extends Error {
  override readonly name = 'QuestionError';
  readonly status: QuestionStatus;
  /** What to do. */
  readonly cure: string | undefined;

  constructor(status: QuestionStatus, message: string, cure?: string) {
    super(message);
    this.status = status;
    this.cure = cure;
  }
}
