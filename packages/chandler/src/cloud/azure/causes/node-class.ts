/** Layer 1, the AKSNodeClass: reasons of its conditions, and what to do about each. Disk encryption has rows of its own. */
import { type Cause, nodeClassRow } from '../../../causes/index.ts';

export const NODE_CLASS: readonly Cause[] = [
  nodeClassRow(
    'images-not-found',
    ['ImagesNotFound'],
    'No node image fits the NodeClass',
    'Correct imageFamily, or look at whether the gallery is reachable and has images for this Kubernetes version.',
  ),
  nodeClassRow(
    'fips-needs-gallery',
    ['SIGRequiredForFIPS'],
    'FIPS images need a shared gallery',
    'Set USE_SIG, or give up fipsMode.',
  ),
  nodeClassRow(
    'kubernetes-upgrade',
    ['KubernetesUpgrade'],
    'Node images are being looked for after an upgrade',
    'Wait a moment; if it stays, look at whether images for the new version exist.',
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
    'The subnet id is malformed or of another network',
    "Use a subnet of the cluster's own virtual network, written as Azure prints it.",
  ),
  nodeClassRow(
    'subnet-unreadable',
    ['SubnetUnknownError'],
    'The subnet could not be looked at',
    "Give the controller's identity Microsoft.Network/virtualNetworks/subnets/read, and look at its log.",
  ),
  nodeClassRow(
    'local-dns',
    ['CheckingClusterRequirementsFailed'],
    'It cannot be decided whether nodes run a local DNS',
    'Look at the message, or set spec.localDNS.mode to Disabled.',
  ),
  nodeClassRow(
    'unsupported-fields',
    ['UnsupportedFields'],
    'The NodeClass asks for what cannot be done in this mode',
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
