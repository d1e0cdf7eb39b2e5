/**
 * A fault as data: what fails, where, how often. The names are in catalogue.table.ts; the register decides whether a fault
 * is triggered; its effect is implemented where it is triggered.
 */
import type { FaultPoint } from './catalogue.table.ts';

export interface FaultSpec {
  /** A row of the table: `allocation`, `cse`, `throttle` … */
  readonly name: string;
  /** `211` in `cse=211`. */
  readonly value?: string;
  /** Probability that it is triggered, 0 to 1. Default 1. */
  readonly rate?: number;
  /** How many times it is triggered before it is removed. Default: no limit. */
  readonly count?: number;
  /** `1`, `2`, `3`, or `0` for regional. Of labels such as `eastus-2` the last part is used. */
  readonly zone?: string;
  /** VM size, in any case; `*` stands for any run of characters, as in all texts below. */
  readonly size?: string;
  readonly capacity?: 'spot' | 'on-demand';
  /** Name of the resource. */
  readonly resource?: string;
  /** `PUT virtualMachines`, `GET`, `* networkInterfaces`: method and last part of the type. */
  readonly operation?: string;
  /** For VM errors: at the PUT (`sync`) or later (`async`). Default: as ARM does. */
  readonly phase?: 'sync' | 'async';
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
  readonly method?: string;
  /** `Microsoft.Compute/virtualMachines`. */
  readonly type?: string;
  readonly name?: string;
  readonly zone?: string;
  readonly size?: string;
  readonly capacity?: 'spot' | 'on-demand';
  readonly nodepool?: string;
  readonly phase?: 'sync' | 'async';
  /** Only faults with this value match. Default: any value. */
  readonly value?: string;
}

export interface FaultRegister {
  add(spec: FaultSpec | string): Fault;
  /** By id, or all of a name; returns how many were removed. */
  remove(idOrName: string): number;
  clear(): void;
  list(): readonly Fault[];
  /** The first fault of this point that matches now; counts it as triggered. */
  trigger(point: FaultPoint, subject: FaultSubject): Fault | undefined;
}
