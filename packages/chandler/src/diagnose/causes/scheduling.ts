/**
 * Layer 6, the pod: no node takes it. Rows go by the refusals of the scheduling engine, which name the obstacle; where
 * no plan is known, by what the Kubernetes scheduler wrote into its event.
 */
import {
  type Cause,
  type EvidenceSet,
  type Facts,
  isHeld,
  isTooYoung,
  type Match,
  podNames,
  poolNames,
  type RefusalFact,
  schedulerRefusal,
  seen,
  waitingPod,
} from '../../causes/index.ts';

import { NOT_LAUNCHED } from './not-launched.ts';
import {
  LABELS,
  withFixForLabels,
  withFixForName,
  withFixForNodes,
  withFixForOverlay,
  withFixForPlace,
} from './placement-fixes.ts';
import { labelsByEvent, roomByEvent, SAYS, taintByEvent } from './scheduler-words.ts';
import { mayHaveSizes, UNEXPLAINED, UNEXPLAINED_MS } from './unexplained.ts';

const SHOW_POD = 'kubectl describe pod -n {namespace} {podName}';
const SHOW_POOL = 'kubectl describe nodepool {nodePool}';

export const SCHEDULING: readonly Cause[] = [
  {
    ...refusalRow(
      'L6.2',
      ['TaintNotTolerated'],
      'The pod does not tolerate a taint',
      'Add a toleration to the pod, or remove the taint from the NodePool.',
    ),
    confirm: [SHOW_POD, 'kubectl get nodes -o custom-columns=NAME:.metadata.name,TAINTS:.spec.taints'],
    recognise: (evidence) => byPlan(evidence, ['TaintNotTolerated']) ?? taintByEvent(evidence),
  },
  {
    ...refusalRow(
      'L6.3',
      ['ResourceInsufficient'],
      'The pod requests more than any node has',
      'Lower the requests of the pod, or allow larger instance types in the NodePool. The requests of DaemonSets and the system reservations count too.',
    ),
    recognise: (evidence) => byPlan(evidence, ['ResourceInsufficient']) ?? roomByEvent(evidence),
    confirm: [SHOW_POD, 'kubectl describe nodes | grep -A8 "Allocated resources"'],
  },
  {
    ...refusalRow(
      'scheduling.resource-unknown',
      ['ResourceUnknown'],
      'The pod requests a resource that no instance type offers',
      'Correct the name of the resource in the requests and limits of the pod. Hugepages, and resources of device plugins that the cloud does not know, are only on nodes that have them already: select these nodes.',
    ),
    recognise: (evidence) => withFixForOverlay(byPlan(evidence, ['ResourceUnknown'])),
    confirm: [
      SHOW_POD,
      'kubectl get nodes -o custom-columns=NAME:.metadata.name,ALLOCATABLE:.status.allocatable',
    ],
  },
  {
    ...refusalRow(
      'L6.4',
      ['LabelUndefined', 'RequirementIncompatible'],
      'No node has the labels that the pod requires',
      LABELS,
    ),
    recognise: (evidence) =>
      withFixForLabels(
        byPlan(evidence, ['LabelUndefined', 'RequirementIncompatible']) ?? labelsByEvent(evidence),
        evidence.couldNotRead('node') && labelsByEvent(evidence) === undefined,
      ),
    confirm: [SHOW_POD, 'kubectl get nodes --show-labels', SHOW_POOL],
  },
  {
    ...refusalRow(
      'scheduling.existing-nodes',
      ['ExistingNodes'],
      'Existing nodes have the labels that the pod requires, and none takes it',
      'Add nodes to the node pool that these nodes belong to, or free room on them. No NodePool launches nodes with these labels: add the labels to one if it should.',
    ),
    symptom:
      'Nodes that no NodePool could add have the labels that the pod requires, and the pod is unschedulable.',
    explains: ['L6.4'],
    recognise: (evidence) => withFixForName(byPlan(evidence, ['ExistingNodes'])),
    confirm: [SHOW_POD, 'kubectl get nodes -l {selector}'],
  },
  {
    ...refusalRow(
      'scheduling.pool-deleting',
      ['PoolDeleting'],
      'The NodePool that the pod selects is being deleted',
      'Select another NodePool. If the NodePool should stay, wait until its deletion completes, then create it again.',
    ),
    symptom: 'The pod selects a NodePool that has a deletionTimestamp, and no other NodePool takes it.',
    explains: ['L6.2', 'L6.4', 'scheduling.existing-nodes'],
  },
  {
    ...refusalRow(
      'scheduling.pool-static',
      ['PoolStatic'],
      'Only a static NodePool could take the pod',
      'Raise spec.replicas of the NodePool, free room on its nodes, or use a NodePool without spec.replicas.',
    ),
    symptom:
      'The pod selects a NodePool with spec.replicas, or only such NodePools could take it, and no other NodePool takes it.',
    explains: ['L6.2', 'L6.4', 'scheduling.existing-nodes'],
    recognise: (evidence) => withFixForNodes(byPlan(evidence, ['PoolStatic'])),
  },
  refusalRow(
    'scheduling.no-offering',
    ['NoOffering'],
    'Matching instance types exist, but none is available',
    'Allow more instance types, zones or capacity types in the NodePool. All matching offerings lack capacity, exceed the quota, or are blocked after failures.',
  ),
  refusalRow(
    'scheduling.no-type',
    ['NoTypeMeetsAll'],
    'No instance type meets all requirements together',
    'Relax one of the requirements. Each of them is met by some instance type, but no instance type meets all of them.',
  ),
  refusalRow(
    'scheduling.min-values',
    ['MinValuesUnmet'],
    'Too few instance types are left for minValues',
    'Lower minValues of the requirement, or allow more values.',
  ),
  refusalRow(
    'scheduling.limit',
    ['LimitExceeded'],
    'The NodePool has reached its limit',
    'Raise spec.limits of the NodePool, or remove workload. NodeClaims in progress count too.',
  ),
  refusalRow(
    'scheduling.pool-without-types',
    ['PoolWithoutTypes'],
    'The NodePool has no instance types',
    'Relax the requirements of the NodePool, which exclude every instance type, and check the NodeClass (images, disk size).',
  ),
  {
    ...refusalRow(
      'scheduling.size-unknown',
      ['SizeUnknown'],
      'The NodePool allows only sizes that are not known',
      'Correct the size in the requirements of the NodePool. If the cloud has the size, and it is newer than the catalogue, check the events of the NodePool and the log of the controller.',
    ),
    specificity: 'particular',
    recognise: sizeUnknown,
  },
  refusalRow(
    'scheduling.reserved-only',
    ['ReservedOnly'],
    'Only reserved capacity matches, and it is in use',
    'Free reserved capacity, or allow other capacity types.',
  ),
  refusalRow(
    'scheduling.host-port',
    ['HostPortTaken'],
    'The host port is in use',
    'Do not use hostPort, or spread the pods over more nodes.',
    SAYS.hostPort,
  ),
  refusalRow(
    'scheduling.topology',
    ['TopologyUnsatisfiable'],
    'Topology spread or pod affinity cannot be satisfied',
    'Check how many matching pods each topology domain has. Then allow more zones in the NodePool, raise maxSkew, or use ScheduleAnyway.',
    SAYS.topology,
  ),
  refusalRow(
    'scheduling.volume-limit',
    ['VolumeLimit'],
    'The node cannot attach more volumes',
    'Use fewer volumes per pod, or instance types that can attach more disks.',
    SAYS.volumeLimit,
  ),
  refusalRow(
    'scheduling.invalid-pod',
    ['InvalidPod'],
    'The pod is invalid',
    'Correct the field that the message names.',
  ),
  refusalRow(
    'scheduling.resource-claims',
    ['ResourceClaims'],
    'The pod uses dynamic resource claims',
    'Run the pod on existing nodes. Dynamic resource claims are not supported yet.',
  ),
  refusalRow(
    'scheduling.volume-claim-missing',
    ['VolumeClaimMissing'],
    'A volume claim of the pod does not exist',
    'Create the PersistentVolumeClaim, or correct its name.',
    SAYS.volumeClaimMissing,
  ),
  refusalRow(
    'scheduling.storage-class-missing',
    ['StorageClassMissing'],
    'The storage class of a volume does not exist',
    'Create the StorageClass, or correct storageClassName.',
  ),
  refusalRow(
    'scheduling.volume-missing',
    ['VolumeMissing'],
    'The volume of a volume claim does not exist',
    'Restore the PersistentVolume, or, if its data is not needed, delete the PersistentVolumeClaim.',
    SAYS.volumeMissing,
  ),
  {
    ...refusalRow(
      'scheduling.volume-elsewhere',
      ['VolumeElsewhere'],
      'The volume is in a zone or on a node where the pod cannot run',
      'Allow the zone of the volume in a NodePool, and in the node affinity of the pod. A volume of one host needs the node of this host.',
      SAYS.volumeElsewhere,
    ),
    recognise: (evidence) =>
      withFixForPlace(
        byPlan(evidence, ['VolumeElsewhere']) ?? schedulerRefusal(evidence, SAYS.volumeElsewhere),
      ),
    symptom:
      'No NodePool allows the zone of a PersistentVolume of the pod, or kube-scheduler reports that nodes do not match the node affinity or the zone of a PersistentVolume.',
    confirm: [SHOW_POD, 'kubectl get pvc -n {namespace}', 'kubectl describe pv'],
  },
  {
    ...refusalRow(
      'scheduling.storage-class-elsewhere',
      ['StorageClassElsewhere'],
      'The StorageClass of a volume allows only zones where the pod cannot run',
      'Add a zone of the NodePool to allowedTopologies of the StorageClass, or allow the zone of the StorageClass in the NodePool and in the node affinity of the pod.',
    ),
    symptom: 'No NodePool allows a zone of allowedTopologies of the StorageClass of an unbound volume.',
    confirm: [SHOW_POD, 'kubectl get storageclass {storageClass} -o yaml', SHOW_POOL],
  },
  {
    id: 'scheduling.gated',
    layer: 'scheduling',
    specificity: 'exact',
    title: 'The pod has a scheduling gate',
    symptom: 'The pod has spec.schedulingGates.',
    summary: '{pod} is not scheduled until {problem} is removed.',
    fix: 'Check the controller that set the gate. It must remove the gate.',
    confirm: [SHOW_POD],
    recognise: (evidence) => {
      const pod = waitingPod(evidence);
      if (pod === undefined || pod.schedulingGates.length === 0) return undefined;
      const problem = pod.schedulingGates.join(', ');
      return { facts: { ...podNames(pod), problem }, seen: [seen(pod, `scheduling gates: ${problem}`)] };
    },
  },
  {
    id: 'scheduling.other-scheduler',
    layer: 'scheduling',
    specificity: 'exact',
    title: 'The pod uses another scheduler',
    symptom:
      'spec.schedulerName is not default-scheduler, and no scheduler has set the condition PodScheduled.',
    summary:
      '{pod} is waiting for the scheduler {problem}, which has not marked it for {waited}. The default scheduler ignores it, and no node is launched for it before.',
    fix: 'Check that the scheduler runs, or remove spec.schedulerName.',
    confirm: [SHOW_POD],
    recognise: (evidence) => {
      const pod = waitingPod(evidence);
      if (pod === undefined || pod.schedulingGates.length > 0 || !isHeld(pod)) return undefined;
      if (isTooYoung(pod, evidence.atMs)) return undefined;
      const ageMs = evidence.ageMs(pod.createdAtMs);
      const problem = pod.schedulerName;
      const facts = { ...podNames(pod), problem, waited: `${Math.floor(ageMs / 1000)} s` };
      return { facts, seen: [seen(pod, `schedulerName ${problem}, and no condition PodScheduled`)] };
    },
  },
  {
    id: 'scheduling.held-back',
    layer: 'scheduling',
    specificity: 'particular',
    title: 'Launches of the NodePool are delayed',
    symptom:
      'After failures, the NodePool launches no nodes for some time. The delay grows with each failure.',
    summary: 'NodePool {nodePool} launches no nodes until {until} because of failures ({problem}).',
    fix: 'Fix the cause of the failures. The NodePool then resumes automatically.',
    confirm: [SHOW_POOL],
    recognise: (evidence) => {
      const isOfPool = evidence.first('question')?.subject.startsWith('nodepool/') === true;
      if (!isOfPool && waitingPod(evidence) === undefined) return undefined;
      const pool = evidence.all('nodePool').find(({ heldBack }) => (heldBack?.untilMs ?? 0) > evidence.atMs);
      if (pool?.heldBack === undefined) return undefined;
      const { reason, untilMs } = pool.heldBack;
      const facts = { nodePool: pool.name, problem: reason, until: new Date(untilMs).toISOString() };
      return { facts, seen: [seen(pool, `no launches until ${facts.until}: ${reason}`)] };
    },
  },
  NOT_LAUNCHED,
  UNEXPLAINED,
];

