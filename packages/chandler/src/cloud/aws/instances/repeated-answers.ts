/** Answers to requests of an earlier process that were sent again: one answer serves all claims of the request. Bounded. */
import { type DealtAnswer, DOUBT_LIMIT_MS } from '../launch/index.ts';

export class RepeatedAnswers {
  readonly #answers = new Map<string, { readonly dealt: DealtAnswer['answers']; readonly atMs: number }>();

  of(token: string): DealtAnswer['answers'] | undefined {
    return this.#answers.get(token)?.dealt;
  }

  /** In the order of time, so that the oldest is first. */
  keep(token: string, dealt: DealtAnswer['answers'], nowMs: number): void {
    this.#answers.delete(token);
    this.#answers.set(token, { dealt, atMs: nowMs });
    for (const [known, { atMs }] of this.#answers) {
      if (nowMs - atMs < DOUBT_LIMIT_MS) return;
      this.#answers.delete(known);
    }
  }
}
