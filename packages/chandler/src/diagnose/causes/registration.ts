/**
 * Layer 5, the last step: a VM runs and does not register as a Node. Tokens, certificates, clocks, names; and the row for
 * when only the delay is known.
 */
import {
  type Cause,
  conditionOf,
  type EvidenceSet,
  isTrue,
  joiningClaims,
  type Match,
  type NodeClaimEvidence,
  type NodeEvidence,
  REGISTRATION_EXPECTED_MS,
  seen,
  type TokenEvidence,
} from '../../causes/index.ts';
import { isAboutApiServer, logMatch } from './boot.ts';

const SHOW_CLAIM = 'kubectl describe nodeclaim {claim}';
const SHOW_TOKENS =
  'kubectl -n kube-system get secret bootstrap-token-{token} -o jsonpath={.data.expiration} | base64 -d';
const NEW_TOKEN =
  'Create a new bootstrap token (a Secret of type bootstrap.kubernetes.io/token in kube-system) and set it on the controller (KUBELET_BOOTSTRAP_TOKEN). NodeClaims in progress are replaced automatically.';

const NOT_TRUSTED =
  /x509: certificate signed by unknown authority|tls: failed to verify certificate: x509: certificate signed by/i;
const NOT_VALID =
  /x509: certificate has expired or is not yet valid|certificate is not yet valid|current time \S{1,40} is (?:before|after)/i;

