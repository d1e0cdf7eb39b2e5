/**
 * Asks EC2 whether a launch with a node class would be allowed, without launching anything: the launch template is created for
 * real, since a fleet names one that exists, then a fleet and an instance in one subnet after the other as dry runs. What EC2
 * says is kept for half an hour, for the class as it is.
 */
import type * as Ec2 from '@aws-sdk/client-ec2';
import type { Clock } from '@chandler/kube';
import type { EC2NodeClass } from '../../../api/index.ts';
import {
  classify,
  isAlreadyExists,
  isDryRunSuccess,
  toAwsError,
  type ValidationCall,
  type ValidationFailure,
  validationFailure,
} from '../errors/index.ts';
import { keyOf, Lookups } from '../network/index.ts';
import type { Ec2Calls } from '../wire/index.ts';

/** The requests of a launch with a class. `DryRun` is set here. */
export interface DryRunRequests {
  /** Creates the launch template that the others name, unless it exists. Rejects with what EC2 says. Its owner removes it. */
  readonly ensureLaunchTemplate: (signal: AbortSignal) => Promise<unknown>;
  readonly createFleet: Ec2.CreateFleetCommandInput;
  /** One for each subnet of the status, in its order. */
  readonly runInstances: readonly Ec2.RunInstancesCommandInput[];
}

/** @throws {UserDataError | CloudError} when the class leads to no request. */
export type FindDryRunRequests = (nodeClass: EC2NodeClass, signal: AbortSignal) => Promise<DryRunRequests>;

export type DryRunOutcome =
  | 'allowed'
  /** EC2 does not know the instance profile of the role yet. */
  | 'profilePropagating'
  | { readonly failure: ValidationFailure };

export interface DryRunsOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly ec2: Pick<Ec2Calls, 'createFleet' | 'runInstances'>;
  readonly requests: FindDryRunRequests;
}

export class DryRuns {
  readonly #options: DryRunsOptions;
  readonly #kept: Lookups<DryRunOutcome>;

  constructor(options: DryRunsOptions) {
    this.#options = options;
    this.#kept = new Lookups({ clock: options.clock, ttlMs: () => TTL_MS });
  }

  /**
   * @param nodeClass with the status as it is now.
   * @throws what EC2 says beside an answer about the class: throttling, an outage, anything unexpected.
   */
  async about(nodeClass: EC2NodeClass, signal: AbortSignal): Promise<DryRunOutcome> {
    const key = outcomeKey(nodeClass);
    const kept = this.#kept.peek(key);
    if (kept !== undefined) return kept;
    const outcome = await this.#ask(nodeClass, signal);
    const isKept = outcome === 'allowed' || (typeof outcome === 'object' && outcome.failure.cacheable);
    if (isKept) this.#kept.put(key, outcome);
    return outcome;
  }

  /** What is kept of a class that is gone. */
  forget(className: string): void {
    for (const [key] of [...this.#kept.entries()])
      if (key.startsWith(`${className}:`)) this.#kept.forget(key);
  }

  async #ask(nodeClass: EC2NodeClass, signal: AbortSignal): Promise<DryRunOutcome> {
    const { ec2, requests } = this.#options;
    const { ensureLaunchTemplate, createFleet, runInstances } = await requests(nodeClass, signal);
    const isOwn = nodeClass.spec.instanceProfile !== undefined;
    const template = await refusal(signal, () => ensureLaunchTemplate(signal));
    if (template !== undefined && !isAlreadyExists(template.thrown))
      return judged('CreateLaunchTemplate', template.thrown, isOwn);
    const fleet = await refusal(signal, () => ec2.createFleet({ ...createFleet, DryRun: true }, { signal }));
    if (fleet !== undefined && saysSomething(fleet.thrown)) return judged('CreateFleet', fleet.thrown, isOwn);
    const instance = await this.#runInstances(runInstances, signal);
    return instance === undefined ? 'allowed' : judged('RunInstances', instance.thrown, isOwn);
  }

  /** One subnet suffices; of several refusals the first counts. */
  async #runInstances(
    requests: readonly Ec2.RunInstancesCommandInput[],
    signal: AbortSignal,
  ): Promise<Refusal | undefined> {
    let first: Refusal | undefined;
    for (const request of requests) {
      const { runInstances } = this.#options.ec2;
      const refused = await refusal(signal, () => runInstances({ ...request, DryRun: true }, { signal }));
      if (refused === undefined || !saysSomething(refused.thrown)) return undefined;
      first ??= refused;
    }
    return first;
  }
}

// ---------------------------------------------------------------------------------------------------

const TTL_MS = 30 * 60_000;

interface Refusal {
  readonly thrown: unknown;
}

/** Any change of spec, annotations or of what the selectors lead to asks again. */
function outcomeKey({ metadata, spec, status }: EC2NodeClass): string {
  const { subnets, securityGroups, amis, instanceProfile } = status ?? {};
  const parts = [subnets, securityGroups, amis, instanceProfile, spec, metadata.annotations ?? {}];
  return `${metadata.name}:${keyOf(parts)}`;
}

async function refusal(signal: AbortSignal, call: () => Promise<unknown>): Promise<Refusal | undefined> {
  try {
    await call();
    return undefined;
  } catch (thrown) {
    signal.throwIfAborted();
    return { thrown };
  }
}

/** A success is an error too; and a lack of capacity or quota at the moment is not the fault of the class. */
function saysSomething(thrown: unknown): boolean {
  return !isDryRunSuccess(thrown) && classify(thrown).block === undefined;
}

function judged(call: ValidationCall, thrown: unknown, isOwn: boolean): DryRunOutcome {
  const failure = validationFailure(call, thrown, isOwn);
  if (failure !== undefined) return { failure };
  if (classify(thrown).row.reason === 'InstanceProfileNameInvalid') return 'profilePropagating';
  throw toAwsError(thrown);
}
