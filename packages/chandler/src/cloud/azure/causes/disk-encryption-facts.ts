/** What is known about the disk encryption set that nodes should have; shared by the rows of layers 1, 2, 3 and 5. */
import type { EvidenceSet, NodeClaimEvidence } from '../../../causes/index.ts';

export const DES_OPTION = 'nodeOsdiskDiskencryptionsetId';
export const DES_VARIABLE = 'NODE_OSDISK_DISKENCRYPTIONSET_ID';

/** The question is whether disks are encrypted with the key of the customer. */
export function isAskedAbout(evidence: EvidenceSet): boolean {
  return evidence.all('question').some((question) => question.expectsCustomerKey);
}

/** A set is expected: by the question, or because existing nodes have one. */
export function expectsSet(evidence: EvidenceSet): boolean {
  return isAskedAbout(evidence) || evidence.all('nodeClaim').some(recordsSet);
}

/** The VM of the claim was created with a set. */
export function recordsSet({ recordedDiskEncryptionSet: set }: NodeClaimEvidence): boolean {
  return set !== undefined && set !== '' && set !== 'none';
}

/** Set by an option; empty: known not to be; undefined: the options could not be read, or its value cannot be seen. */
export function setOfOptions(evidence: EvidenceSet): string | undefined {
  return evidence.first('options')?.values[DES_OPTION]?.value;
}

/** What new nodes would use now, by whatever source; empty: the platform-managed key; undefined: not known. */
export function setInUse(evidence: EvidenceSet): string | undefined {
  const ofClass = evidence.all('nodeClass').find(({ diskEncryptionSet }) => diskEncryptionSet !== undefined);
  if (ofClass !== undefined) return ofClass.diskEncryptionSet!.id;
  const ofOptions = setOfOptions(evidence);
  if (ofOptions !== undefined && ofOptions !== '') return ofOptions;
  // From a Secret: the classes of Karpenter do not say what the option names.
  if (ofOptions === undefined && evidence.first('options') !== undefined) return undefined;
  // A class that was read and has none covers all sources: they are resolved there.
  return evidence.all('nodeClass').some(({ found }) => found) || ofOptions !== undefined ? '' : undefined;
}

export function sameSet(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
