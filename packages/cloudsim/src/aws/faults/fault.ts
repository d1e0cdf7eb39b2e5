/**
 * A fault as data: what fails, where, how often. The names are in catalogue.table.ts; the register decides whether a fault
 * is triggered; its effect is implemented where it is triggered.
 */
import type { FaultPoint } from './catalogue.table.ts';

export interface FaultSpec {
  /** A row of the table: `capacity`, `throttle` … */
  readonly name: string;
  /** `5000` in `slow=5000`. */
  readonly value?: string;
  /** Probability that it is triggered, 0 to 1. Default 1. */
  readonly rate?: number;
  /** How many times it is triggered before it is removed. Default: no limit. */
  readonly count?: number;
  /** `us-west-2a`, or its letter. */
  readonly zone?: string;
  /** Instance type; `*` stands for any run of characters, as in all texts below. */
  readonly size?: string;
  readonly capacity?: 'spot' | 'on-demand';
  /** Id or name of the resource. */
  readonly resource?: string;
  /** `CreateFleet`, `ec2:Describe*`, `sqs`. */
  readonly operation?: string;
  readonly nodepool?: string;
}

export interface Fault extends FaultSpec {
  /** `f1`, `f2` …: identifies the fault when it is removed. */
  readonly id: string;
  /** How often it was triggered. */
  readonly struck: number;
}

/** What a fault can be triggered on. */
export interface FaultSubject {
  readonly service?: string;
  readonly action?: string;
  readonly name?: string;
  readonly zone?: string;
  readonly size?: string;
  readonly capacity?: 'spot' | 'on-demand';
  readonly nodepool?: string;
}

export interface FaultRegister {
  add(spec: FaultSpec | string): Fault;
  /** By id, or all of a name; returns how many were removed. */
  remove(idOrName: string): number;
  clear(): void;
  list(): readonly Fault[];
  /** The first fault of this point that matches now; counts it as triggered. */
  trigger(point: FaultPoint, subject: FaultSubject, names?: (name: string) => boolean): Fault | undefined;
}
