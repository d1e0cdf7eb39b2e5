/**
 * What the node class could not verify about its disk encryption set. It stops no launch, so it is no verdict; where
 * launches fail, it is worth a check. That the key or the vault may not be read is usual and not reported.
 */
import {
  type Cause,
  conditionOf,
  type EvidenceSet,
  isPastLaunch,
  type Match,
  seen,
} from '../../../causes/index.ts';
import { isAskedAbout } from './disk-encryption-facts.ts';

const SHOW_CLASS = 'kubectl describe aksnodeclass {nodeClass}';

export const DISK_ENCRYPTION_DOUBTS: readonly Cause[] = [
  {
    id: 'disk-encryption.subscription-unreachable',
    layer: 'configuration',
    specificity: 'exact',
    point: 'L1.3',
    title: 'The subscription of the disk encryption set cannot be reached',
    symptom: 'The NodeClass is not Ready (DiskEncryptionSetSubscriptionUnreachable).',
    summary: 'NodeClass {nodeClass}: {problem}',
    fix: "Correct the subscription in the ID. The controller's identity must be in the tenant of the subscription.",
    confirm: ['az account show -s {subscription}', SHOW_CLASS],
    evenIfWell: isAskedAbout,
    recognise: (evidence) => {
      const reason = 'DiskEncryptionSetSubscriptionUnreachable';
      for (const nodeClass of evidence.all('nodeClass')) {
        const condition = nodeClass.conditions.find(
          (each) => each.status === 'False' && each.reason === reason,
        );
        if (condition === undefined) continue;
        const subscription = nodeClass.diskEncryptionSet?.id.split('/')[2] ?? '';
        return {
          ...(isPastLaunch(evidence) && !isAskedAbout(evidence) ? { weight: 'suspicious' } : {}),
          facts: { nodeClass: nodeClass.name, subscription, problem: condition.message ?? reason },
          seen: [seen(nodeClass, `${condition.type} is False, ${reason}: ${condition.message ?? ''}`)],
        };
      }
      return undefined;
    },
  },
  doubt(
    'not-ready',
    'DiskEncryptionSetNotReady',
    'The disk encryption set is being created or updated',
    'Wait until the provisioning of the disk encryption set completes. If it does not complete, check the set in Azure.',
  ),
  doubt(
    'unreadable',
    'DiskEncryptionSetUnreadable',
    'The disk encryption set could not be read',
    'Check the network from the controller to Azure. Launches continue meanwhile.',
  ),
  doubt(
    'rotation-failing',
    'KeyRotationFailing',
    'The rotation of the key fails',
    'Check autoKeyRotationError of the disk encryption set, and fix the error. Until then, disks use the old key version, which may expire.',
  ),
  doubt(
    'cluster-hidden',
    'ManagedClusterUnreadable',
    'The managed cluster cannot be read',
    "Set ARM_RESOURCE_GROUP and grant the controller's identity the permission Microsoft.ContainerService/managedClusters/read, or set the disk encryption set explicitly.",
    'configuration',
  ),
];

// ---------------------------------------------------------------------------------------------------

function doubt(
  name: string,
  reason: string,
  title: string,
  fix: string,
  layer: Cause['layer'] = 'cloudApi',
): Cause {
  return {
    id: `disk-encryption.${name}`,
    layer,
    specificity: 'particular',
    title,
    symptom: `The condition DiskEncryptionVerified of the NodeClass is Unknown (${reason}).`,
    summary: 'NodeClass {nodeClass}: {problem}',
    fix,
    confirm: [SHOW_CLASS],
    recognise: (evidence) => unknownFor(evidence, reason),
  };
}

function unknownFor(evidence: EvidenceSet, reason: string): Match | undefined {
  for (const nodeClass of evidence.all('nodeClass')) {
    const condition = conditionOf(nodeClass, 'DiskEncryptionVerified');
    if (condition?.status !== 'Unknown' || condition.reason !== reason) continue;
    return {
      weight: 'suspicious',
      facts: { nodeClass: nodeClass.name, problem: condition.message ?? reason },
      seen: [seen(nodeClass, `DiskEncryptionVerified is Unknown, ${reason}: ${condition.message ?? ''}`)],
    };
  }
  return undefined;
}
