/**
 * The name of a VM: VM, NIC and OS disk share one name, derived only from the name of the NodeClaim, so that a new
 * process finds what a previous one created.
 */
import { createHash } from 'node:crypto';
import { parseResourceId, resourceName } from '../../../arm/index.ts';

/** A computer name may be one character longer, but the kubelet uses it as a label value. */
export const MAX_NAME_LENGTH = 63;

const PREFIX = 'aks-';
const HASH_LENGTH = 8;

/**
 * `aks-{claim}`. One that is longer keeps its beginning and the claim's own suffix, with a hash between them; so does one
 * with a dot, at which cloud-init would cut the host name.
 */
export function vmNameOf(claimName: string): string {
  const plain = plainNameOf(claimName);
  if (plain.length <= MAX_NAME_LENGTH && !claimName.includes('.')) return plain;
  const dashed = claimName.replaceAll('.', '-');
  const suffix = /-[^-]{1,10}$/.exec(dashed)?.[0] ?? '';
  const digest = createHash('sha256').update(claimName).digest('hex').slice(0, HASH_LENGTH);
  const room = MAX_NAME_LENGTH - PREFIX.length - HASH_LENGTH - 1 - suffix.length;
  const begin = dashed.slice(0, Math.min(room, dashed.length - suffix.length)).replace(/-+$/, '');
  return `${PREFIX}${begin}-${digest}${suffix}`;
}

/** As upstream names it, whatever the length. */
export function plainNameOf(claimName: string): string {
  return `${PREFIX}${claimName}`;
}

/** `azure://` and the VM's id; the resource group is in lower case, as the cloud provider of AKS writes it. */
export function providerIdOf(vmId: string): string {
  const lowered = vmId.replace(/(\/resourceGroups\/)([^/]+)/i, (_, head: string, group: string) => {
    return `${head}${group.toLowerCase()}`;
  });
  return `azure://${lowered}`;
}

export interface VmRef {
  readonly resourceGroup: string;
  readonly name: string;
}

/** Undefined for what is not a virtual machine of Azure, such as a node of a scale set. */
export function vmOfProviderId(providerId: string): VmRef | undefined {
  if (!providerId.startsWith('azure://')) return undefined;
  const parsed = parseResourceId(providerId.slice('azure://'.length), 'Microsoft.Compute/virtualMachines');
  if ('problem' in parsed) return undefined;
  return { resourceGroup: parsed.id.resourceGroup, name: resourceName(parsed.id) };
}
