/**
 * The fault `drop-des`: a controller inside the playground queries it at each step of a launch, to decide whether it drops
 * the disk encryption set there. It is not reachable from a controller outside.
 */
import type { FaultRegister, FaultSubject } from './fault.ts';

/** What the controller knows of the launch at each step. */
export type DropSubject = Pick<FaultSubject, 'nodepool' | 'name'>;

/** The returned function counts the fault as triggered: it is called where there is a set to drop. */
export function dropsValueAt(
  faults: Pick<FaultRegister, 'trigger'>,
): (place: string, subject?: DropSubject) => boolean {
  return (place, subject = {}) => faults.trigger('controller', { ...subject, value: place }) !== undefined;
}
