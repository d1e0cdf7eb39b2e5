/** Layer 4, disk encryption: Azure refuses a VM because of its disk encryption set, the key or the vault. */
import {
  type Cause,
  conditionOf,
  type EvidenceSet,
  isPastLaunch,
  isSilent,
  type Match,
  type NodeClassEvidence,
  problemOf,
  refusedLaunch,
  seen,
  slowLaunch,
} from '../../../causes/index.ts';

const SHOW_CLAIM = 'kubectl describe nodeclaim {claim}';
const SHOW_SET = 'az disk-encryption-set show --ids {set}';
const SHOW_VAULT = 'az keyvault show -n {vault}';

export const DISK_ENCRYPTION_REFUSED: readonly Cause[] = [
  {
    id: 'L4.1',
    layer: 'cloudApi',
    specificity: 'exact',
    title: 'Azure does not find the disk encryption set',
    symptom:
      'VM creation fails with NotFound. The NodeClaim, or the NodeClass after it, has the reason DiskEncryptionSetNotFound.',
    summary: 'Azure rejected the VM because it did not find the disk encryption set: {problem}',
    fix: 'Check whether the set was deleted, or is in another subscription, tenant or region. Correct the ID, or create the set.',
    confirm: [SHOW_SET, SHOW_CLAIM],
    recognise: (evidence) =>
      refusedFor(
        evidence,
        ['DiskEncryptionSetNotFound', 'DiskEncryptionSetSubscriptionUnreachable'],
        ({ findings }) => findings.some(({ witness }) => witness === 'launch'),
      ),
  },
  {
    id: 'L4.2',
    layer: 'cloudApi',
    specificity: 'exact',
    title: "The controller's identity lacks permission for the disk encryption set",
    symptom:
      'Azure answers with Forbidden (LinkedAuthorizationFailed). The NodeClass has the reason DiskEncryptionSetRBACMissing.',
    summary:
      "The controller's identity lacks permission to read the disk encryption set. Azure requires this permission to create a VM that uses the set: {problem}",
    fix: "Grant the controller's identity the role Reader on the disk encryption set: az role assignment create --assignee {identity} --role Reader --scope {set}",
    confirm: ['az role assignment list --scope {set} --include-inherited -o table'],
    recognise: (evidence) => refusedFor(evidence, ['DiskEncryptionSetRBACMissing']),
  },
  {
    id: 'L4.3',
    layer: 'cloudApi',
    specificity: 'exact',
    title: 'The disk encryption set lacks permission to use its key',
    symptom:
      'VM creation fails with KeyVaultAccessForbidden. The NodeClass has the reason KeyVaultAccessMissing.',
    summary:
      'The identity of the disk encryption set (not that of the controller) lacks permissions on the key vault: {problem}',
    fix: 'Grant the identity of the disk encryption set the role Key Vault Crypto Service Encryption User on the vault, or grant it get, wrapKey and unwrapKey in an access policy of the vault.',
    confirm: [
      `${SHOW_SET} --query identity.principalId`,
      'az role assignment list --assignee {setIdentity} --all -o table',
      `${SHOW_VAULT} --query properties.accessPolicies`,
    ],
    breaksNodes: mayHaveLostDisk,
    failsContainers: true,
    recognise: (evidence) => refusedFor(evidence, ['KeyVaultAccessMissing']),
  },
  {
    id: 'L4.4',
    layer: 'cloudApi',
    specificity: 'exact',
    title: 'The key is disabled, deleted, expired or not yet valid',
    symptom: 'VM creation fails because the key vault cannot unwrap the data encryption key with this key.',
    summary: 'The key of the disk encryption set cannot be used: {problem}',
    fix: 'Enable or recover the key, change its dates, or set a valid key version on the disk encryption set.',
    confirm: [
      `${SHOW_SET} --query activeKey.keyUrl`,
      'az keyvault key list-versions --vault-name {vault} --name {key} -o table',
    ],
    breaksNodes: mayHaveLostDisk,
    failsContainers: true,
    recognise: (evidence) =>
      refusedFor(evidence, ['KeyDisabled', 'KeyDeleted', 'KeyExpired', 'KeyNotYetValid']),
  },
  {
    id: 'L4.5',
    layer: 'cloudApi',
    specificity: 'exact',
    title: 'The key vault cannot be reached',
    symptom:
      'VM creation fails or does not complete. The vault does not exist, or its firewall blocks Azure.',
    summary: 'Azure cannot reach the key vault of the disk encryption set: {problem}',
    fix: 'Recover the vault. If it has a firewall, allow trusted services (bypass AzureServices).',
    confirm: [`${SHOW_VAULT} --query properties.networkAcls`],
    explains: ['cloud.launch-hangs'],
    breaksNodes: mayHaveLostDisk,
    failsContainers: true,
    recognise: (evidence) => refusedFor(evidence, ['KeyVaultUnreachable']) ?? hangsWithSet(evidence),
  },
  ...[
    otherRefusal(
      'wrong-subscription',
      'DiskEncryptionSetWrongSubscription',
      'The disk encryption set is in another subscription',
      'Use a disk encryption set in the subscription of the nodes; its key vault may be in another one.',
    ),
    otherRefusal(
      'wrong-region',
      'DiskEncryptionSetWrongRegion',
      'The disk encryption set is in another region',
      'Use a disk encryption set in the region of the nodes.',
    ),
    otherRefusal(
      'set-failed',
      'DiskEncryptionSetFailed',
      'The disk encryption set is in a failed state',
      'Update it (az disk-encryption-set update), or create a new one.',
    ),
    otherRefusal(
      'type-unsupported',
      'DiskEncryptionSetTypeUnsupported',
      'The disk encryption set is for confidential VMs',
      'Use a set of type EncryptionAtRestWithCustomerKey or EncryptionAtRestWithPlatformAndCustomerKeys.',
    ),
  ],
];

