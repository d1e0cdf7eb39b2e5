/**
 * Layer 4: the cloud refuses a launch. Rows go by the kinds of errors, which hold for every cloud. What a code of one
 * cloud means is in the table of that cloud, whose rows are more exact and come first.
 */
import {
  type Cause,
  conditionOf,
  type EvidenceSet,
  type Match,
  refusedLaunch,
  seen,
  slowLaunch,
} from '../../causes/index.ts';

const SHOW_CLAIM = 'kubectl describe nodeclaim {claim}';

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
    confirm: ['{showInstanceHistory}'],
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
    recognise: (evidence) => refusedLaunch(evidence, (reason) => !AFTER_CREATION.has(reason)),
  },
  {
    id: 'cloud.launch-hangs',
    layer: 'cloudApi',
    specificity: 'general',
    title: 'The machine is being made for very long',
    symptom: 'The claim is not Launched, or its machine stays Creating, without an error.',
    summary: '{claim} waits for its machine since {minutes} minutes, at {stage}.',
    fix: 'Look at the operation in Azure; the claim is given up and replaced after its time limit.',
    confirm: [SHOW_CLAIM, '{showInstanceStatus}'],
    explainedBy: [
      'cloud.launch-failed',
      'L4.5',
      'cloud.throttled',
      'cloud.unreachable',
      'configuration.controller-down',
    ],
    recognise: slowLaunch,
  },
];

// ---------------------------------------------------------------------------------------------------

/** The cloud did its part; what failed then is layer 5. */
const AFTER_CREATION: ReadonlySet<string> = new Set(['ExtensionFailed', 'OSProvisioningFailed']);

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

function machineGone(evidence: EvidenceSet): Match | undefined {
  for (const claim of evidence.liveClaims) {
    if (conditionOf(claim, 'Launched')?.status !== 'True') continue;
    const vm = evidence.all('vm').find((each) => each.claim === claim.name);
    if (vm === undefined || vm.found) continue;
    const facts = {
      claim: claim.name,
      vm: vm.name,
      vmId: (claim.providerId ?? '').replace(/^[a-z]+:\/\//, ''),
    };
    return { facts, seen: [seen(claim, 'Launched is True'), seen(vm, 'there is no such machine')] };
  }
  return undefined;
}
