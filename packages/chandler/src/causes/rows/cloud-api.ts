/**
 * Layer 4: the cloud said no. The rows about disk encryption go by the reasons that the provider gives its errors; of
 * all else only the kinds of errors are known here, which hold for every cloud. What a code of one cloud means stands
 * in that cloud's own table, whose rows are more exact and come first.
 */
import { type Cause, type Match, seen } from '../cause.ts';
import { conditionOf, type EvidenceSet } from '../evidence-set.ts';

const SHOW_CLAIM = 'kubectl describe nodeclaim {claim}';
const SHOW_SET = 'az disk-encryption-set show --ids {set}';
const SHOW_VAULT = 'az keyvault show -n {vault}';

export const DISK_ENCRYPTION_REFUSED: readonly Cause[] = [
  {
    id: 'L4.1',
    layer: 'cloudApi',
    specificity: 'exact',
    title: 'Azure does not find the disk encryption set',
    symptom: 'VM creation fails with NotFound; the claim has reason DiskEncryptionSetNotFound.',
    summary: 'Azure refused the VM because its disk encryption set cannot be found: {problem}',
    fix: 'Look at whether the set was deleted, is of another subscription or tenant, or of another region; correct the id or create it.',
    confirm: [SHOW_SET, SHOW_CLAIM],
    recognise: (evidence) =>
      refusedFor(
        evidence,
        ['DiskEncryptionSetNotFound', 'DiskEncryptionSetSubscriptionUnreachable'],
        'launch',
      ),
  },
  {
    id: 'L4.2',
    layer: 'cloudApi',
    specificity: 'exact',
    title: "The controller's identity may not use the disk encryption set",
    symptom:
      'Azure answers Forbidden (LinkedAuthorizationFailed); the NodeClass says DiskEncryptionSetRBACMissing.',
    summary:
      "The controller's identity has no right to read the disk encryption set, which Azure asks for when a VM uses it: {problem}",
    fix: 'Give it the role Reader on the set: az role assignment create --assignee {identity} --role Reader --scope {set}',
    confirm: ['az role assignment list --scope {set} --include-inherited -o table'],
    recognise: (evidence) => refusedFor(evidence, ['DiskEncryptionSetRBACMissing'], 'any'),
  },
  {
    id: 'L4.3',
    layer: 'cloudApi',
    specificity: 'exact',
    title: 'The disk encryption set may not use its key',
    symptom: 'VM creation fails with KeyVaultAccessForbidden; the NodeClass says KeyVaultAccessMissing.',
    summary:
      'The identity of the disk encryption set (not that of the controller) lacks rights on the vault: {problem}',
    fix: "Give the set's identity Key Vault Crypto Service Encryption User on the vault, or get, wrapKey and unwrapKey in an access policy.",
    confirm: [
      `${SHOW_SET} --query identity.principalId`,
      'az role assignment list --assignee {setIdentity} --all -o table',
      `${SHOW_VAULT} --query properties.accessPolicies`,
    ],
    recognise: (evidence) => refusedFor(evidence, ['KeyVaultAccessMissing'], 'any'),
  },
  {
    id: 'L4.4',
    layer: 'cloudApi',
    specificity: 'exact',
    title: 'The key is disabled, deleted or out of its time',
    symptom: 'VM creation fails because the vault does not unwrap with the key.',
    summary: 'The key of the disk encryption set cannot be used: {problem}',
    fix: 'Enable or recover the key, move its dates, or point the set to a version that is good.',
    confirm: [
      `${SHOW_SET} --query activeKey.keyUrl`,
      'az keyvault key list-versions --vault-name {vault} --name {key} -o table',
    ],
    recognise: (evidence) =>
      refusedFor(evidence, ['KeyDisabled', 'KeyDeleted', 'KeyExpired', 'KeyNotYetValid'], 'any'),
  },
  {
    id: 'L4.5',
    layer: 'cloudApi',
    specificity: 'exact',
    title: 'The key vault cannot be reached',
    symptom: 'VM creation fails or does not end; the vault is gone or its firewall keeps Azure out.',
    summary: 'Azure does not reach the vault of the disk encryption set: {problem}',
    fix: 'Recover the vault; where it has a firewall, let trusted services through (bypass AzureServices).',
    confirm: [`${SHOW_VAULT} --query properties.networkAcls`],
    recognise: (evidence) => refusedFor(evidence, ['KeyVaultUnreachable'], 'any') ?? hangsWithSet(evidence),
  },
  ...[
    otherRefusal(
      'wrong-region',
      'DiskEncryptionSetWrongRegion',
      'The disk encryption set is of another region',
      'Use a set of the region of the nodes.',
    ),
    otherRefusal(
      'set-failed',
      'DiskEncryptionSetFailed',
      'The disk encryption set is in a failed state',
      'Update it (az disk-encryption-set update), or make a new one.',
    ),
    otherRefusal(
      'type-unsupported',
      'DiskEncryptionSetTypeUnsupported',
      'The disk encryption set is for confidential VMs',
      'Use one of type EncryptionAtRestWithCustomerKey or EncryptionAtRestWithPlatformAndCustomerKeys.',
    ),
  ],
];

