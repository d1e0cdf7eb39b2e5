/** Follows claims from the cluster into the cloud: their instances, the paths of their values, their node classes. */
import { isFound, isTrue, type NodeClaimEvidence, type ReadObject } from '../../../causes/index.ts';
import type { ControllerDeployment } from '../../../cloud/index.ts';

import { claimEvidence, journeyEvidence, readClaim } from '../claims.ts';
import type { GatherContext } from '../gather-context.ts';
import { type ClassRef, classResource, readNodeClass } from '../pools.ts';
import { type ClaimShape, conditionsOf, type NodeShape } from '../shapes.ts';

/** The maximum number of claims of which instances are read from the cloud; more would take too long. */
const MAX_INSTANCES = 3;

/**
 * Claims with their instances and the paths of their values; until one has joined, its credentials and the cluster. The
 * log of an instance is also read where the node is given and is not Ready.
 */
export async function followClaims(
  context: GatherContext,
  controller: ControllerDeployment | undefined,
  claims: readonly ClaimShape[],
  node?: NodeShape,
): Promise<void> {
  const { evidence } = context.cloud;
  for (const [index, claim] of claims.entries()) {
    await readClaim(context, claim);
    const vm =
      index < MAX_INSTANCES
        ? await evidence.readInstance(context, claimEvidence(context, claim), controller, {
            isUnready: node !== undefined && !isTrue({ conditions: conditionsOf(node) }, 'Ready'),
          })
        : undefined;
    const nodeClass = await readClassObject(context, claim.spec.nodeClassRef);
    const journey = journeyEvidence(context, claim);
    evidence.readValues(context, { claim, journey, nodeClass, controller, vm });
  }
  const read = claims.map((claim) => claimEvidence(context, claim));
  const joining = read.some(isJoining);
  if (joining) await evidence.readJoinCredentials(context, controller);
  if (context.expectsCustomerKey || joining) await evidence.readCluster(context, read, controller);
}

/**
 * The class of a claim as evidence: whole while there is no VM, since then it blocks the launch; afterwards only its
 * encryption, and that only where a key is in question. What broke in a class later explains nothing about the VM.
 */
export async function followClass(context: GatherContext, claim: ClaimShape): Promise<void> {
  const evidence = claimEvidence(context, claim);
  const set = evidence.recordedDiskEncryptionSet ?? 'none';
  if (!isTrue(evidence, 'Launched')) await readNodeClass(context, claim.spec.nodeClassRef);
  else if (context.expectsCustomerKey || set !== 'none')
    await readNodeClass(context, claim.spec.nodeClassRef, 'encryption');
}

export function isJoining(claim: NodeClaimEvidence): boolean {
  return claim.deletingSinceMs === undefined && isTrue(claim, 'Launched') && !isTrue(claim, 'Registered');
}

/** Read without being evidence: a class that broke after the instance was created explains nothing about it. */
async function readClassObject(context: GatherContext, reference: ClassRef): Promise<ReadObject | undefined> {
  const resource = classResource(context, reference);
  if (resource === undefined) return undefined;
  const looked = await context.reader.get(resource, { name: reference.name });
  return isFound(looked) ? looked.found : undefined;
}
