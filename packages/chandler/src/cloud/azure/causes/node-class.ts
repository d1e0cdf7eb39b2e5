/** Layer 1, the AKSNodeClass: reasons of its conditions, and what to do about each. Disk encryption has its own rows. */
import { type Cause, nodeClassRow } from '../../../causes/index.ts';

export const NODE_CLASS: readonly Cause[] = [
  nodeClassRow(
    'images-not-found',
    ['ImagesNotFound'],
    'No node image matches the NodeClass',
    'Correct imageFamily, or check that the gallery is reachable and has images for this Kubernetes version.',
  ),
  nodeClassRow(
    'fips-needs-gallery',
    ['SIGRequiredForFIPS'],
    'FIPS images need a shared gallery',
    'Set USE_SIG, or remove fipsMode.',
  ),
  nodeClassRow(
    'kubernetes-upgrade',
    ['KubernetesUpgrade'],
    'Node images are being selected after an upgrade',
    'Wait a moment. If it persists, check that images for the new version exist.',
  ),
  nodeClassRow(
    'subnet-not-found',
    ['SubnetNotFound'],
    'The subnet does not exist',
    'Correct spec.vnetSubnetID of the NodeClass or VNET_SUBNET_ID of the controller.',
  ),
  nodeClassRow(
    'subnet-invalid',
    ['SubnetIDInvalid'],
    'The subnet ID is malformed or belongs to another virtual network',
    "Use a subnet of the cluster's own virtual network, with its full resource ID.",
  ),
  nodeClassRow(
    'subnet-unreadable',
    ['SubnetUnknownError'],
    'The subnet could not be read',
    "Grant the permission Microsoft.Network/virtualNetworks/subnets/read to the controller's identity, and check the log of the controller.",
  ),
  nodeClassRow(
    'local-dns',
    ['CheckingClusterRequirementsFailed'],
    'The controller cannot decide whether nodes run a local DNS',
    'Fix the problem that the message of the condition names, or set spec.localDNS.mode to Disabled.',
  ),
  nodeClassRow(
    'unsupported-fields',
    ['UnsupportedFields'],
    'The NodeClass has fields that this provision mode does not support',
    'Remove the fields that the message names, or use another provision mode.',
  ),
];

/** Whether a reason of a condition has a row here, or among the rows about disk encryption. */
export function isExplainedReason(reason: string): boolean {
  return EXPLAINED.has(reason) || ABOUT_ENCRYPTION.test(reason);
}

/** Reasons that are about the disk encryption set, its key or its vault. */
export const ABOUT_ENCRYPTION = /^(?:DiskEncryptionSet|KeyVault|Key[A-Z])/;

// ---------------------------------------------------------------------------------------------------

const EXPLAINED: ReadonlySet<string> = new Set([
  'ImagesNotFound',
  'SIGRequiredForFIPS',
  'KubernetesUpgrade',
  'SubnetNotFound',
  'SubnetIDInvalid',
  'SubnetUnknownError',
  'CheckingClusterRequirementsFailed',
  'UnsupportedFields',
]);
