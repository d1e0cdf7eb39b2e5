/**
 * Layer 6, the pod: no node takes it. Rows go by the refusals of the scheduling engine, which name the obstacle; where
 * no plan is known, by what the Kubernetes scheduler wrote into its event.
 */
import {
  type Cause,
  type EvidenceSet,
  type Facts,
  type Match,
  type RefusalFact,
  seen,
  waitingPod,
} from '../../causes/index.ts';

const SHOW_POD = 'kubectl describe pod -n {namespace} {podName}';
const SHOW_POOL = 'kubectl describe nodepool {nodePool}';

/** The planner looks every few seconds; a pod that waits longer without a reason is a riddle. */
const UNEXPLAINED_MS = 60_000;

export const SCHEDULING: readonly Cause[] = [
  {
    ...refusalRow(
      'L6.2',
      ['TaintNotTolerated'],
      'Taints keep the pod away',
      'Add a toleration to the pod, or take the taint off the pool.',
      /had untolerated taint/,
    ),
    confirm: [SHOW_POD, 'kubectl get nodes -o custom-columns=NAME:.metadata.name,TAINTS:.spec.taints'],
  },
  {
    ...refusalRow(
      'L6.3',
      ['ResourceInsufficient'],
      'The pod asks for more than a node has',
      'Lower its requests, or allow larger sizes in the pool. Daemons and reservations of the system count too.',
      /Insufficient \S+/,
    ),
    confirm: [SHOW_POD, 'kubectl describe nodes | grep -A8 "Allocated resources"'],
  },
  {
    ...refusalRow(
      'L6.4',
      ['LabelUndefined', 'RequirementIncompatible'],
      'No node has the labels the pod asks for',
      'Correct nodeSelector or affinity of the pod (a label may be misspelt), or let the pool offer that value.',
      /didn't match Pod's node affinity\/selector/,
    ),
    confirm: [SHOW_POD, 'kubectl get nodes --show-labels', SHOW_POOL],
  },
  refusalRow(
    'scheduling.no-offering',
    ['NoOffering'],
    'Sizes fit, and none can be bought',
    'All offerings are blocked after failures, sold out or without quota: allow more sizes, zones or capacity types.',
  ),
  refusalRow(
    'scheduling.no-type',
    ['NoTypeMeetsAll'],
    'No instance type meets everything at once',
    'Each condition alone is met by some type, but not all together: relax one of them.',
  ),
  refusalRow(
    'scheduling.min-values',
    ['MinValuesUnmet'],
    'The pool asks for more variety than is left',
    'Lower minValues of the requirement, or allow more values.',
  ),
  refusalRow(
    'scheduling.limit',
    ['LimitExceeded'],
    'The limit of the pool is reached',
    'Raise spec.limits of the pool, or make room; claims on their way count too.',
  ),
  refusalRow(
    'scheduling.pool-without-types',
    ['PoolWithoutTypes'],
    'No instance type is left in the pool',
    'The requirements of the pool exclude every type: relax them, and look at the NodeClass (images, disk size).',
  ),
  refusalRow(
    'scheduling.reserved-only',
    ['ReservedOnly'],
    'Only reserved capacity fits, and it is taken',
    'Free reservations, or allow other capacity types.',
  ),
  refusalRow(
    'scheduling.host-port',
    ['HostPortTaken'],
    'The host port is taken',
    'Do not use hostPort, or spread the pods over more nodes.',
    /free ports for the requested pod ports/,
  ),
  refusalRow(
    'scheduling.topology',
    ['TopologyUnsatisfiable'],
    'Spread or affinity cannot be met',
    'Look at the counts by domain: widen the zones of the pool, raise maxSkew, or use ScheduleAnyway.',
    /topology spread constraints|pod (?:anti-)?affinity rules/,
  ),
  refusalRow(
    'scheduling.volume-limit',
    ['VolumeLimit'],
    'The node can attach no more volumes',
    'Use sizes that attach more disks, or fewer volumes per pod.',
    /exceed max volume count/,
  ),
  refusalRow(
    'scheduling.invalid-pod',
    ['InvalidPod'],
    'The pod itself cannot be understood',
    'Correct the field that is named.',
  ),
  refusalRow(
    'scheduling.resource-claims',
    ['ResourceClaims'],
    'The pod uses dynamic resource claims',
    'They cannot be planned yet: run the pod on nodes that are there.',
  ),
  refusalRow(
    'scheduling.volume-claim-missing',
    ['VolumeClaimMissing'],
    'A volume claim of the pod does not exist',
    'Create the PersistentVolumeClaim, or correct its name.',
    /persistentvolumeclaim "\S+" not found/,
  ),
  refusalRow(
    'scheduling.storage-class-missing',
    ['StorageClassMissing'],
    'The storage class of a volume does not exist',
    'Create it, or correct storageClassName.',
  ),
  refusalRow(
    'scheduling.volume-missing',
    ['VolumeMissing'],
    'The volume of a claim does not exist',
    'The PersistentVolume is gone: restore it, or delete the claim.',
    /volume node affinity conflict/,
  ),
  {
    id: 'scheduling.gated',
    layer: 'scheduling',
    specificity: 'exact',
    title: 'The pod waits behind a scheduling gate',
    symptom: 'The pod has spec.schedulingGates.',
    summary: '{pod} may not be scheduled before {problem} is removed.',
    fix: 'Whoever set the gate must remove it; look at that controller.',
    confirm: [SHOW_POD],
    recognise: (evidence) => {
      const pod = waitingPod(evidence);
      if (pod === undefined || pod.schedulingGates.length === 0) return undefined;
      const problem = pod.schedulingGates.join(', ');
      return { facts: { ...podFacts(pod.name), problem }, seen: [seen(pod, `scheduling gates: ${problem}`)] };
    },
  },
  {
    id: 'scheduling.other-scheduler',
    layer: 'scheduling',
    specificity: 'exact',
    title: 'The pod belongs to another scheduler',
    symptom: 'spec.schedulerName is not default-scheduler.',
    summary: '{pod} waits for the scheduler {problem}; neither the usual one nor the planner looks at it.',
    fix: 'Look at whether that scheduler runs, or remove spec.schedulerName.',
    confirm: [SHOW_POD],
    recognise: (evidence) => {
      const pod = waitingPod(evidence);
      if (pod === undefined || pod.schedulerName === 'default-scheduler' || pod.schedulerName === '')
        return undefined;
      const problem = pod.schedulerName;
      return { facts: { ...podFacts(pod.name), problem }, seen: [seen(pod, `schedulerName ${problem}`)] };
    },
  },
  {
    id: 'scheduling.held-back',
    layer: 'scheduling',
    specificity: 'particular',
    title: 'Launches of the pool are held back',
    symptom: 'A pool does not launch after failures, for a growing time.',
    summary: 'NodePool {nodePool} waits until {until} after failures ({problem}).',
    fix: 'Mend the cause of the failures; the pool then goes on by itself.',
    confirm: [SHOW_POOL],
    recognise: (evidence) => {
      if (waitingPod(evidence) === undefined) return undefined;
      const pool = evidence.all('nodePool').find(({ heldBack }) => (heldBack?.untilMs ?? 0) > evidence.atMs);
      if (pool?.heldBack === undefined) return undefined;
      const { reason, untilMs } = pool.heldBack;
      const facts = { nodePool: pool.name, problem: reason, until: new Date(untilMs).toISOString() };
      return { facts, seen: [seen(pool, `held back until ${facts.until}: ${reason}`)] };
    },
  },
  {
    id: 'scheduling.unexplained',
    layer: 'scheduling',
    specificity: 'general',
    title: 'The pod waits for a node',
    symptom: 'The pod is Pending, and nobody says why.',
    summary: '{pod} is Pending since {minutes} minutes; no plan, no claim and no event says why.',
    fix: 'Look at whether the controller runs and sees the pod (its log names pods it plans for).',
    confirm: [SHOW_POD, 'kubectl get nodeclaims'],
    recognise: unexplained,
  },
];

