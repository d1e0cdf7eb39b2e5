/**
 * Asks EC2 whether a launch with a node class would be allowed, without launching anything: a launch template, a fleet, and an
 * instance in one subnet after the other, as dry runs. Only the template is created for real in between, since the others name
 * one that exists. What EC2 says is kept for half an hour, for the class and its NodePools as they are.
 */
import { createHash } from 'node:crypto';
import type * as Ec2 from '@aws-sdk/client-ec2';
import type { Clock, Stored } from '@chandler/kube';
import type { EC2NodeClass } from '../../../api/index.ts';
import { CloudError } from '../../index.ts';
import {
  classify,
  isDryRunSuccess,
  toAwsError,
  type ValidationCall,
  type ValidationFailure,
  validationFailure,
} from '../errors/index.ts';
import { keyOf, Lookups } from '../network/index.ts';
import type { Ec2Calls } from '../wire/index.ts';
import type { ClassPool } from './class-pools.ts';

/** The requests of a launch with a class, as dry runs. */
export interface DryRunRequests {
  readonly createLaunchTemplate: Ec2.CreateLaunchTemplateCommandInput;
  readonly createFleet: Ec2.CreateFleetCommandInput;
  /** One for each subnet of the status, in its order. */
  readonly runInstances: readonly Ec2.RunInstancesCommandInput[];
  /** Really creates the launch template that the others name, unless it exists. Its owner removes it. @throws {CloudError} */
  ensureTemplate(signal: AbortSignal): Promise<void>;
  /** EC2 does not have it, although it was created: `ensureTemplate` creates it again. */
  templateMissing(): void;
}

/** @throws {UserDataError | CloudError} when the class leads to no request. */
export type FindDryRunRequests = (
  nodeClass: Stored<EC2NodeClass>,
  pools: readonly ClassPool[],
  signal: AbortSignal,
) => Promise<DryRunRequests>;

export type DryRunOutcome =
  | 'allowed'
  /** EC2 does not know the instance profile of the role yet. */
  | 'profilePropagating'
  | { readonly failure: ValidationFailure };

export interface DryRunsOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly ec2: Pick<Ec2Calls, 'createFleet' | 'createLaunchTemplate' | 'runInstances'>;
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
   * @param pools those of the class, which decide the instance type.
   * @throws what EC2 says beside an answer about the class: throttling, an outage, anything unexpected.
   */
  async about(
    nodeClass: Stored<EC2NodeClass>,
    pools: readonly ClassPool[],
    signal: AbortSignal,
  ): Promise<DryRunOutcome> {
    const key = outcomeKey(nodeClass, pools);
    const kept = this.#kept.peek(key);
    if (kept !== undefined) return kept;
    const outcome = await this.#ask(nodeClass, pools, signal);
    const isKept = outcome === 'allowed' || (typeof outcome === 'object' && outcome.failure.cacheable);
    if (isKept) this.#kept.put(key, outcome);
    return outcome;
  }

  /** What is kept of a class that is gone. */
  forget(className: string): void {
    for (const [key] of [...this.#kept.entries()])
      if (key.startsWith(`${className}:`)) this.#kept.forget(key);
  }

  async #ask(
    nodeClass: Stored<EC2NodeClass>,
    pools: readonly ClassPool[],
    signal: AbortSignal,
  ): Promise<DryRunOutcome> {
    const requests = await this.#options.requests(nodeClass, pools, signal);
    let refused = await this.#firstRefusal(requests, signal);
    if (refused !== undefined && isTemplateMissing(refused.thrown)) {
      requests.templateMissing();
      refused = await this.#firstRefusal(requests, signal);
    }
    if (refused === undefined) return 'allowed';
    return judged(refused.call, refused.thrown, nodeClass.spec.instanceProfile !== undefined);
  }

  async #firstRefusal(requests: DryRunRequests, signal: AbortSignal): Promise<CallRefusal | undefined> {
    const { ec2 } = this.#options;
    const { createLaunchTemplate, createFleet, runInstances } = requests;
    const calls: readonly [ValidationCall, () => Promise<unknown>][] = [
      [
        'CreateLaunchTemplate',
        () => ec2.createLaunchTemplate({ ...createLaunchTemplate, DryRun: true }, { signal }),
      ],
      ['CreateLaunchTemplate', () => requests.ensureTemplate(signal)],
      ['CreateFleet', () => ec2.createFleet({ ...createFleet, DryRun: true }, { signal })],
    ];
    for (const [call, send] of calls) {
      const refused = await refusal(signal, send);
      if (refused !== undefined && saysSomething(refused.thrown)) return { call, ...refused };
    }
    const refused = await this.#runInstances(runInstances, signal);
    return refused === undefined ? undefined : { call: 'RunInstances', ...refused };
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

interface CallRefusal extends Refusal {
  readonly call: ValidationCall;
}

/** Any change of spec, annotations, pools, or of what the selectors lead to asks again. */
function outcomeKey({ metadata, spec, status }: EC2NodeClass, pools: readonly ClassPool[]): string {
  const { subnets = [], securityGroups = [], amis = [], instanceProfile } = status ?? {};
  // The order of subnets changes with their free addresses.
  const lists = [subnets, securityGroups, amis, pools.map(({ requirements }) => requirements)];
  const sorted = lists.map((list) => list.map(keyOf).sort());
  const content = keyOf([...sorted, instanceProfile, spec, metadata.annotations ?? {}]);
  return `${metadata.name}:${createHash('sha256').update(content).digest('hex')}`;
}

async function refusal(signal: AbortSignal, call: () => Promise<unknown>): Promise<Refusal | undefined> {
  try {
    await call();
    return undefined;
  } catch (thrown) {
    signal.throwIfAborted();
    // What EC2 said stands behind an error of our own.
    return { thrown: thrown instanceof CloudError && thrown.cause !== undefined ? thrown.cause : thrown };
  }
}

/** A success is an error too; and a lack of capacity or quota at the moment is not the fault of the class. */
function saysSomething(thrown: unknown): boolean {
  if (thrown instanceof CloudError) return true;
  return !isDryRunSuccess(thrown) && classify(thrown).block === undefined;
}

function isTemplateMissing(thrown: unknown): boolean {
  return !(thrown instanceof CloudError) && classify(thrown).row.reason === 'LaunchTemplateNotFound';
}

function judged(call: ValidationCall, thrown: unknown, isOwn: boolean): DryRunOutcome {
  if (thrown instanceof CloudError) throw thrown;
  const failure = validationFailure(call, thrown, isOwn);
  if (failure !== undefined) return { failure };
  if (classify(thrown).row.reason === 'InstanceProfileNameInvalid') return 'profilePropagating';
  throw toAwsError(thrown);
}
