/** What the events of a NodeClaim that no longer exists say about its end. Failures of before are causes, elsewhere. */
import type { EventFact, EvidenceSet } from '../causes/index.ts';

import { durationText } from './duration-text.ts';
import type { HealthState } from './well-if-read.ts';

export function goneClaimHealth(name: string, evidence: EvidenceSet): HealthState {
  const gone = 'The NodeClaim no longer exists';
  const events = evidence.events(`NodeClaim/${name}`).filter(({ object }) => object === `NodeClaim/${name}`);
  const ago = ({ lastMs }: EventFact) => `${durationText(evidence.ageMs(lastMs))} ago`;
  // What came first was the reason; a VM is terminated after every one of them.
  const wasInterrupted = events.some(({ reason }) => reason === 'TerminatingOnInterruption');
  const event = events.find(({ reason }) => ENDS.has(reason) || (wasInterrupted && OF_INSTANCES.has(reason)));
  if (event !== undefined) {
    const what = ENDS.get(event.reason) ?? INTERRUPTED;
    return { state: 'well', text: `${gone}: ${what} ${ago(event)} (${event.message.replace(/\.$/, '')}).` };
  }
  const last = events.at(-1);
  if (last === undefined) return { state: 'late', text: `${gone}.` };
  return {
    state: 'late',
    text: `${gone}. Its events do not say why; its last event is ${last.reason}, ${ago(last)}.`,
  };
}

// ---------------------------------------------------------------------------------------------------

const INTERRUPTED = 'it was interrupted';

/** Events of NodeClaims after which the controller deletes them, and what happened then. */
const ENDS: ReadonlyMap<string, string> = new Map([
  ['SpotInterrupted', INTERRUPTED],
  ['CapacityReservationInstanceInterrupted', INTERRUPTED],
  ['TerminatingOnInterruption', INTERRUPTED],
  ['DisruptionTerminating', 'it was disrupted'],
]);

/** Also of instances that the controller itself terminates. */
const OF_INSTANCES: ReadonlySet<string> = new Set(['InstanceStopping', 'InstanceTerminating']);
