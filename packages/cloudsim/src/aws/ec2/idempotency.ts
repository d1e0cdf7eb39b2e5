/** Client tokens: the same token with the same parameters gives the same answer, with others it is refused. */
import { createHash } from 'node:crypto';
import type { Clock } from '@chandler/kube';
import { ec2Error, invalidParameter } from '../wire/errors.ts';
import type { Params } from '../wire/query-params.ts';

export class Idempotency {
  readonly #clock: Clock;
  readonly #answers = new Map<
    string,
    { readonly parameters: string; readonly answer: unknown; readonly atMs: number }
  >();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs `act` at most once for each token. An error is not kept: the token may be used again. */
  once<Answer>(action: string, params: Params, act: () => Answer): Answer {
    const { ClientToken: token, DryRun: _, ...rest } = params;
    if (typeof token !== 'string' || token === '') return act();
    if (token.length > MAX_TOKEN)
      throw invalidParameter(`A client token may have up to ${MAX_TOKEN} characters`);
    const key = `${action} ${token}`;
    const parameters = createHash('sha256').update(JSON.stringify(rest)).digest('hex');
    const known = this.#answers.get(key);
    if (known !== undefined) {
      if (known.parameters === parameters) return known.answer as Answer;
      throw ec2Error(
        'IdempotentParameterMismatch',
        'Arguments on this idempotent request are inconsistent with arguments used in previous request(s).',
      );
    }
    const answer = act();
    this.#forgetOld();
    this.#answers.set(key, { parameters, answer, atMs: this.#clock.monotonic() });
    return answer;
  }

  #forgetOld(): void {
    const nowMs = this.#clock.monotonic();
    for (const [key, { atMs }] of this.#answers) {
      if (nowMs - atMs < KEPT_MS) return;
      this.#answers.delete(key);
    }
  }
}

// ---------------------------------------------------------------------------------------------------

/** EC2 keeps a token for at least a day. */
const KEPT_MS = 48 * 3_600_000;
const MAX_TOKEN = 128;
