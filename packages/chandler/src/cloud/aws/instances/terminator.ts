/** Terminates instances, many with one call. One that EC2 refuses does not keep the others. */
import type { CloudError } from '../../index.ts';

import { asCloudError, isNotFound } from '../errors/index.ts';
import { BATCH_LIMITS } from '../launch/index.ts';
import type { Ec2Calls } from '../wire/index.ts';
import { type InstanceStateName, isEnding } from './instance-facts.ts';
import { type BatchObserver, SharedCalls } from './shared-calls.ts';

export type Termination =
  | {
      readonly state: InstanceStateName;
      /** Whether it ends by this call, and had not been ending before. */
      readonly ended: boolean;
    }
  /** EC2 does not know the instance, or its lists do not show it yet. */
  | { readonly state: 'missing'; readonly ended: false };

export class Terminator {
  readonly #ec2: Pick<Ec2Calls, 'terminateInstances'>;
  readonly #calls: SharedCalls<Termination | { readonly error: CloudError }>;

  constructor(ec2: Pick<Ec2Calls, 'terminateInstances'>, observed?: BatchObserver) {
    this.#ec2 = ec2;
    this.#calls = new SharedCalls({
      ...(observed === undefined ? {} : { observed }),
      maxItems: BATCH_LIMITS.terminateInstances.maxItems,
      call: (ids, signal) => this.#terminateAll(ids, signal),
    });
  }

  /** @throws {CloudError} when EC2 refuses, or does not answer. */
  async terminate(id: string, signal: AbortSignal): Promise<Termination> {
    const answer = await this.#calls.ask(id, signal);
    if (answer !== undefined && 'error' in answer) throw answer.error;
    return answer ?? { state: 'shutting-down', ended: false };
  }

  async #terminateAll(ids: readonly string[], signal: AbortSignal) {
    const answers = new Map<string, Termination | { readonly error: CloudError }>();
    try {
      return await this.#send(ids, signal);
    } catch (error) {
      signal.throwIfAborted();
      const failure = asCloudError(error);
      // Whether it was this one instance or any of many, the answer does not say for sure.
      if (ids.length > 1 && !SHARED_FAILURES.has(failure.kind)) {
        for (const id of ids)
          for (const [key, answer] of await this.#terminateAll([id], signal)) answers.set(key, answer);
        return answers;
      }
      for (const id of ids) answers.set(id, isNotFound(error) ? MISSING : { error: failure });
      return answers;
    }
  }

  async #send(ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Termination>> {
    const { TerminatingInstances = [] } = await this.#ec2.terminateInstances(
      { InstanceIds: [...ids] },
      { signal },
    );
    return new Map(
      TerminatingInstances.flatMap(({ InstanceId, CurrentState, PreviousState }) => {
        const state = (CurrentState?.Name ?? 'shutting-down') as InstanceStateName;
        const before = (PreviousState?.Name ?? state) as InstanceStateName;
        return InstanceId === undefined
          ? []
          : [[InstanceId, { state, ended: !isEnding({ state: before }) }] as const];
      }),
    );
  }
}

// ---------------------------------------------------------------------------------------------------------------

const MISSING: Termination = { state: 'missing', ended: false };

/** Asking for each instance alone would fail alike, and make things worse. */
const SHARED_FAILURES: ReadonlySet<string> = new Set(['Throttled', 'Unreachable']);
