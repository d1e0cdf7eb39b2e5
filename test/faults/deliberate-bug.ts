/** A plausible mistake, injected from outside, and the checker that must find it. */
import type { FaultScenario } from './fault-scenario.ts';
import type { Seams } from './process.ts';

export interface DeliberateBug {
  readonly name: string;
  /** The checker that must find it. */
  readonly foundBy: string;
  readonly seams: Seams;
  /** The changes of the common workload that make it visible. */
  readonly scenario?: FaultScenario;
}
