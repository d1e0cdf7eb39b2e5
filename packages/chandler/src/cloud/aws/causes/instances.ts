/**
 * Layers 4 and 5, the instance itself as EC2 shows it: why it was terminated, and which status checks fail. What its console
 * shows is in `bootstrap.ts`.
 */
import { type Cause, type EvidenceSet, type Match, seen, type VmEvidence } from '../../../causes/index.ts';

import { errorText, joiningClaims, SHOW_CLAIM, SHOW_INSTANCE } from './aws-row.ts';

interface Row {
  readonly name: string;
  /** Of the state reason. */
  readonly says: RegExp;
  readonly title: string;
  readonly fix: string;
  readonly confirm?: readonly string[];
}

const HISTORY =
  'aws cloudtrail lookup-events --region {region} --lookup-attributes AttributeKey=ResourceName,AttributeValue={instance} --max-results 10';

const ENDED: readonly Row[] = [
  {
    name: 'kms-key-state',
    says: /InvalidKMSKey|KMS key|KMSKeyNotAccessible/i,
    title: 'The KMS key of the volume is disabled, deleted or not accessible',
    fix: 'Enable the key or cancel its deletion, and check kmsKeyID in spec.blockDeviceMappings and the default EBS key of the account. Its policy must allow the role of the controller kms:CreateGrant, Decrypt, DescribeKey and GenerateDataKeyWithoutPlaintext through ec2.{region}.amazonaws.com.',
    confirm: [
      'kubectl get ec2nodeclass {nodeClass} -o jsonpath={.spec.blockDeviceMappings}',
      'aws ec2 get-ebs-default-kms-key-id --region {region}',
    ],
  },
  {
    name: 'launch-client-error',
    says: /Client\.InternalError|Client error on launch/i,
    title: 'The instance was terminated at its launch: usually its encrypted volume cannot be used',
    fix: 'Allow the role of the controller the use of the KMS key of the volume or of the AMI snapshot: kms:CreateGrant, Decrypt, DescribeKey and GenerateDataKeyWithoutPlaintext in the key policy, with kms:ViaService ec2.{region}.amazonaws.com. EBS encryption may be on by default for the region, with a key that nobody set in the EC2NodeClass.',
    confirm: [
      'aws ec2 get-ebs-encryption-by-default --region {region}',
      'aws ec2 get-ebs-default-kms-key-id --region {region}',
    ],
  },
  {
    name: 'volume-quota',
    says: /VolumeLimitExceeded/i,
    title: 'The instance was terminated: the quota of EBS storage is used up',
    fix: 'Request an increase of the storage quota of the volume type in Service Quotas, or delete unused volumes.',
    confirm: ['aws service-quotas list-service-quotas --region {region} --service-code ebs --output table'],
  },
  {
    name: 'snapshot-missing',
    says: /InvalidSnapshot/i,
    title: 'The instance was terminated: a snapshot of its volumes does not exist',
    fix: 'Check snapshotID in spec.blockDeviceMappings, and the snapshots of the AMI.',
  },
  {
    name: 'spot-interrupted',
    says: /SpotInstance(?:Termination|Shutdown)/i,
    title: 'AWS has taken the spot instance back',
    fix: 'No action needed: the NodeClaim is replaced. If it happens too often, allow more instance types and zones, or on-demand.',
  },
  {
    name: 'capacity-withdrawn',
    says: /(?:Server\.|: )(?:InsufficientInstanceCapacity|ScheduledStop)|Server\.InternalError/i,
    title: 'AWS has terminated the instance',
    fix: 'The NodeClaim is replaced automatically. Allow more instance types and zones if it happens again.',
  },
  {
    name: 'shut-down-inside',
    says: /InstanceInitiatedShutdown/i,
    title: 'The instance has shut itself down',
    fix: 'Something in the user data or in the AMI shuts the instance down: a script that ends with poweroff, or a failed boot. Read its console.',
    confirm: ['aws ec2 get-console-output --region {region} --instance-id {instance} --output text'],
  },
  {
    name: 'terminated-by-user',
    says: /UserInitiated(?:Shutdown|Hibernate)/i,
    title: 'Somebody has terminated or stopped the instance through the API',
    fix: 'CloudTrail shows who: a person, a cleanup job, or a second controller with the same cluster name. The NodeClaim is replaced automatically.',
    confirm: [HISTORY],
  },
];

/** Rows about refused launches that read the same code, which here is the reason of an end. */
const OF_LAUNCHES = ['aws.internal', 'aws.sold-out', 'aws.kms-key', 'aws.volume-quota'];

