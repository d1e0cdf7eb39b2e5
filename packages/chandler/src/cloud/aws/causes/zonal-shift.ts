/** Layer 4 on AWS: zones in which nothing is launched, because ARC has shifted the cluster away from them. */
import type { Cause, EvidenceSet, Match } from '../../../causes/index.ts';
import { ZONAL_SHIFT_EVENTS } from '../zonal-shift/events.ts';

export const ZONAL_SHIFT: readonly Cause[] = [
  {
    id: 'aws-zone.shifted',
    layer: 'cloudApi',
    specificity: 'particular',
    title: 'The cluster is shifted away from a zone',
    symptom: `A NodePool has the event ${ZONAL_SHIFT_EVENTS.active}.`,
    summary: '{problem}',
    fix: 'Pods that need the zone (a volume, a nodeSelector, a spread with DoNotSchedule) wait until the shift ends. Let them run elsewhere, or end the shift if the zone is healthy: aws arc-zonal-shift cancel-zonal-shift --region {region} --zonal-shift-id <id>, of a practice run cancel-practice-run; an autoshift is ended by AWS, or by disabling zonal autoshift for the cluster (update-zonal-autoshift-configuration). Instances of deleted nodes in the zone are terminated after it.',
    confirm: [
      'kubectl describe nodepool {nodePool}',
      'aws arc-zonal-shift list-zonal-shifts --region {region} --status ACTIVE',
      'aws arc-zonal-shift list-autoshifts --region {region} --status ACTIVE',
    ],
    recognise: shifted,
  },
  {
    id: 'aws-zone.shifts-unknown',
    layer: 'cloudApi',
    specificity: 'particular',
    title: 'The controller cannot read zonal shifts',
    symptom: `The EC2NodeClass has the event ${ZONAL_SHIFT_EVENTS.unknown}.`,
    summary: '{problem}',
    fix: 'Let the controller reach arc-zonal-shift.{region}.amazonaws.com (routes, proxy, a VPC endpoint and its policy) with arc-zonal-shift:GetManagedResource. Until then it knows no new shift: if a zone is impaired now, exclude it in the requirements of the NodePools.',
    confirm: [
      'kubectl describe ec2nodeclass {nodeClass}',
      'aws arc-zonal-shift list-zonal-shifts --region {region} --status ACTIVE',
    ],
    evenIfWell: true,
    explainedBy: ['aws-call.denied'],
    recognise: unknown,
  },
];

// ---------------------------------------------------------------------------------------------------------------

const LATE_MS = 5 * 60_000;

/** The newest event of a zone counts. */
function shifted(evidence: EvidenceSet): Match | undefined {
  const { active, cleared, repeatMs } = ZONAL_SHIFT_EVENTS;
  const newest = new Map(
    evidence
      .events('NodePool/', active, cleared)
      .map((event) => [`${event.object} ${zoneIn(event.message)}`, event]),
  );
  const event = [...newest.values()].findLast(
    ({ reason, lastMs }) => reason === active && evidence.ageMs(lastMs) <= repeatMs + LATE_MS,
  );
  if (event === undefined) return undefined;
  return {
    weight: 'suspicious',
    facts: { problem: event.message, nodePool: event.object.split('/').at(-1) ?? '' },
    seen: [{ where: event.object, what: `${event.reason}: ${event.message}`, atMs: event.lastMs }],
  };
}

function unknown(evidence: EvidenceSet): Match | undefined {
  const { unknown: reason, repeatMs } = ZONAL_SHIFT_EVENTS;
  const event = evidence
    .events('EC2NodeClass/', reason)
    .findLast(({ lastMs }) => evidence.ageMs(lastMs) <= repeatMs + LATE_MS);
  if (event === undefined) return undefined;
  return {
    weight: 'suspicious',
    facts: { problem: event.message, nodeClass: event.object.split('/').at(-1) ?? '' },
    seen: [{ where: event.object, what: `${event.reason}: ${event.message}`, atMs: event.lastMs }],
  };
}

/** `use1-az1`, in our words or in those of Karpenter. */
function zoneIn(message: string): string {
  return /\(([\w-]+)\)/.exec(message)?.[1] ?? '';
}
