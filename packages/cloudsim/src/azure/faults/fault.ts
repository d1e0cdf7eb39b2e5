/**
 * A fault as data: what goes wrong, where, how often. The table of names is catalogue.table.ts; deciding whether one
 * strikes is the register's; doing it belongs to whoever asked.
 */
import type { FaultPoint } from './catalogue.table.ts';

export interface FaultSpec {
  /** A row of the table: `allocation`, `cse`, `throttle` … */
  readonly name: string;
  /** `211` in `cse=211`. */
  readonly value?: string;
  /** How often it strikes, 0 to 1. Default 1. */
  readonly rate?: number;
  /** How many times it strikes before it is gone. Default: for ever. */
  readonly count?: number;
  /** `1`, `2`, `3`, or `0` for regional. Labels such as `eastus-2` are taken by their last part. */
  readonly zone?: string;
  /** VM size, in any case; `*` stands for any run of characters, as in all texts below. */
  readonly size?: string;
  readonly capacity?: 'spot' | 'on-demand';
  /** Name of the resource. */
  readonly resource?: string;
  /** `PUT virtualMachines`, `GET`, `* networkInterfaces`: method and last part of the type. */
  readonly operation?: string;
  /** For VM errors: at the PUT (`sync`) or later (`async`). Default: where ARM has it. */
  readonly phase?: 'sync' | 'async';
  readonly nodepool?: string;
}

export interface Fault extends FaultSpec {
  /** `f1`, `f2` …: what removes it. */
  readonly id: string;
  /** How often it has struck. */
  readonly struck: number;
}

/** What might be struck. */
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
}

export interface FaultRegister {
  add(spec: FaultSpec | string): Fault;
  /** By id, or all of a name; how many went. */
  remove(idOrName: string): number;
  clear(): void;
  list(): readonly Fault[];
  /** The first fault of this point that strikes now; it counts as struck. */
  trigger(point: FaultPoint, subject: FaultSubject): Fault | undefined;
}
