/**
 * The stages of a NodeClaim in the steps that people know, the same for every cloud: plan, network interface, VM, bootstrap,
 * registered, initialized. What the programs call their stages is in the table below a claim. Pure.
 */
import type { ClaimRow, ClaimsAnswer } from '../../wire.ts';
import { endOf } from './claim-times.ts';

export const STEPS = ['plan', 'network', 'vm', 'bootstrap', 'registered', 'initialized'] as const;
export type Step = (typeof STEPS)[number];

export const STEP_TEXTS: Readonly<Record<Step, string>> = {
  plan: 'Plan and request',
  network: 'Network interface',
  vm: 'VM',
  bootstrap: 'Bootstrap',
  registered: 'Registered',
  initialized: 'Initialized',
};

export interface StepBar {
  readonly step: Step;
  readonly startMs: number;
  readonly endMs: number;
  readonly state: 'done' | 'open' | 'failed';
}

/** One bar for each step that has begun. Of stages that are one step, the first begins it and the last ends it. */
export function barsOf(claim: ClaimRow, nowMs: number): readonly StepBar[] {
  const groups = Map.groupBy(claim.stages, ({ stage }) => stepOf(stage));
  return STEPS.flatMap((step) => {
    const own = groups.get(step);
    if (own === undefined) return [];
    return [
      {
        step,
        startMs: Math.min(...own.map(({ startMs }) => startMs)),
        endMs: Math.max(...own.map((stage) => endOf(stage, nowMs))),
        state: own.some(({ outcome }) => outcome === 'failed')
          ? ('failed' as const)
          : own.some(({ endMs }) => endMs === null)
            ? ('open' as const)
            : ('done' as const),
      },
    ];
  });
}

/** Seconds after the creation by which a stage has usually ended, in the NodePool of the claim or in all. */
export function usualEndMs({ medians }: ClaimsAnswer, { pool }: ClaimRow, stage: string): number | null {
  const own = (pool !== null && Object.hasOwn(medians, pool) ? medians[pool] : undefined) ?? medians['*'];
  const value = own !== undefined && Object.hasOwn(own, stage) ? own[stage] : undefined;
  return value === undefined ? null : value * 1000;
}

/** Ticks of an axis from 0, in milliseconds: at most `most` round steps. */
export function axisTicks(scaleMs: number, most: number): readonly number[] {
  const stepMs = ROUND_MS.find((each) => scaleMs / each <= most) ?? ROUND_MS.at(-1)!;
  return Array.from({ length: Math.floor(scaleMs / stepMs) + 1 }, (_, at) => at * stepMs);
}

// ---------------------------------------------------------------------------------------------------

const ROUND_MS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600].map((seconds) => seconds * 1000);

/** Stages that are not here belong to the plan: options, node class, image, offering, requests. */
const STEP_OF: Readonly<Record<string, Step>> = {
  networkInterface: 'network',
  nic: 'network',
  vmRequest: 'vm',
  vmOperation: 'vm',
  vmResult: 'vm',
  vmObject: 'vm',
  vm: 'vm',
  fleetResult: 'vm',
  instance: 'vm',
  extension: 'bootstrap',
  boot: 'bootstrap',
  registered: 'registered',
  initialized: 'initialized',
};

function stepOf(stage: string): Step {
  return (Object.hasOwn(STEP_OF, stage) ? STEP_OF[stage] : undefined) ?? 'plan';
}