export const REGISTRATION: readonly Cause[] = [
  tokenRow(
    'token-expired',
    ['expired'],
    'The bootstrap token has expired',
    'The bootstrap token {token} expired at {expired}, and no new node can join.',
  ),
  tokenRow(
    'token-missing',
    ['missing', 'replaced'],
    'The bootstrap token is not in the cluster',
    'The cluster does not have the bootstrap token {token} that new nodes use ({state}).',
  ),
  tokenRow(
    'token-unusable',
    ['unusable', 'malformed'],
    'The bootstrap token cannot be used',
    'The bootstrap token {token} is {state}: it lacks the usage or group for nodes, or does not have the form id.secret.',
  ),
  {
    id: 'registration.ca-mismatch',
    layer: 'bootstrap',
    specificity: 'exact',
    point: 'L5.4',
    title: "The node does not trust the API server's certificate",
    symptom: 'The kubelet reports x509: certificate signed by unknown authority.',
    summary:
      '{claim} was given a CA certificate that did not sign the certificate of the API server: {problem}',
    fix: 'Check the CA bundle of the controller (CLUSTER_CA_BUNDLE, or the CA that it detected). After a CA rotation, it must contain the new CA. If a proxy inspects TLS, exempt the API server from it: such a proxy causes the same error.',
    confirm: [
      'kubectl config view --raw -o jsonpath="{.clusters[0].cluster.certificate-authority-data}" | base64 -d | openssl x509 -noout -subject -dates',
    ],
    recognise: (evidence) =>
      logMatch(evidence, (line) => NOT_TRUSTED.test(line) && isAboutApiServer(evidence, line)),
  },
  {
    id: 'registration.clock',
    layer: 'bootstrap',
    specificity: 'exact',
    point: 'L5.4',
    title: "The VM's clock is wrong",
    symptom: 'The kubelet reports that certificates are expired or not yet valid.',
    summary:
      'According to the clock of the VM of {claim}, certificates are expired or not yet valid: {problem}',
    fix: 'Check the time on the VM (chronyc tracking). If it is right, the certificate of the API server has expired: rotate it.',
    confirm: ['{showClock}'],
    recognise: (evidence) =>
      logMatch(evidence, (line) => NOT_VALID.test(line) && isAboutApiServer(evidence, line)),
  },
  {
    id: 'registration.certificate-not-trusted',
    layer: 'bootstrap',
    specificity: 'particular',
    title: 'The VM does not trust the certificate of a server',
    symptom: 'The log of the VM has an x509 error about a registry, a mirror or a proxy.',
    summary:
      'The VM of {claim} does not trust the certificate of a server, which is not the API server: {problem}',
    fix: 'Check the certificate of the server that the line names. If a proxy inspects TLS, its CA must be in the image, or the server must be exempt from it. If the certificate has expired, renew it; if it is valid, check the clock of the VM.',
    confirm: ['{showBootLog}'],
    recognise: (evidence) =>
      logMatch(
        evidence,
        (line) => (NOT_TRUSTED.test(line) || NOT_VALID.test(line)) && !isAboutApiServer(evidence, line),
      ),
  },
  {
    id: 'registration.provider-id',
    layer: 'bootstrap',
    specificity: 'exact',
    title: 'The provider IDs of Node and NodeClaim differ',
    symptom: 'A Node with the right name exists, but the NodeClaim has the reason NodeNotFound.',
    summary: 'Node {node} has the provider ID {nodeId}, but NodeClaim {claim} expects {claimId}.',
    fix: "Check the kubelet's --provider-id and the cloud controller manager: both must set the ID of the VM. Then delete the Node and restart the kubelet, which registers the Node again.",
    confirm: [
      'kubectl get node {node} -o jsonpath={.spec.providerID}',
      'kubectl get nodeclaim {claim} -o jsonpath={.status.providerID}',
    ],
    recognise: otherProviderId,
  },
  {
    id: 'registration.multiple-nodes',
    layer: 'bootstrap',
    specificity: 'exact',
    title: 'Several Nodes have the same provider ID',
    symptom: 'The condition Registered of the NodeClaim is False (MultipleNodesFound).',
    summary: '{claim}: {problem}.',
    fix: 'Delete the stale Nodes, that is, the Nodes whose name differs from the current name of the VM.',
    confirm: ['kubectl get nodes -o custom-columns=NAME:.metadata.name,ID:.spec.providerID'],
    recognise: (evidence) => {
      const claim = evidence.liveClaims.find(
        (each) => conditionOf(each, 'Registered')?.reason === 'MultipleNodesFound',
      );
      if (claim === undefined) return undefined;
      const problem = conditionOf(claim, 'Registered')!.message ?? 'several nodes';
      return {
        facts: { claim: claim.name, problem },
        seen: [seen(claim, `Registered is False: ${problem}`)],
      };
    },
  },
  {
    id: 'registration.taint-missing',
    layer: 'bootstrap',
    specificity: 'exact',
    title: 'Nodes register without the taint karpenter.sh/unregistered',
    symptom: 'The NodeClaim has the event UnregisteredTaintMissing.',
    summary:
      '{claim} registered without karpenter.sh/unregistered: pods can be scheduled before it has its labels and taints.',
    fix: 'Start the kubelet with --register-with-taints=karpenter.sh/unregistered:NoExecute, as the bootstrap script does. A custom script or image must keep it.',
    confirm: [SHOW_CLAIM],
    recognise: (evidence) => {
      const event = evidence.events('NodeClaim/', 'UnregisteredTaintMissing').at(-1);
      if (event === undefined) return undefined;
      const claim = event.object.slice('NodeClaim/'.length);
      return {
        weight: 'suspicious',
        facts: { claim },
        seen: [{ where: event.object, what: event.message, atMs: event.lastMs }],
      };
    },
  },
  {
    id: 'registration.hook-pending',
    layer: 'bootstrap',
    specificity: 'exact',
    title: 'A registration hook is pending',
    symptom: 'The condition Registered of the NodeClaim is Unknown (RegistrationHookPending).',
    summary: '{claim} is waiting for: {problem}.',
    fix: 'Check what the message names, and the log of the controller.',
    confirm: [SHOW_CLAIM],
    recognise: (evidence) => waitingSince(evidence, 'RegistrationHookPending', 60_000),
  },
  {
    id: 'registration.machine-stopped',
    layer: 'bootstrap',
    specificity: 'exact',
    title: 'The VM is not running',
    symptom: 'The VM is stopped or deallocated, and no Node appears.',
    summary: 'The VM of {claim} is {power}.',
    fix: 'The VM was stopped by a policy, by a schedule or by hand. Check {auditLog}. Delete the NodeClaim to get another VM.',
    confirm: ['{showInstanceStatus}'],
    recognise: (evidence) => {
      for (const claim of joiningClaims(evidence)) {
        // Its VM is deleted on purpose.
        if (conditionOf(claim, 'CSEProvisioned')?.status === 'False') continue;
        const vm = evidence.all('vm').find((each) => each.claim === claim.name);
        if (vm === undefined || !vm.found || !/^(?:stopp|dealloc)/.test(vm.powerState ?? '')) continue;
        return {
          facts: { claim: claim.name, vm: vm.name, power: vm.powerState! },
          seen: [seen(vm, `power state ${vm.powerState}`)],
        };
      }
      return undefined;
    },
  },
  {
    id: 'registration.late',
    layer: 'bootstrap',
    specificity: 'general',
    title: 'The VM has not joined the cluster',
    symptom: 'The NodeClaim is Launched, but its condition Registered stays Unknown (NodeNotFound).',
    summary:
      'The VM of {claim} was launched {minutes} minutes ago, but no Node with its provider ID has appeared.',
    fix: 'Read the serial log of the VM and the log of its bootstrap script. The NodeClaim is replaced after 15 minutes.',
    confirm: [SHOW_CLAIM, '{showBootLog}'],
    explainedBy: ['configuration.controller-down', 'cloud.machine-gone'],
    recognise: (evidence) => waitingSince(evidence, 'NodeNotFound', REGISTRATION_EXPECTED_MS),
  },
];