// ---------------------------------------------------------------------------------------------------

/** Words of Kubernetes' scheduler go by event; a refusal of the engine has the facts and comes first. */
function refusalRow(id: string, codes: readonly string[], title: string, fix: string, event?: RegExp): Cause {
  return {
    id,
    layer: 'scheduling',
    specificity: 'exact',
    title,
    symptom: `The pod is unschedulable (${codes.join(' or ')}).`,
    summary: '{pod}: {problem}',
    fix,
    confirm: [SHOW_POD, SHOW_POOL],
    recognise: (evidence) =>
      byPlan(evidence, codes) ?? (event === undefined ? undefined : schedulerRefusal(evidence, event)),
  };
}

function byPlan(evidence: EvidenceSet, codes: readonly string[]): Match | undefined {
  const pod = waitingPod(evidence);
  const plan = evidence.first('plan');
  if (pod === undefined || plan === undefined || plan.outcome !== 'refused') return undefined;
  const fitting = plan.refusals.filter(({ code }) => codes.includes(code));
  const [first] = fitting;
  if (first === undefined) return undefined;
  const reasons = groupedReasons(fitting);
  return {
    facts: {
      ...first.facts,
      ...podNames(pod),
      ...poolFact(first),
      problem: reasons.join('; '),
    },
    seen: [seen(plan, reasons.join('\n'))],
  };
}

/** The cloud may have the size: then this is only one explanation, and in the first minute a node may be about to launch. */
function sizeUnknown(evidence: EvidenceSet): Match | undefined {
  if (evidence.ageMs(waitingPod(evidence)?.createdAtMs ?? evidence.atMs) <= UNEXPLAINED_MS) return undefined;
  const match = byPlan(evidence, ['SizeUnknown']);
  return match !== undefined && mayHaveSizes(evidence) ? { ...match, weight: 'suspicious' } : match;
}

/** NodePools that refuse for the same reason share a line. */
function groupedReasons(refusals: readonly RefusalFact[]): readonly string[] {
  return [...Map.groupBy(refusals, ({ text }) => text)].map(([text, same]) => {
    const pools = same.flatMap(({ nodePool }) => (nodePool === undefined ? [] : [nodePool]));
    if (pools.length > 0) return `${poolNames(pools)}: ${text}`;
    const nodes = same.reduce((sum, each) => sum + (each.nodes ?? 0), 0);
    return nodes === 0 ? text : `${nodes} node(s): ${text}`;
  });
}

function poolFact({ nodePool }: RefusalFact): Facts {
  return nodePool === undefined ? {} : { nodePool };
}
