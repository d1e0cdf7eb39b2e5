/** Layer 5: the kubelet reserves more of a resource than the VM has, so that it does not start, or leaves nothing for pods. */
import { type Cause, type EvidenceSet, inSerialLog, type Match, seen } from '../../causes/index.ts';

/** The words of the kubelet. */
const TOO_MUCH = /invalid Node Allocatable configuration|has a reservation of \S+ but capacity of/i;

export const RESERVATIONS: readonly Cause[] = [
  {
    id: 'registration.reserves-too-much',
    layer: 'bootstrap',
    specificity: 'exact',
    title: 'The kubelet reserves more than the VM has',
    symptom:
      'The kubelet does not start (invalid Node Allocatable configuration), or the Node has no allocatable memory or CPU.',
    summary: 'The settings of the kubelet of {claim} leave nothing for pods: {problem}',
    fix: 'Lower kubeReserved, systemReserved and evictionHard in the user data or in spec.kubelet of the NodeClass, or allow only larger instance types.',
    confirm: ['kubectl describe nodeclaim {claim}', '{showKubeletLog}'],
    explains: ['L6.1', 'registration.late'],
    recognise: (evidence) => inLog(evidence) ?? onNode(evidence),
  },
];

// ---------------------------------------------------------------------------------------------------

function inLog(evidence: EvidenceSet): Match | undefined {
  const live = new Set(evidence.liveClaims.map(({ name }) => name));
  const hit = inSerialLog(evidence, TOO_MUCH, ({ claim }) => live.has(claim));
  if (hit === undefined) return undefined;
  return { facts: { claim: hit.log.claim, problem: hit.line }, seen: [seen(hit.log, hit.line)] };
}

/** The kubelet writes 0 if the reservations are larger than the capacity. */
function onNode(evidence: EvidenceSet): Match | undefined {
  for (const node of evidence.all('node')) {
    if (node.deletingSinceMs !== undefined) continue;
    const none = ['memory', 'cpu'].filter((resource) =>
      /^0(?:[A-Za-z]*|m)$/.test(node.allocatable[resource] ?? ''),
    );
    if (none.length === 0) continue;
    const problem = `Node ${node.name} has no allocatable ${none.join(' and no ')}`;
    return {
      facts: { claim: node.claim ?? node.name, node: node.name, problem },
      seen: [seen(node, `status.allocatable ${none.map((each) => `${each} 0`).join(', ')}`)],
    };
  }
  return undefined;
}