// ---------------------------------------------------------------------------------------------------

function tokenRow(
  name: string,
  states: readonly TokenEvidence['state'][],
  title: string,
  summary: string,
): Cause {
  return {
    id: `registration.${name}`,
    layer: 'bootstrap',
    specificity: 'exact',
    point: 'L5.4',
    title,
    symptom: 'The kubelet of a new VM is refused (Unauthorized). No Node appears.',
    summary,
    fix: NEW_TOKEN,
    confirm: [SHOW_TOKENS],
    recognise: (evidence) => {
      const token = evidence.all('token').find(({ state }) => states.includes(state));
      if (token === undefined) return undefined;
      const expired = token.expiresAtMs === undefined ? '' : new Date(token.expiresAtMs).toISOString();
      return {
        // While no node joins, nothing fails.
        weight: joiningClaims(evidence).length > 0 ? 'broken' : 'suspicious',
        facts: { token: token.id, state: token.state, expired },
        seen: [seen(token, `${token.state}${expired === '' ? '' : `, expires ${expired}`}`)],
      };
    },
  };
}

function waitingSince(evidence: EvidenceSet, reason: string, limitMs: number): Match | undefined {
  for (const claim of joiningClaims(evidence)) {
    const condition = conditionOf(claim, 'Registered');
    const sinceMs = Date.parse(conditionOf(claim, 'Launched')?.lastTransitionTime ?? '');
    if (condition?.reason !== reason || !(evidence.ageMs(sinceMs) > limitMs)) continue;
    const facts = {
      claim: claim.name,
      problem: condition.message ?? '',
      minutes: String(Math.floor(evidence.ageMs(sinceMs) / 60_000)),
    };
    return { facts, seen: [seen(claim, `Launched is True, Registered is Unknown, ${reason}`)] };
  }
  return undefined;
}

function otherProviderId(evidence: EvidenceSet): Match | undefined {
  for (const claim of joiningClaims(evidence)) {
    const node = evidence
      .all('node')
      .find(
        (each) =>
          isNamedLike(each, claim) && each.providerId !== claim.providerId && !isAwaitingId(evidence, each),
      );
    if (node === undefined || claim.providerId === undefined || isTrue(claim, 'Registered')) continue;
    return {
      facts: {
        claim: claim.name,
        claimId: claim.providerId,
        node: node.name,
        nodeId: node.providerId === undefined || node.providerId === '' ? '(none)' : node.providerId,
      },
      seen: [
        seen(node, `spec.providerID ${node.providerId ?? '(none)'}`),
        seen(claim, `status.providerID ${claim.providerId}`),
      ],
    };
  }
  return undefined;
}

/** The cloud controller manager sets the ID of a Node that has none. */
const ID_EXPECTED_MS = 2 * 60_000;

function isAwaitingId(evidence: EvidenceSet, { providerId = '', createdAtMs }: NodeEvidence): boolean {
  return providerId === '' && evidence.ageMs(createdAtMs) <= ID_EXPECTED_MS;
}

/** Nodes are named after their VM, or after their claim. */
function isNamedLike(node: NodeEvidence, claim: NodeClaimEvidence): boolean {
  const machine = claim.providerId?.split('/').at(-1)?.toLowerCase();
  return node.claim === undefined && (node.name === machine || node.name === claim.name);
}
