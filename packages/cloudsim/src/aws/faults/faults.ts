/**
 * The active faults, and whether one is triggered. Faults are evaluated in the order in which they were added; the first
 * that matches and passes its rate is triggered.
 */
import type { Random } from '@chandler/kube';
import { like } from '../iam/policy.ts';
import type { FaultPoint } from './catalogue.table.ts';
import type { Fault, FaultRegister, FaultSpec, FaultSubject } from './fault.ts';
import { checkFault, parseFault, rowOf } from './parse-fault.ts';

export class Faults implements FaultRegister {
  readonly #random: Random;
  #faults: Fault[] = [];
  #next = 1;

  constructor(random: Random) {
    this.#random = random;
  }

  add(spec: FaultSpec | string): Fault {
    const checked = typeof spec === 'string' ? parseFault(spec) : checkFault(spec);
    const fault: Fault = { ...checked, id: `f${this.#next++}`, struck: 0 };
    this.#faults = [...this.#faults, fault];
    return fault;
  }

  remove(idOrName: string): number {
    const before = this.#faults.length;
    this.#faults = this.#faults.filter((fault) => fault.id !== idOrName && fault.name !== idOrName);
    return before - this.#faults.length;
  }

  clear(): void {
    this.#faults = [];
  }

  list(): readonly Fault[] {
    return this.#faults;
  }

  trigger(
    point: FaultPoint,
    subject: FaultSubject,
    names: (name: string) => boolean = () => true,
  ): Fault | undefined {
    for (const fault of this.#faults) {
      if (!names(fault.name) || !matches(fault, point, subject)) continue;
      if (fault.rate !== undefined && this.#random.next() >= fault.rate) continue;
      return this.#count(fault);
    }
    return undefined;
  }

  /** A fault that was triggered `count` times is removed. */
  #count(fault: Fault): Fault {
    const triggered: Fault = { ...fault, struck: fault.struck + 1 };
    const spent = fault.count !== undefined && triggered.struck >= fault.count;
    this.#faults = this.#faults.flatMap((one) => (one.id !== fault.id ? [one] : spent ? [] : [triggered]));
    return triggered;
  }
}

// ---------------------------------------------------------------------------------------------------

function matches(fault: Fault, point: FaultPoint, subject: FaultSubject): boolean {
  if (!rowOf(fault.name).points.includes(point)) return false;
  if (fault.zone !== undefined && !subject.zone?.endsWith(fault.zone)) return false;
  if (fault.capacity !== undefined && fault.capacity !== subject.capacity) return false;
  return (
    isLike(fault.size, subject.size) &&
    isLike(fault.resource, subject.name) &&
    isLike(fault.nodepool, subject.nodepool) &&
    isOperation(fault.operation, subject)
  );
}

/** `ec2`, `CreateFleet`, `ec2:Describe*`. */
function isOperation(wanted: string | undefined, { service = '', action = '' }: FaultSubject): boolean {
  if (wanted === undefined) return true;
  const pattern = wanted.toLowerCase();
  return [service, action, `${service}:${action}`].some((name) => like(pattern, name.toLowerCase()));
}

function isLike(pattern: string | undefined, value: string | undefined): boolean {
  return pattern === undefined || (value !== undefined && like(pattern.toLowerCase(), value.toLowerCase()));
}
