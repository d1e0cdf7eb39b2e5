/** Collects the stages of one step of a claim's launch: each is one log line and one row of the journey. */
import type { Clock, Log, LogFields } from '@chandler/kube';
import { logStage, type Stage, type StageFact, type StageOutcome } from './journey.ts';

/** @typeParam Name the stages of one cloud. */
export class StageTrace<Name extends string> {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #fields: LogFields;
  readonly #stages: Stage[] = [];

  constructor(options: { readonly clock: Clock; readonly log: Log; readonly fields: LogFields }) {
    this.#clock = options.clock;
    this.#log = options.log;
    this.#fields = options.fields;
  }

  get stages(): readonly Stage[] {
    return this.#stages;
  }

  add(
    name: Name,
    outcome: StageOutcome,
    facts: Readonly<Record<string, StageFact | undefined>>,
    message?: string,
  ): void {
    const known = Object.entries(facts).filter((fact): fact is [string, StageFact] => fact[1] !== undefined);
    this.put({
      name,
      atMs: this.#clock.now(),
      outcome,
      ...(known.length === 0 ? {} : { facts: Object.fromEntries(known) }),
      ...(message === undefined ? {} : { message }),
    });
  }

  /** A stage that somebody else made. */
  put(stage: Stage): void {
    this.#stages.push(stage);
    logStage(this.#log, stage, this.#fields);
  }
}
