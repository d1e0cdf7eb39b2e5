/**
 * What Azure refuses about a disk encryption set on the OS disk of a node, known before the call is made. Today that
 * is one thing: a set made for confidential VMs. Such a set belongs into the security profile of a confidential VM;
 * on the OS disk of any other VM, ephemeral or managed, ARM answers with an error. The two other kinds of set work on
 * both kinds of disk. Anything Azure refuses beyond this is recognised from its answer (`evidence/arm-error.ts`).
 */

/** `encryptionType` of a disk encryption set, as ARM writes it. */
export const EncryptionType = {
  customerKey: 'EncryptionAtRestWithCustomerKey',
  platformAndCustomerKeys: 'EncryptionAtRestWithPlatformAndCustomerKeys',
  confidentialVm: 'ConfidentialVmEncryptedWithCustomerKey',
} as const;

/** Why no OS disk can have a set of this type, as a sentence; undefined when it can, or when the type is not known. */
export function osDiskRefusal(encryptionType: string | undefined): string | undefined {
  if (encryptionType !== EncryptionType.confidentialVm) return undefined;
  return (
    `the disk encryption set has the type ${encryptionType}, which Azure does not accept for the OS disk (ephemeral or ` +
    `managed) of a VM that is not confidential; use ${EncryptionType.customerKey} or ` +
    `${EncryptionType.platformAndCustomerKeys}`
  );
}
