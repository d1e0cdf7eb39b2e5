/**
 * The fault `drop-des`: a controller inside the playground asks here, at each place of a value's way, whether it is to
 * lose it there. Nothing of it is reachable from a controller outside.
 */
import type { FaultRegister } from './fault.ts';
import { valueText } from './parse-fault.ts';

export function dropsValueAt(faults: Pick<FaultRegister, 'list'>): (place: string) => boolean {
  return (place) => faults.list().some((fault) => fault.name === 'drop-des' && valueText(fault) === place);
}
