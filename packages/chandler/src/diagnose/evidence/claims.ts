/** NodeClaims with their journey: what the controller wanted, did and heard. Layers 2 to 5 begin here. */
import { ChandlerAnnotation, KarpenterLabel } from '../../api/index.ts';
import type { JourneyEvidence, NodeClaimEvidence } from '../../causes/index.ts';
import { DISK_ENCRYPTION_SET_RULE } from '../../cloud/azure/index.ts';
import { decodeJourney } from '../../journey/index.ts';

import type { Ask } from './ask.ts';
import { readCloudErrors } from './cloud-errors.ts';
import { type ReadEvent, readEvents } from './events.ts';
import { type ClaimShape, conditionsOf, timeMs } from './shapes.ts';

/** The claim, its journey, its events, and what the cloud said to it. */
export async function readClaim(ask: Ask, claim: ClaimShape): Promise<readonly ReadEvent[]> {
  const { ledger } = ask;
  const { name = '', uid } = claim.metadata;
  ledger.add(claimEvidence(ask, claim));
  const journey = journeyEvidence(ask, claim);
  if (journey !== undefined) ledger.add(journey);
  const events = await readEvents(ask, { kind: 'NodeClaim', name, uid });
  readCloudErrors(ask, { claim, journey, events });
  return events;
}

export function claimEvidence({ ledger }: Ask, claim: ClaimShape): NodeClaimEvidence {
  const { metadata, spec, status } = claim;
  const { name = '', labels = {}, annotations = {} } = metadata;
  return {
    kind: 'nodeClaim',
    reading: ledger.reading(`NodeClaim ${name}`),
    name,
    nodePool: labels[KarpenterLabel.nodePool] ?? '',
    nodeClass: spec.nodeClassRef.name,
    createdAtMs: timeMs(metadata.creationTimestamp) ?? ledger.atMs,
    deletingSinceMs: timeMs(metadata.deletionTimestamp),
    providerId: status?.providerID || undefined,
    nodeName: status?.nodeName || undefined,
    imageId: status?.imageID || undefined,
    conditions: conditionsOf(claim),
    taints: [...(spec.taints ?? []), ...(spec.startupTaints ?? [])],
    recordedDiskEncryptionSet: annotations[DISK_ENCRYPTION_SET_RULE.annotation],
  };
}

/** Undefined for claims of a controller that keeps none. */
export function journeyEvidence({ ledger }: Ask, claim: ClaimShape): JourneyEvidence | undefined {
  const { name = '', annotations = {} } = claim.metadata;
  const stages = decodeJourney(annotations[ChandlerAnnotation.journey]);
  if (stages.length === 0) return undefined;
  return {
    kind: 'journey',
    reading: ledger.reading(`journey of NodeClaim ${name}`),
    claim: name,
    stages,
  };
}
