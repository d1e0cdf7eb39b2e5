/** What a cloud brings to the contract, and how the contract drives it: step by step, with time between the steps. */

import type { Stored } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import type { NodeClaim } from '../../packages/chandler/src/api/index.ts';
import {
  type Cloud,
  CloudError,
  type CloudErrorKind,
  type Instance,
  type LaunchRequest,
  type LaunchStep,
} from '../../packages/chandler/src/cloud/index.ts';

export interface CloudFixture {
  readonly cloud: Cloud;
  /** Of its provider. */
  readonly stages: readonly string[];
  /** Another process on the same account: it knows nothing but what the cloud shows. */
  restart(): Cloud;
  /** Ready to be launched with. */
  readonly nodeClass: Stored;
  /** A claim that can be served; `standalone` has no pool. */
  claim(
    name: string,
    options?: { uid?: string; standalone?: boolean; instanceType?: string },
  ): Stored<NodeClaim>;
  /** Lets time pass on this side and on the cloud's. */
  advance(ms: number): Promise<void>;
  nowMs(): number;
  /** Everything the account holds, past the cloud's own API: machines, and all parts beside them. */
  holdings(): Holdings | Promise<Holdings>;
  /** Makes the next calls fail, until it is cleared. Both are awaited. */
  break(way: CloudFault): unknown;
  repair(): unknown;
  close(): Promise<void>;
}

export interface Holdings {
  readonly machines: number;
  readonly parts: number;
}

export type CloudFault =
  /** Nothing is available. */
  | 'noCapacity'
  /** Writes are answered with Retry-After: 30. */
  | 'throttled'
  | 'unauthorized'
  /** Requests get no answer, and have no effect. */
  | 'unreachable'
  /** A write is acted on and its answer gets lost. */
  | 'answerLost';

export type Launched = Extract<LaunchStep, { state: 'launched' }>;

export const MAX_STEPS = 300;

export async function launch(
  fixture: CloudFixture,
  claim: Stored<NodeClaim>,
  cloud: Cloud = fixture.cloud,
  more: Pick<LaunchRequest, 'nodePool' | 'overlays'> = {},
): Promise<{ readonly steps: readonly LaunchStep[]; readonly instance: Instance }> {
  const steps: LaunchStep[] = [];
  while (steps.length < MAX_STEPS) {
    const step = await cloud.create({ claim, nodeClass: fixture.nodeClass, ...more }, neverAborted());
    steps.push(step);
    if (step.state === 'launched' && step.settled) return { steps, instance: step.instance };
    await fixture.advance(step.retryAfterMs ?? 1000);
  }
  throw new Error(`${claim.metadata.name} did not settle in ${MAX_STEPS} steps`);
}

/** The step in which the cloud first promises a machine; no time has passed since. */
export async function promised(fixture: CloudFixture, claim: Stored<NodeClaim>): Promise<Launched> {
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const step = await fixture.cloud.create({ claim, nodeClass: fixture.nodeClass }, neverAborted());
    if (step.state === 'launched') return step;
    await fixture.advance(step.retryAfterMs);
  }
  throw new Error(`${claim.metadata.name} was not promised in ${MAX_STEPS} steps`);
}

export async function remove(
  fixture: CloudFixture,
  claim: Stored<NodeClaim>,
  cloud: Cloud = fixture.cloud,
): Promise<void> {
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const step = await cloud.delete(claim, neverAborted());
    if (step.state === 'gone') return;
    await fixture.advance(step.retryAfterMs);
  }
  throw new Error(`${claim.metadata.name} did not go in ${MAX_STEPS} steps`);
}

export const named = (claim: Stored<NodeClaim>, { providerID }: Instance): Stored<NodeClaim> => ({
  ...claim,
  status: { providerID },
});

export async function kindOf(work: Promise<unknown>): Promise<CloudErrorKind | 'no error'> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error === undefined) return 'no error';
  if (!(error instanceof CloudError)) throw error;
  return error.kind;
}