export const CLOUD_REFUSALS: readonly Cause[] = [
  kindRow(
    'no-capacity',
    'InsufficientCapacity',
    'Nothing that fits can be bought now',
    'Every size that the claim allows is sold out, blocked after a failure, or without quota',
    'Allow more sizes, zones or capacity types in the pool, or raise the quota.',
  ),
  kindRow(
    'unauthorized',
    'Unauthorized',
    'The cloud does not accept the identity of the controller',
    'The call was refused for lack of rights or of a valid token',
    'Give the identity the role that the message names; look at workload identity, client id and tenant.',
  ),
  kindRow(
    'throttled',
    'Throttled',
    'The cloud limits the calls of the controller',
    'Calls were held back; launches go on more slowly',
    'Look for what else calls the API in this subscription; lower the call rates of the controller.',
  ),
  kindRow(
    'unreachable',
    'Unreachable',
    'The cloud does not answer',
    'The API of the cloud gave no answer that makes sense',
    'Look at the way from the controller to it (egress, DNS, proxy, private endpoints), and at its status page.',
  ),
  kindRow(
    'name-taken',
    'NameTaken',
    'Another machine has the name',
    'A machine or network interface of this name belongs to another claim, or to nobody we know',
    'Delete what is left over, or wait until its deletion ends.',
  ),
  kindRow(
    'node-class-not-ready',
    'NodeClassNotReady',
    'The launch waited for the NodeClass',
    'The NodeClass was not ready when the machine should have been made',
    'Look at the conditions of the NodeClass.',
  ),
  {
    id: 'cloud.machine-gone',
    layer: 'cloudApi',
    specificity: 'exact',
    title: 'The machine is gone',
    symptom: 'The claim was launched, and the cloud knows no such machine.',
    summary:
      'The machine of {claim} was made and does not exist any more: deleted by hand, by a policy, or evicted as spot.',
    fix: 'Nothing: the claim is replaced. If it happens again, look at the activity log of the resource group.',
    confirm: ['az monitor activity-log list --resource-id {vmId} --offset 1d -o table'],
    recognise: machineGone,
  },
  {
    id: 'cloud.launch-failed',
    layer: 'cloudApi',
    specificity: 'general',
    title: 'The machine could not be made',
    symptom: 'The Launched condition of the claim stays Unknown with a reason.',
    summary: 'Launching {claim} failed with {reason}: {problem}',
    fix: 'Mend what the message says; the launch is tried again by itself.',
    confirm: [SHOW_CLAIM],
    recognise: (evidence) => refusedFor(evidence, undefined, 'launch'),
  },
  {
    id: 'cloud.launch-hangs',
    layer: 'cloudApi',
    specificity: 'general',
    title: 'The machine is being made for very long',
    symptom: 'The claim is not Launched, or its machine stays Creating, without an error.',
    summary: '{claim} waits for its machine since {minutes} minutes, at {stage}.',
    fix: 'Look at the operation in Azure; the claim is given up and replaced after its time limit.',
    confirm: [SHOW_CLAIM, 'az vm get-instance-view -g {resourceGroup} -n {vm} --query instanceView.statuses'],
    explainedBy: [
      'cloud.launch-failed',
      'L4.5',
      'cloud.throttled',
      'cloud.unreachable',
      'configuration.controller-down',
    ],
    recognise: hangs,
  },
];

// ---------------------------------------------------------------------------------------------------

/** The cloud did its part; what failed then is layer 5. */
const AFTER_CREATION: ReadonlySet<string> = new Set(['ExtensionFailed', 'OSProvisioningFailed']);

const LAUNCH_LIMIT_MS = 5 * 60_000;
const OPERATION_LIMIT_MS = 10 * 60_000;

/** `launch`: an answer to a request for a machine. `any`: also what the node class found out beforehand. */
function refusedFor(
  evidence: EvidenceSet,
  reasons: readonly string[] | undefined,
  by: 'launch' | 'any',
): Match | undefined {
  const fits = (reason: string) => reasons?.includes(reason) ?? !AFTER_CREATION.has(reason);
  const error = evidence.all('cloudError').find(({ reason }) => fits(reason));
  if (error !== undefined) {
    const { claim, reason, code, message } = error;
    const facts = {
      claim,
      reason,
      problem: message,
      ...(code === undefined ? {} : { code }),
      ...setFact(evidence),
    };
    return { facts, seen: [seen(error, `${reason}${code === undefined ? '' : ` (${code})`}: ${message}`)] };
  }
  for (const claim of evidence.liveClaims) {
    const launched = conditionOf(claim, 'Launched');
    const reason = launched?.reason ?? 'AwaitingReconciliation';
    if (
      launched === undefined ||
      launched.status === 'True' ||
      reason === 'AwaitingReconciliation' ||
      !fits(reason)
    )
      continue;
    const problem = launched.message ?? '';
    const facts = { claim: claim.name, reason, problem, ...setFact(evidence) };
    return { facts, seen: [seen(claim, `Launched is ${launched.status}, ${reason}: ${problem}`)] };
  }
  return by === 'any' ? foundBeforehand(evidence, fits) : undefined;
}

