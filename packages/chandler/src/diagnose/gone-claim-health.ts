/** What the events of a NodeClaim that no longer exists say about its end. Failures of before are causes, elsewhere. */
import type { EventFact, EvidenceSet } from '../causes/index.ts';

import { durationText } from './duration-text.ts';
import type { HealthState } from './well-if-read.ts';

export function goneClaimHealth(name: string, evidence: EvidenceSet): HealthState {
  const gone = 'The NodeClaim no longer exists';
  const events = evidence.events(`NodeClaim/${name}`).filter(({ object }) => object === `NodeClaim/${name}`);
  const ago = ({ lastMs }: EventFact) => `${durationText(evidence.ageMs(lastMs))} ago`;
  for (const [reasons, what] of ENDS) {
    const event = events.findLast(({ reason }) => reasons.includes(reason));
    if (event === undefined) continue;
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

/** Events of NodeClaims after which the controller deletes them, and what happened then. */
const ENDS: readonly (readonly [reasons: readonly string[], what: string])[] = [
  [
    [
      'SpotInterrupted',
      'CapacityReservationInstanceInterrupted',
      'InstanceStopping',
      'InstanceTerminating',
      'TerminatingOnInterruption',
    ],
    'it was interrupted',
  ],
  [['DisruptionTerminating'], 'it was disrupted'],
];