// ---------------------------------------------------------------------------------------------------

/** Words of Kubernetes' scheduler go by event; a refusal of the engine has the facts and comes first. */
function refusalRow(id: string, codes: readonly string[], title: string, fix: string, event?: RegExp): Cause {
  return {
    id,
    layer: 'scheduling',
    specificity: 'exact',
    title,
    symptom: `The engine refuses the pod with ${codes.join(' or ')}.`,
    summary: '{pod}: {problem}',
    fix,
    confirm: [SHOW_POD, SHOW_POOL],
    recognise: (evidence) =>
      byPlan(evidence, codes) ?? (event === undefined ? undefined : byEvent(evidence, event)),
  };
}

function byPlan(evidence: EvidenceSet, codes: readonly string[]): Match | undefined {
  const pod = waitingPod(evidence);
  const plan = evidence.first('plan');
  if (pod === undefined || plan === undefined || plan.outcome !== 'refused') return undefined;
  const fitting = plan.refusals.filter(({ code }) => codes.includes(code));
  const [first] = fitting;
  if (first === undefined) return undefined;
  return {
    facts: {
      ...first.facts,
      ...podFacts(pod.name),
      ...poolFact(first),
      problem: fitting.map(refusalText).join('; '),
    },
    seen: fitting.map((refusal) => seen(plan, refusalText(refusal))),
  };
}

function refusalText({ text, nodePool, nodes }: RefusalFact): string {
  if (nodePool !== undefined) return `NodePool ${nodePool}: ${text}`;
  return nodes === undefined ? text : `${nodes} node(s): ${text}`;
}

function poolFact({ nodePool }: RefusalFact): Facts {
  return nodePool === undefined ? {} : { nodePool };
}

/** Only without a plan: the scheduler knows the nodes that are there, and nothing of pools. */
function byEvent(evidence: EvidenceSet, says: RegExp): Match | undefined {
  const pod = waitingPod(evidence);
  if (pod === undefined || evidence.first('plan') !== undefined || pod.nominatedNodeName !== undefined)
    return undefined;
  const event = evidence.events(`Pod/${pod.name}`, 'FailedScheduling').at(-1);
  if (event === undefined || !says.test(event.message)) return undefined;
  return {
    facts: { ...podFacts(pod.name), problem: event.message },
    seen: [{ where: event.object, what: `FailedScheduling: ${event.message}`, atMs: event.lastMs }],
  };
}

function podFacts(name: string): {
  readonly pod: string;
  readonly namespace: string;
  readonly podName: string;
} {
  const [namespace = '', podName = ''] = name.split('/');
  return { pod: name, namespace, podName };
}

function unexplained(evidence: EvidenceSet): Match | undefined {
  const pod = waitingPod(evidence);
  if (pod === undefined || evidence.ageMs(pod.createdAtMs) <= UNEXPLAINED_MS) return undefined;
  if (
    pod.schedulingGates.length > 0 ||
    evidence.first('plan') !== undefined ||
    evidence.liveClaims.length > 0
  )
    return undefined;
  if (evidence.events(`Pod/${pod.name}`, 'FailedScheduling').length > 0) return undefined;
  const minutes = String(Math.floor(evidence.ageMs(pod.createdAtMs) / 60_000));
  return { facts: { ...podFacts(pod.name), minutes }, seen: [seen(pod, 'phase Pending, no node')] };
}