export const INSTANCES: readonly Cause[] = [
  ...ENDED.map(
    (row): Cause => ({
      id: `aws-instance.${row.name}`,
      layer: 'cloudApi',
      specificity: 'exact',
      title: row.title,
      symptom: 'The NodeClaim is Launched, and its instance is terminated or stopped with a state reason.',
      summary: 'The instance {instance} of {claim} is {state}: {problem}',
      fix: row.fix,
      confirm: [SHOW_INSTANCE, ...(row.confirm ?? [])],
      explains: [
        'registration.late',
        'registration.machine-stopped',
        'aws-instance.terminated',
        ...OF_LAUNCHES,
      ],
      recognise: (evidence) =>
        ended(evidence, (reason) => row.says.test(reason)) ?? endedAtLaunch(evidence, row.says),
    }),
  ),
  {
    id: 'aws-instance.terminated',
    layer: 'cloudApi',
    specificity: 'particular',
    title: 'The instance is terminated',
    symptom: 'The NodeClaim is Launched, and EC2 shows its instance as terminated.',
    summary: 'The instance {instance} of {claim} is {state}: {problem}',
    fix: 'No action needed: the NodeClaim is replaced. If it happens again, CloudTrail shows who terminated it.',
    confirm: [SHOW_INSTANCE, HISTORY],
    explains: ['registration.late'],
    recognise: (evidence) => ended(evidence, () => true) ?? endedAtLaunch(evidence, /(?:)/),
  },
  {
    id: 'aws-instance.system-check',
    layer: 'bootstrap',
    specificity: 'exact',
    title: 'The system status check of the instance fails',
    symptom: 'EC2 reports the system status of the instance as impaired.',
    summary: 'The host of the instance {instance} of {claim} is impaired.',
    fix: 'AWS has to repair the host. If node repair is enabled, the node is replaced; otherwise delete the NodeClaim to get an instance on another host.',
    confirm: ['aws ec2 describe-instance-status --region {region} --instance-ids {instance}', SHOW_CLAIM],
    explains: ['registration.late', 'aws-instance.instance-check'],
    recognise: (evidence) => failingCheck(evidence, 'system'),
  },
  {
    id: 'aws-instance.instance-check',
    layer: 'bootstrap',
    specificity: 'particular',
    title: 'The instance status check fails',
    symptom: 'EC2 reports the instance status as impaired: the system does not answer on its network.',
    summary:
      'The instance {instance} of {claim} does not answer: its operating system did not start, or stopped.',
    fix: 'Read the console: a kernel panic, a missing boot device, no memory left, or a broken network configuration in the AMI. Use another AMI version; delete the NodeClaim to get another instance.',
    confirm: [
      'aws ec2 describe-instance-status --region {region} --instance-ids {instance}',
      'aws ec2 get-console-output --region {region} --instance-id {instance} --latest --output text',
    ],
    explains: ['registration.late'],
    recognise: (evidence) => failingCheck(evidence, 'instance'),
  },
];

// ---------------------------------------------------------------------------------------------------------------

function ended(evidence: EvidenceSet, fits: (stateReason: string) => boolean): Match | undefined {
  for (const vm of instancesOf(evidence)) {
    const reason = vm.stateReason ?? '';
    const state = vm.powerState ?? '';
    const isOver = /^(?:terminated|shutting-down|stopp)/.test(state);
    if (!isOver || (state.startsWith('stopp') && reason === '') || !fits(reason)) continue;
    const problem = reason === '' ? 'EC2 gives no reason' : reason;
    return {
      facts: { claim: vm.claim, instance: vm.name, state, problem },
      seen: [seen(vm, `${state}: ${problem}`)],
    };
  }
  return undefined;
}

/** The controller saw the end before the instance ran, and wrote the reason down. */
function endedAtLaunch(evidence: EvidenceSet, says: RegExp): Match | undefined {
  for (const error of evidence.all('cloudError')) {
    const [, instance, problem] = ENDED_TEXT.exec(error.message) ?? [];
    if (instance === undefined || problem === undefined || !says.test(`: ${problem}`)) continue;
    return {
      facts: { claim: error.claim, instance, state: 'terminated', problem },
      seen: [seen(error, errorText(error))],
    };
  }
  return undefined;
}

const ENDED_TEXT = /instance (i-[0-9a-f]+) of NodeClaim \S+ ended while it started: (.*)/s;

function failingCheck(evidence: EvidenceSet, check: string): Match | undefined {
  const vm = instancesOf(evidence).find((each) => each.failedChecks?.includes(check));
  if (vm === undefined) return undefined;
  return {
    facts: { claim: vm.claim, instance: vm.name },
    seen: [seen(vm, `status checks that fail: ${(vm.failedChecks ?? []).join(', ')}`)],
  };
}

/** Of claims that should become nodes: what happened to the instance of a node is the node's. */
function instancesOf(evidence: EvidenceSet): readonly VmEvidence[] {
  const joining = new Set(joiningClaims(evidence).map(({ name }) => name));
  return evidence.all('vm').filter(({ claim, found }) => found && joining.has(claim));
}
