/**
 * What the controller refuses before the engine plans: pods that no new node could run, NodePools that do not launch now,
 * limits on launches. Read from refusals and from events on the NodePool, which have a closed set of reasons.
 */
import {
  type Cause,
  conditionOf,
  type EvidenceSet,
  type Match,
  seen,
  waitingPod,
} from '../../causes/index.ts';

import { nodeLimitBySpec } from './static-capacity.ts';

const SHOW_POD = 'kubectl describe pod -n {namespace} {podName}';
const SHOW_POOL = 'kubectl describe nodepool {nodePool}';

/** Events on a NodePool are repeated at least every five minutes while they hold. */
const FRESH_MS = 6 * 60_000;

export const PLANNING: readonly Cause[] = [
  refusal(
    'opted-out',
    ['OptedOut'],
    'The node affinity of the pod excludes nodes that NodePools manage',
    'Remove the term karpenter.sh/nodepool DoesNotExist from its node affinity, or free capacity on other nodes.',
  ),
  refusal(
    'restricted-label',
    ['RestrictedLabel'],
    'The pod requires a label that new nodes cannot have',
    'Use labels that a NodePool may set (its own, zone, instance type, capacity type), not the host name or restricted domains.',
  ),
  refusal(
    'match-fields',
    ['MatchFields'],
    'The pod selects nodes by fields',
    'Use matchExpressions on labels. matchFields selects a node by its name, and the name of a new node is not known in advance.',
  ),
  {
    ...refusal(
      'told-by-controller',
      ['ToldByController'],
      'The controller cannot schedule the pod',
      'Fix the problem that the message describes.',
    ),
    specificity: 'particular',
  },
  poolEvent(
    'types-unknown',
    'InstanceTypesUnknown',
    'The instance types of the NodePool are not known',
    'Check the log of the controller, its permission to list instance types, and the NodeClass.',
  ),
  poolEvent(
    'no-compatible-types',
    'NoCompatibleInstanceTypes',
    'No instance type meets the requirements of the NodePool',
    'Relax the requirements of the NodePool, and check the NodeClass (image, disk size).',
  ),
  poolEvent(
    'launches-stopped',
    'LaunchesStopped',
    'Launches are stopped because too many fail',
    'Fix what makes launches fail. Launches resume automatically when fewer than MAX_FAILING_LAUNCHES are failing.',
  ),
  nodeLimit(),
  poolEvent(
    'launches-limited',
    'LaunchesLimited',
    'Launches are rate-limited',
    'Wait, or raise MAX_LAUNCHES_PER_MINUTE.',
  ),
  {
    id: 'planning.pool-not-ready',
    layer: 'configuration',
    specificity: 'general',
    title: 'The NodePool is not ready',
    symptom: 'The NodePool that matches the pod is not Ready, and its NodeClass does not say why.',
    summary: 'NodePool {nodePool} is not Ready: {problem}.',
    fix: 'Check the conditions of the NodePool and the NodeClass, and whether the controller runs.',
    confirm: [SHOW_POOL],
    explainedBy: ['configuration.controller-down', 'configuration.no-leader'],
    recognise: poolNotReady,
  },
  {
    id: 'planning.nodes-do-not-join',
    layer: 'bootstrap',
    specificity: 'general',
    title: 'Nodes of the NodePool do not join',
    symptom: 'The condition NodeRegistrationHealthy of the NodePool is False.',
    summary: 'NodePool {nodePool}: {problem}.',
    fix: 'Run `chandler why` on one of its NodeClaims while it exists. Events on the NodePool also report NodeClaims that no longer exist.',
    confirm: [SHOW_POOL, 'kubectl get nodeclaims -l karpenter.sh/nodepool={nodePool}'],
    recognise: (evidence) => {
      // Where a limit keeps the pod pending, NodeClaims that do not join may use it up.
      if (isRefused(evidence, 'LimitExceeded')) return undefined;
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
    symptom: `The controller does not provision a node for the pod (${codes.join(', ')}).`,
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

/** Karpenter sends no such event: then the spec says it. */
function nodeLimit(): Cause {
  const byEvent = poolEvent(
    'node-limit',
    'NodeLimitReached',
    'A static NodePool has reached its node limit',
    'Raise limits.nodes of the NodePool, or lower its replicas.',
  );
  return {
    ...byEvent,
    symptom: 'The NodePool has the event NodeLimitReached, or limits.nodes is below spec.replicas.',
    explains: ['scheduling.not-launched'],
    recognise: (evidence) => byEvent.recognise(evidence) ?? nodeLimitBySpec(evidence),
  };
}

function poolEvent(name: string, reason: string, title: string, fix: string): Cause {
  return {
    id: `planning.${name}`,
    layer: 'scheduling',
    specificity: 'exact',
    title,
    symptom: `The NodePool has the event ${reason}.`,
    summary: 'NodePool {nodePool}: {problem}',
    fix,
    confirm: [SHOW_POOL],
    // A refusal of the pod says the same with its facts.
    explainedBy:
      reason === 'NoCompatibleInstanceTypes'
        ? ['scheduling.pool-without-types', 'scheduling.min-values', 'scheduling.no-offering']
        : [],
    recognise: (evidence) => {
      if (isLaunched(evidence) || (!ABOUT_TYPES.has(reason) && isRefused(evidence))) return undefined;
      const event = evidence.events('NodePool/', reason).at(-1);
      if (event === undefined || evidence.ageMs(event.lastMs) > FRESH_MS) return undefined;
      return {
        facts: { nodePool: event.object.slice('NodePool/'.length), problem: event.message },
        seen: [{ where: event.object, what: `${reason}: ${event.message}`, atMs: event.lastMs }],
      };
    },
  };
}

/** Without types, a NodePool refuses every pod. */
const ABOUT_TYPES: ReadonlySet<string> = new Set(['InstanceTypesUnknown', 'NoCompatibleInstanceTypes']);

/** No NodePool would launch a node for the pod, also if it could: that nodes do not come has another reason. */
function isRefused(evidence: EvidenceSet, ...except: readonly string[]): boolean {
  const plan = evidence.first('plan');
  // The controller says of a pod that its NodePool would take it, but launches nothing now.
  const others = ['ToldByController', ...except];
  return plan?.outcome === 'refused' && !plan.refusals.some(({ code }) => others.includes(code));
}

/** The NodeClaim in question exists: events on the NodePool are about launches that have not been made. */
function isLaunched(evidence: EvidenceSet): boolean {
  if (/^node(?:claim)?\//.test(evidence.first('question')?.subject ?? '')) return true;
  const plan = evidence.first('plan');
  return plan?.outcome === 'placed' && evidence.liveClaims.some(({ name }) => name === plan.target);
}

/**
 * Only where it matters: the pod would use the NodePool, or none that it could use by its labels and taints is ready, or the
 * question is about the NodePool itself.
 */
function poolNotReady(evidence: EvidenceSet): Match | undefined {
  const asked = evidence.first('question')?.subject.startsWith('nodepool/') ?? false;
  const plan = evidence.first('plan');
  const unplanned = plan === undefined && waitingPod(evidence) !== undefined;
  // One that nobody reconciles may be of another controller.
  const isLast =
    unplanned && evidence.all('nodePool').every((pool) => conditionOf(pool, 'Ready')?.status === 'False');
  if (!asked && plan?.outcome !== 'newClaim' && !isLast) return undefined;
  // Conditions of the class are more exact than those of the NodePool.
  const told = evidence.all('nodeClass').some(({ found, conditions }) => !found || conditions.some(isFalse));
  if (told) return undefined;
  for (const pool of evidence.all('nodePool')) {
    const ready = conditionOf(pool, 'Ready');
    if (ready?.status === 'True' || pool.deleting) continue;
    const problem = ready === undefined ? 'it is not reconciled' : (ready.message ?? ready.reason ?? '');
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
