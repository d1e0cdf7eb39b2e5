/**
 * What the node class found out, or could not find out, about its disk encryption set, beside the failure points. What it
 * could not find out stops no launch, so it is no verdict; where launches fail it is worth a look. That key or vault may
 * not be read is usual and not told.
 */
import { type Cause, conditionOf, type EvidenceSet, type Match, seen } from '../../../causes/index.ts';

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
    fix: "Correct the subscription in the id; the controller's identity must be of the tenant that has it.",
    confirm: ['az account show -s {subscription}', SHOW_CLASS],
    evenIfWell: true,
    recognise: (evidence) => {
      const reason = 'DiskEncryptionSetSubscriptionUnreachable';
      for (const nodeClass of evidence.all('nodeClass')) {
        const condition = nodeClass.conditions.find(
          (each) => each.status === 'False' && each.reason === reason,
        );
        if (condition === undefined) continue;
        const subscription = nodeClass.diskEncryptionSet?.id.split('/')[2] ?? '';
        return {
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
    'The disk encryption set is still being made or changed',
    'Wait until its provisioning has ended; if it stays so, look at it in Azure.',
  ),
  doubt(
    'unreadable',
    'DiskEncryptionSetUnreadable',
    'The disk encryption set could not be looked at',
    'Look at the way from the controller to Azure; launches go on meanwhile.',
  ),
  doubt(
    'rotation-failing',
    'KeyRotationFailing',
    'The rotation of the key fails',
    'Look at autoKeyRotationError of the set: the new version of the key is not used, and the old one may expire.',
  ),
  doubt(
    'cluster-hidden',
    'ManagedClusterUnreadable',
    'Whether the cluster has a disk encryption set cannot be seen',
    'Set ARM_RESOURCE_GROUP and give the identity Microsoft.ContainerService/managedClusters/read, or name the set yourself.',
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
    symptom: `The NodeClass has DiskEncryptionVerified Unknown (${reason}).`,
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
