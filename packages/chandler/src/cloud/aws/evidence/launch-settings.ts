/**
 * What a NodeClaim was launched with, from its EC2NodeClass: role, AMI family, metadata options. Only while the class is still
 * what it was at the launch, by its hash: a class that changed later says nothing about the instance.
 */
import type { KubeObject } from '@chandler/kube';
import { AwsAnnotation, type EC2NodeClass } from '../../../api/index.ts';
import type { EvidenceContext, NodeClassEvidence } from '../../../causes/index.ts';
import type { ClaimReading } from '../../index.ts';

import { amiFamilyOf } from '../instance-types/index.ts';

/** An EC2NodeClass has no disk encryption set; findings of launches are in the errors of NodeClaims. */
export function nodeClassFacts(): Pick<NodeClassEvidence, 'diskEncryptionSet' | 'findings'> {
  return { diskEncryptionSet: undefined, findings: [] };
}

export function readLaunchSettings({ recorder }: EvidenceContext, { claim, nodeClass }: ClaimReading): void {
  if (nodeClass === undefined || !isSameClass(claim, nodeClass)) return;
  const { spec } = nodeClass as unknown as EC2NodeClass;
  const { name } = claim.metadata;
  const facts: Record<string, string | undefined> = {
    amiFamily: amiFamilyOf(spec),
    // Without its path, as IAM and aws-auth name it.
    role: spec.role?.split('/').at(-1),
    instanceProfile: spec.instanceProfile,
    httpEndpoint: spec.metadataOptions?.httpEndpoint,
    httpHopLimit: spec.metadataOptions?.httpPutResponseHopLimit?.toString(),
    publicIp: spec.associatePublicIPAddress?.toString(),
  };
  recorder.add({
    kind: 'cloudResource',
    reading: recorder.reading(`EC2NodeClass ${nodeClass.metadata.name} for NodeClaim ${name}`),
    type: 'launchSettings',
    name: nodeClass.metadata.name ?? '',
    claim: name,
    found: true,
    facts: known(facts),
  });
}

/** Without what is not known. */
export function known(facts: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(facts).filter((fact): fact is [string, string] => fact[1] !== undefined),
  );
}

// ---------------------------------------------------------------------------------------------------------------

function isSameClass(claim: KubeObject, nodeClass: KubeObject): boolean {
  const hashOf = ({ metadata }: KubeObject) => metadata.annotations?.[AwsAnnotation.nodeClassHash];
  return hashOf(claim) === hashOf(nodeClass);
}
