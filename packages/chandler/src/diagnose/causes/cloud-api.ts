/**
 * Layer 4: the cloud refuses a launch. Rows match kinds of errors, which are the same for every cloud. The table of a
 * cloud explains its codes; its rows are more exact and come first.
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
    'No matching instance type is available',
    'Every instance type that the NodeClaim allows lacks capacity, exceeds the quota, or is blocked after a failure',
    'Allow more instance types, zones or capacity types in the NodePool, or raise the quota.',
  ),
  kindRow(
    'unauthorized',
    'Unauthorized',
    'The cloud does not accept the identity of the controller',
    'The call was refused because a permission or a valid token is missing',
    'Grant the identity the role that the message names. {checkIdentity}',
  ),
  kindRow(
    'throttled',
    'Throttled',
    'The cloud throttles the controller',
    'The cloud throttles API calls, and launches take longer',
    'Find other callers of the API in this {billingScope}. Lower the API rate limits of the controller.',
  ),
  kindRow(
    'unreachable',
    'Unreachable',
    'The cloud does not answer',
    'The API of the cloud did not answer, or returned an invalid response',
    'Check the network from the controller to the cloud (egress, DNS, proxy, private endpoints) and the status page of the cloud.',
  ),
  kindRow(
    'name-taken',
    'NameTaken',
    'Another VM has the same name',
    'A VM or network interface with this name belongs to another NodeClaim, or to an unknown owner',
    'Delete the leftover resource, or wait until its deletion completes.',
  ),
  kindRow(
    'node-class-not-ready',
    'NodeClassNotReady',
    'The NodeClass was not ready for the launch',
    'The NodeClass was not ready when the VM was to be created',
    'Check the conditions of the NodeClass.',
  ),
  {
    id: 'cloud.machine-gone',
    layer: 'cloudApi',
    specificity: 'exact',
    title: 'The VM no longer exists',
    symptom: 'The NodeClaim is Launched, but the cloud does not have its VM.',
    summary:
      'The VM of {claim} was created, but it no longer exists. It was deleted by hand or by a policy, or evicted as a spot VM.',
    fix: 'No action needed: the NodeClaim is replaced. If it happens again, check {auditLog}.',
    confirm: ['{showInstanceHistory}'],
    breaksNodes: true,
    failsContainers: true,
    recognise: instanceDeleted,
  },
  {
    id: 'cloud.launch-failed',
    layer: 'cloudApi',
    specificity: 'general',
    title: 'The VM could not be created',
    symptom: 'The Launched condition of the NodeClaim stays Unknown with a reason.',
    summary: 'Launching {claim} failed with {reason}: {problem}',
    fix: 'Fix the problem that the message describes. The launch is retried automatically.',
    confirm: [SHOW_CLAIM],
    recognise: (evidence) => refusedLaunch(evidence, (reason) => !AFTER_CREATION.has(reason)),
  },
  {
    id: 'cloud.launch-hangs',
    layer: 'cloudApi',
    specificity: 'general',
    title: 'The creation of the VM takes too long',
    symptom: 'The NodeClaim is not Launched, or its VM stays in the state Creating, without an error.',
    summary: '{claim} has been waiting for its VM for {minutes} minutes{where}.',
    fix: 'Check the operation in the cloud. The NodeClaim is replaced after its timeout.',
    confirm: [SHOW_CLAIM, '{showInstanceStatus}'],
    explainedBy: [
      'cloud.launch-failed',
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
    symptom: `The launch of a NodeClaim failed with the error ${kind}.`,
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

/** A cloud may not show a VM for some seconds after its creation. */
const NOT_SHOWN_MS = 2 * 60_000;

function instanceDeleted(evidence: EvidenceSet): Match | undefined {
  for (const claim of evidence.liveClaims) {
    if (conditionOf(claim, 'Launched')?.status !== 'True') continue;
    const vm = evidence.all('vm').find((each) => each.claim === claim.name);
    if (vm === undefined || vm.found) continue;
    const facts = {
      claim: claim.name,
      vm: vm.name,
      vmId: (claim.providerId ?? '').replace(/^[a-z]+:\/\//, ''),
    };
    const launchedMs = Date.parse(conditionOf(claim, 'Launched')?.lastTransitionTime ?? '');
    const isNew = evidence.ageMs(launchedMs || claim.createdAtMs) <= NOT_SHOWN_MS;
    return {
      facts,
      seen: [seen(claim, 'Launched is True'), seen(vm, 'the VM does not exist')],
      ...(isNew
        ? {
            weight: 'suspicious',
            title: 'The cloud does not show the VM yet',
            summary: 'The VM of {claim} was created a moment ago, and the cloud does not show it.',
            fix: 'Ask again in two minutes. Clouds show a new VM after some seconds.',
          }
        : {}),
    };
  }
  return undefined;
}
