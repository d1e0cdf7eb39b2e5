/** What a run of the bug workload adds to it: faults, or other situations. Data that can be sent to a thread. */
import type { Situation } from './disruption-workload.ts';
import type { ConnectionProxy } from './network.ts';

export interface FaultScenario {
  /** A process is killed at the first response that matches. */
  readonly killAtAnswer?: RegExp;
  readonly bootMs?: number;
  readonly election?: boolean;
  /** Faults of the servers of the cloud. */
  readonly cloud?: readonly string[];
  /** What happens in the cloud, by the name of the action. */
  readonly happenings?: readonly { readonly atMs: number; readonly action: string }[];
  /** What the account has from the beginning. */
  readonly features?: readonly string[];
  readonly proxy?: ConnectionProxy;
  /** With a stable phase at the end. */
  readonly quiet?: boolean;
  /** Another workload instead: these situations of disruption. */
  readonly disruption?: readonly Situation[];
  /** Another provider has nodes in the cluster. */
  readonly others?: boolean;
  /** Processes are killed when the first replacement of a node is created. */
  readonly killAtReplacement?: boolean;
}
