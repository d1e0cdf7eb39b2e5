/**
 * What the controller refuses before and beside the engine: pods that no bought node could help, pools that do not launch
 * now, limits on launches. Read off refusals and off events on the pool, whose reasons are a closed set.
 */
import {
  type Cause,
  conditionOf,
  type EvidenceSet,
  type Match,
  seen,
  waitingPod,
} from '../../causes/index.ts';

const SHOW_POD = 'kubectl describe pod -n {namespace} {podName}';
const SHOW_POOL = 'kubectl describe nodepool {nodePool}';

/** Events on a pool are told again every five minutes, or more often, while they hold. */
const FRESH_MS = 6 * 60_000;

export const PLANNING: readonly Cause[] = [
  refusal(
    'opted-out',
    ['OptedOut'],
    'The pod asks for nodes that nobody buys',
    'Take the term karpenter.sh/nodepool DoesNotExist off its node affinity, or make room on other nodes.',
  ),
  refusal(
    'restricted-label',
    ['RestrictedLabel'],
    'The pod asks for a label that no new node can promise',
    'Select by labels that a NodePool may set (its own, zone, instance type, capacity type) and not by host name or restricted domains.',
  ),
  refusal(
    'match-fields',
    ['MatchFields'],
    'The pod selects nodes by fields',
    'Use matchExpressions on labels: a node to be bought has no fields yet.',
  ),
  {
    ...refusal(
      'told-by-controller',
      ['ToldByController'],
      'The controller finds no place for the pod',
      'Mend what the message says.',
    ),
    specificity: 'particular',
  },
  poolEvent(
    'types-unknown',
    'InstanceTypesUnknown',
    'What the pool could buy is not known',
    'The controller cannot read sizes or the NodeClass: look at its log, its rights on Microsoft.Compute/skus, and the class.',
  ),
  poolEvent(
    'no-compatible-types',
    'NoCompatibleInstanceTypes',
    'The requirements of the pool leave nothing to buy',
    'Relax the requirements of the pool, and look at the NodeClass (image, disk size).',
  ),
  poolEvent(
    'launches-stopped',
    'LaunchesStopped',
    'New claims are stopped because too many fail',
    'Mend what makes launches fail; the guard (MAX_FAILING_LAUNCHES) lets go by itself.',
  ),
  poolEvent(
    'node-limit',
    'NodeLimitReached',
    'A pool of fixed size may not have as many nodes as it should',
    'Raise limits.nodes of the pool, or lower its replicas.',
  ),
  poolEvent(
    'launches-limited',
    'LaunchesLimited',
    'New claims are made only so many a minute',
    'Wait, or raise MAX_LAUNCHES_PER_MINUTE.',
  ),
  {
    id: 'planning.pool-not-ready',
    layer: 'configuration',
    specificity: 'general',
    title: 'The NodePool is not ready',
    symptom: 'The pool that would take the pod is not Ready, and its class does not say why.',
    summary: 'NodePool {nodePool} is not Ready: {problem}.',
    fix: 'Look at the conditions of pool and class, and whether the controller runs.',
    confirm: [SHOW_POOL],
    explainedBy: ['configuration.controller-down', 'configuration.no-leader'],
    recognise: poolNotReady,
  },
  {
    id: 'planning.nodes-do-not-join',
    layer: 'bootstrap',
    specificity: 'general',
    title: 'Nodes of the pool do not join',
    symptom: 'The NodePool has NodeRegistrationHealthy False.',
    summary: 'NodePool {nodePool}: {problem}.',
    fix: 'Ask why of one of its claims while it is there; the events on the pool tell of those that are gone.',
    confirm: [SHOW_POOL, 'kubectl get nodeclaims -l karpenter.sh/nodepool={nodePool}'],
    recognise: (evidence) => {
      for (const pool of evidence.all('nodePool')) {
        const condition = conditionOf(pool, 'NodeRegistrationHealthy');
        if (condition?.status !== 'False') continue;
        return {
          facts: { nodePool: pool.name, problem: condition.message ?? condition.reason ?? '' },
          seen: [seen(pool, `NodeRegistrationHealthy is False: ${condition.message ?? ''}`)],
        };
      }
      return undefined;
    },
  },
];

// ---------------------------------------------------------------------------------------------------

function refusal(name: string, codes: readonly string[], title: string, fix: string): Cause {
  return {
    id: `planning.${name}`,
    layer: 'scheduling',
    specificity: 'exact',
    title,
    symptom: `The pod is left out of planning (${codes.join(', ')}).`,
    summary: '{pod}: {problem}',
    fix,
    confirm: [SHOW_POD],
    recognise: (evidence) => {
      const pod = waitingPod(evidence);
      const plan = evidence.first('plan');
      const found = plan?.refusals.find(({ code }) => codes.includes(code));
      if (pod === undefined || plan === undefined || found === undefined) return undefined;
      const [namespace = '', podName = ''] = pod.name.split('/');
      return {
        facts: { pod: pod.name, namespace, podName, problem: found.text },
        seen: [seen(plan, found.text)],
      };
    },
  };
}

function poolEvent(name: string, reason: string, title: string, fix: string): Cause {
  return {
    id: `planning.${name}`,
    layer: 'scheduling',
    specificity: 'exact',
    title,
    symptom: `Event ${reason} on the NodePool.`,
    summary: 'NodePool {nodePool}: {problem}',
    fix,
    confirm: [SHOW_POOL],
    // A refusal of the pod says the same with its facts.
    explainedBy: reason === 'NoCompatibleInstanceTypes' ? ['scheduling.pool-without-types'] : [],
    recognise: (evidence) => {
      const event = evidence.events('NodePool/', reason).at(-1);
      if (event === undefined || evidence.ageMs(event.lastMs) > FRESH_MS) return undefined;
      return {
        facts: { nodePool: event.object.slice('NodePool/'.length), problem: event.message },
        seen: [{ where: event.object, what: `${reason}: ${event.message}`, atMs: event.lastMs }],
      };
    },
  };
}

/** Only where it is in the way: the pod would be taken by it, or the pool itself is asked about. */
function poolNotReady(evidence: EvidenceSet): Match | undefined {
  const asked = evidence.first('question')?.subject.startsWith('nodepool/') ?? false;
  const wanted = evidence.first('plan')?.outcome === 'newClaim';
  if (!asked && !wanted) return undefined;
  // A class that says what is wrong with it says more than the pool can.
  const told = evidence.all('nodeClass').some(({ found, conditions }) => !found || conditions.some(isFalse));
  if (told) return undefined;
  for (const pool of evidence.all('nodePool')) {
    const ready = conditionOf(pool, 'Ready');
    if (ready?.status === 'True' || pool.deleting) continue;
    const problem = ready === undefined ? 'nobody has looked at it' : (ready.message ?? ready.reason ?? '');
    return {
      facts: { nodePool: pool.name, problem },
      seen: [seen(pool, `Ready is ${ready?.status ?? 'absent'}: ${problem}`)],
    };
  }
  return undefined;
}

function isFalse({ status }: { readonly status: string }): boolean {
  return status === 'False';
}
