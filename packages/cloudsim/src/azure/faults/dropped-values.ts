/**
 * The fault `drop-des`: a controller inside the playground queries it at each step of a launch, to decide whether it drops
 * the disk encryption set there. It is not reachable from a controller outside.
 */
import type { FaultRegister } from './fault.ts';
import { valueText } from './parse-fault.ts';

export function dropsValueAt(faults: Pick<FaultRegister, 'list'>): (place: string) => boolean {
  return (place) => faults.list().some((fault) => fault.name === 'drop-des' && valueText(fault) === place);
}
