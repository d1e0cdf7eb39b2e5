/** How much a simulation may be, in a process that has other things to do. It is counted before anything is made of it. */
import { Failure } from '../verb.ts';

export interface SimulationLimits {
  /** Objects of the manifests. */
  readonly maxObjects: number;
  /** Pods to place: those of the manifests, and those of the cluster that are pending. */
  readonly maxPods: number;
}

/** The input is valid, and too much for here. */
export class LimitFailure extends Failure {}
