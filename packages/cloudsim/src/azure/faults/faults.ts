/**
 * The active faults, and whether one is triggered. Faults are evaluated in the order in which they were added; the first
 * that matches and passes its rate is triggered.
 */
import type { Random } from '@chandler/kube';
import type { FaultPoint } from './catalogue.table.ts';
import type { Fault, FaultRegister, FaultSpec, FaultSubject } from './fault.ts';
import { checkFault, parseFault, rowOf, valueText } from './parse-fault.ts';

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

  trigger(point: FaultPoint, subject: FaultSubject): Fault | undefined {
    for (const fault of this.#faults) {
      if (!matches(fault, point, subject)) continue;
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
  const row = rowOf(fault.name);
  if (!row.points.includes(point)) return false;
  if (subject.value !== undefined && valueText(fault) !== subject.value) return false;
  if (subject.phase !== undefined && (fault.phase ?? row.phase ?? subject.phase) !== subject.phase)
    return false;
  if (fault.zone !== undefined && fault.zone !== (subject.zone ?? '0')) return false;
  if (fault.capacity !== undefined && fault.capacity !== subject.capacity) return false;
  return (
    like(fault.size, subject.size) &&
    like(fault.resource, subject.name) &&
    like(fault.nodepool, subject.nodepool) &&
    isOperation(fault.operation, subject)
  );
}

/** `PUT virtualMachines`, `virtualMachines`, `GET`, `* networkInterfaces`. */
function isOperation(wanted: string | undefined, subject: FaultSubject): boolean {
  if (wanted === undefined) return true;
  const words = wanted.trim().split(/\s+/);
  const [method, type] =
    words.length > 1 ? words : METHODS.test(words[0]!) ? [words[0], '*'] : ['*', words[0]];
  return like(method, subject.method ?? '') && like(type, subject.type?.split('/').at(-1) ?? '');
}

const METHODS = /^(?:GET|PUT|POST|PATCH|DELETE|HEAD)$/i;

function like(pattern: string | undefined, value: string | undefined): boolean {
  if (pattern === undefined) return true;
  if (value === undefined) return false;
  const escaped = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`, 'i').test(value);
}
