/** Reads NodeClaims with their journey and events. The evidence of layers 2 to 5 starts here. */
import { ChandlerAnnotation, KarpenterLabel } from '../../api/index.ts';
import type { JourneyEvidence, NodeClaimEvidence } from '../../causes/index.ts';
import { decodeJourney } from '../../journey/index.ts';

import { readCloudErrors } from './cloud-errors.ts';
import { type ReadEvent, readEvents } from './events.ts';
import type { GatherContext } from './gather-context.ts';
import { type ClaimShape, conditionsOf, timeMs } from './shapes.ts';

/** The claim, its journey, its events, and errors of the cloud. */
export async function readClaim(context: GatherContext, claim: ClaimShape): Promise<readonly ReadEvent[]> {
  const { recorder } = context;
  const { name, uid } = claim.metadata;
  recorder.add(claimEvidence(context, claim));
  const journey = journeyEvidence(context, claim);
  if (journey !== undefined) recorder.add(journey);
  const events = await readEvents(context, { kind: 'NodeClaim', name, uid });
  readCloudErrors(context, { claim, journey, events });
  return events;
}

export function claimEvidence({ recorder }: GatherContext, claim: ClaimShape): NodeClaimEvidence {
  const { metadata, spec, status } = claim;
  const { name, labels = {}, annotations = {} } = metadata;
  return {
    kind: 'nodeClaim',
    reading: recorder.reading(`NodeClaim ${name}`),
    name,
    nodePool: labels[KarpenterLabel.nodePool] ?? '',
    nodeClass: spec.nodeClassRef.name,
    createdAtMs: timeMs(metadata.creationTimestamp) ?? recorder.atMs,
    deletingSinceMs: timeMs(metadata.deletionTimestamp),
    providerId: status?.providerID || undefined,
    nodeName: status?.nodeName || undefined,
    imageId: status?.imageID || undefined,
    conditions: conditionsOf(claim),
    taints: [...(spec.taints ?? []), ...(spec.startupTaints ?? [])],
    startupTaints: spec.startupTaints ?? [],
    terminationGracePeriod: spec.terminationGracePeriod,
    recordedDiskEncryptionSet: annotations[ChandlerAnnotation.diskEncryptionSet],
  };
}

/** Undefined for claims of a controller that keeps none. */
export function journeyEvidence({ recorder }: GatherContext, claim: ClaimShape): JourneyEvidence | undefined {
  const { name, annotations = {} } = claim.metadata;
  const stages = decodeJourney(annotations[ChandlerAnnotation.journey]);
  if (stages.length === 0) return undefined;
  // A kept record may hold anything.
  const log: unknown = annotations[ChandlerAnnotation.bootstrapLog];
  return {
    kind: 'journey',
    reading: recorder.reading(`launch record of NodeClaim ${name}`),
    claim: name,
    stages,
    bootstrapLog: typeof log === 'string' ? log : undefined,
  };
}