function foundBeforehand(evidence: EvidenceSet, fits: (reason: string) => boolean): Match | undefined {
  for (const nodeClass of evidence.all('nodeClass')) {
    const condition = nodeClass.conditions.find(
      ({ status, reason }) => status === 'False' && fits(reason ?? ''),
    );
    if (condition === undefined) continue;
    const blocks = conditionOf(nodeClass, 'ValidationSucceeded')?.status === 'False';
    const problem = (condition.message ?? '').split('; to mend it')[0]!;
    return {
      // Seen, and no launch is stopped by it: a failed rotation may be long out of date.
      weight: blocks ? 'broken' : 'suspicious',
      facts: { nodeClass: nodeClass.name, reason: condition.reason ?? '', problem, ...setFact(evidence) },
      seen: [seen(nodeClass, `${condition.type} is False, ${condition.reason}: ${condition.message ?? ''}`)],
    };
  }
  return undefined;
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
    symptom: `The NodeClass or the claim has the reason ${reason}.`,
    summary: `${title}: {problem}`,
    fix,
    confirm: [SHOW_SET],
    recognise: (evidence) => refusedFor(evidence, [reason], 'any'),
  };
}

function kindRow(name: string, kind: string, title: string, happened: string, fix: string): Cause {
  return {
    id: `cloud.${name}`,
    layer: 'cloudApi',
    specificity: 'particular',
    title,
    symptom: `The launch of a claim ended with an error of the kind ${kind}.`,
    summary: `${happened}: {problem}`,
    fix,
    confirm: [SHOW_CLAIM],
    recognise: (evidence) => {
      const error = evidence.all('cloudError').find(({ errorKind }) => errorKind === kind);
      if (error === undefined) return undefined;
      const { claim, reason, message } = error;
      return { facts: { claim, reason, problem: message }, seen: [seen(error, `${reason}: ${message}`)] };
    },
  };
}

/** Encryption is set up while the VM is made: with a vault that does not answer, that does not end. */
function hangsWithSet(evidence: EvidenceSet): Match | undefined {
  const match = hangs(evidence);
  const set = setFact(evidence)['set'];
  if (match === undefined || set === undefined || match.facts['stage'] !== 'vmOperation') return undefined;
  const problem = `the VM is being made for ${match.facts['minutes']} minutes, with the set ${set}`;
  return { ...match, weight: 'suspicious', facts: { ...match.facts, set, problem } };
}

function hangs(evidence: EvidenceSet): Match | undefined {
  for (const claim of evidence.liveClaims) {
    const launched = conditionOf(claim, 'Launched');
    const stage = evidence
      .all('journey')
      .find((journey) => journey.claim === claim.name)
      ?.stages.findLast(({ outcome }) => outcome === 'waiting');
    const creating = evidence
      .all('vm')
      .some((vm) => vm.claim === claim.name && vm.provisioningState === 'Creating');
    const sinceMs = stage?.atMs ?? claim.createdAtMs;
    const limitMs = stage?.name === 'vmOperation' || creating ? OPERATION_LIMIT_MS : LAUNCH_LIMIT_MS;
    const waits = launched?.status !== 'True' || creating;
    const registered = conditionOf(claim, 'Registered')?.status === 'True';
    if (!waits || registered || evidence.ageMs(sinceMs) <= limitMs) continue;
    const facts = {
      claim: claim.name,
      minutes: String(Math.floor(evidence.ageMs(sinceMs) / 60_000)),
      stage: stage?.name ?? 'the beginning',
    };
    return {
      facts,
      seen: [
        seen(claim, `Launched is ${launched?.status ?? 'absent'} since ${new Date(sinceMs).toISOString()}`),
      ],
    };
  }
  return undefined;
}

function machineGone(evidence: EvidenceSet): Match | undefined {
  for (const claim of evidence.liveClaims) {
    if (conditionOf(claim, 'Launched')?.status !== 'True') continue;
    const vm = evidence.all('vm').find((each) => each.claim === claim.name);
    if (vm === undefined || vm.found) continue;
    const facts = {
      claim: claim.name,
      vm: vm.name,
      vmId: (claim.providerId ?? '').replace(/^azure:\/\//, ''),
    };
    return { facts, seen: [seen(claim, 'Launched is True'), seen(vm, 'there is no such machine')] };
  }
  return undefined;
}