// ---------------------------------------------------------------------------------------------------

/** By an answer to a request for a VM, or by what a node class found out beforehand. */
function refusedFor(
  evidence: EvidenceSet,
  reasons: readonly string[],
  accept: (nodeClass: NodeClassEvidence) => boolean = () => true,
): Match | undefined {
  const fits = (reason: string) => reasons.includes(reason);
  return refusedLaunch(evidence, fits, setFact(evidence)) ?? foundBeforehand(evidence, fits, accept);
}

function foundBeforehand(
  evidence: EvidenceSet,
  fits: (reason: string) => boolean,
  accept: (nodeClass: NodeClassEvidence) => boolean,
): Match | undefined {
  for (const nodeClass of evidence.all('nodeClass')) {
    const condition = nodeClass.conditions.find(
      ({ status, reason }) => status === 'False' && fits(reason ?? ''),
    );
    if (condition === undefined || !accept(nodeClass)) continue;
    const blocks =
      conditionOf(nodeClass, 'ValidationSucceeded')?.status === 'False' &&
      (!isPastLaunch(evidence) || mayHaveLostDisk(evidence));
    const problem = problemOf(condition);
    return {
      // Where no launch is stopped by it, it may be long out of date, as a failed rotation.
      weight: blocks ? 'broken' : 'suspicious',
      facts: { nodeClass: nodeClass.name, reason: condition.reason ?? '', problem, ...setFact(evidence) },
      seen: [seen(nodeClass, `${condition.type} is False, ${condition.reason}: ${condition.message ?? ''}`)],
    };
  }
  return undefined;
}

/** A running VM loses its disk when the key is revoked: then its kubelet is silent. */
function mayHaveLostDisk(evidence: EvidenceSet): boolean {
  return evidence.all('node').some(isSilent);
}

function setFact(evidence: EvidenceSet): Record<string, string> {
  const set = evidence.all('nodeClass').find(({ diskEncryptionSet }) => diskEncryptionSet !== undefined);
  return set === undefined ? {} : { set: set.diskEncryptionSet!.id };
}

function otherRefusal(name: string, reason: string, title: string, fix: string): Cause {
  return {
    id: `disk-encryption.${name}`,
    layer: 'cloudApi',
    specificity: 'exact',
    title,
    symptom: `The NodeClass or the NodeClaim has the reason ${reason}.`,
    summary: `${title}: {problem}`,
    fix,
    confirm: [SHOW_SET],
    recognise: (evidence) => refusedFor(evidence, [reason]),
  };
}

/** Encryption is set up while the VM is created: with a vault that does not answer, creation does not end. */
function hangsWithSet(evidence: EvidenceSet): Match | undefined {
  const match = slowLaunch(evidence);
  const set = setFact(evidence)['set'];
  if (match === undefined || set === undefined || match.facts['stage'] !== 'vmOperation') return undefined;
  const problem = `the creation of the VM has been running for ${match.facts['minutes']} minutes, with the set ${set}`;
  return { ...match, weight: 'suspicious', facts: { ...match.facts, set, problem } };
}
