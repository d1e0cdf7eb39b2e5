/**
 * Layer 1: the controller runs, its options are valid, NodePools and node classes exist and are ready. Most of it is read
 * off conditions. What the conditions of one cloud's node class mean is in the table of that cloud.
 */
import {
  type Cause,
  conditionOf,
  type EvidenceSet,
  LEADER_NOT_KNOWN,
  type Match,
  type NodeClassEvidence,
  problemOf,
  SHOW_OPTIONS,
  seen,
  untouchedClaim,
  waitsForController,
} from '../../causes/index.ts';
import type { ExplainedCauses } from '../../cloud/index.ts';
import { STATIC_CAPACITY_OFF } from './static-capacity.ts';

const SHOW_CLASS = 'kubectl describe {nodeClassResource} {nodeClass}';
const SHOW_POOL = 'kubectl describe nodepool {nodePool}';

/** A node class that was not reconciled for so long is not being reconciled. */
const UNSEEN_MS = 2 * 60_000;

/** @param explained what rows of the cloud explain better. */
export const configuration = ({ options, isClassReason }: ExplainedCauses): readonly Cause[] => [
  {
    id: 'configuration.controller-down',
    layer: 'configuration',
    specificity: 'exact',
    title: 'The controller is not running',
    symptom: 'Nothing happens to NodeClaims and pending pods.',
    summary: 'No replica of the controller is ready: {why}.',
    fix: 'Find out why the pods of the controller do not run, and fix that first.',
    confirm: [
      'kubectl -n {namespace} describe deployment {deployment}',
      'kubectl -n {namespace} logs deployment/{deployment} --previous',
    ],
    breaksNodes: waitsForController,
    recognise: controllerDown,
  },
  {
    id: 'configuration.no-leader',
    layer: 'configuration',
    specificity: 'exact',
    title: 'The controller has no leader',
    symptom: 'Replicas run, but none of them reconciles.',
    summary: 'No replica holds and renews the Lease of the controller{running}.',
    fix: 'Check the log of the controller and its permissions on leases.coordination.k8s.io. A wrong clock can have the same effect.',
    confirm: ['kubectl -n {namespace} get lease karpenter-leader-election -o yaml'],
    breaksNodes: waitsForController,
    recognise: (evidence) => {
      const controller = evidence.first('controller');
      if (controller === undefined || controller.leader !== undefined) return undefined;
      // A managed controller has no Deployment here, only a Lease.
      if (controller.hosting === 'managed')
        return { facts: { running: '' }, seen: [seen(controller, 'not renewed')] };
      const { ready } = controller.replicas;
      if (ready === 0) return undefined;
      return {
        facts: { running: ', although replicas are ready' },
        seen: [seen(controller, `${ready} ready, no leader`)],
      };
    },
  },
  {
    id: 'configuration.option-refused',
    layer: 'configuration',
    specificity: 'exact',
    title: 'An option of the controller is invalid',
    symptom: 'The controller exits when it starts.',
    summary: '{option}: {problem}.',
    fix: 'Correct the flag, the environment variable or the setting.',
    confirm: [SHOW_OPTIONS],
    breaksNodes: waitsForController,
    recognise: (evidence) => optionProblem(evidence, options),
  },
  {
    id: 'configuration.no-pools',
    layer: 'configuration',
    specificity: 'exact',
    title: 'There is no NodePool',
    symptom: 'Pods stay Pending and no NodeClaim appears.',
    summary: 'The pod cannot use any NodePool: {problem}.',
    fix: 'Create a NodePool. If one is being deleted, wait until the deletion completes, then recreate it.',
    confirm: ['kubectl get nodepools'],
    recognise: (evidence) => {
      const plan = evidence.first('plan');
      const refusal = plan?.refusals.find(({ code }) => code === 'NoPools');
      if (plan === undefined || refusal === undefined) return undefined;
      // A pool that is there and not ready has a cause of its own.
      if (evidence.all('nodePool').some(({ deleting }) => !deleting)) return undefined;
      const fixed = (plan.others ?? []).filter(({ reason }) => reason === 'it is static');
      if (fixed.length === 0) return { facts: { problem: refusal.text }, seen: [seen(plan, refusal.text)] };
      const names = fixed.map(({ nodePool }) => nodePool).join(', ');
      return {
        title: 'No NodePool launches nodes for pods',
        fix: 'Create a NodePool without spec.replicas. Or change the pod so that it can use nodes of a static NodePool: its labels and tolerations.',
        facts: {
          problem: `static NodePools (${names}) launch no nodes for pods, and this pod cannot use their nodes`,
        },
        seen: [seen(plan, `static: ${names}`)],
      };
    },
  },
  STATIC_CAPACITY_OFF,
  {
    id: 'configuration.node-class-missing',
    layer: 'configuration',
    specificity: 'exact',
    title: 'The NodeClass does not exist',
    symptom: 'The NodePool is not Ready (NodeClassNotFound); no NodeClaim is created for pending pods.',
    summary: 'NodePool {nodePool} references {kind} {nodeClass}, which does not exist.',
    fix: 'Create the NodeClass, or correct spec.template.spec.nodeClassRef. The NodePool becomes Ready once the NodeClass exists.',
    confirm: [SHOW_POOL, 'kubectl get {nodeClassResource}'],
    recognise: (evidence) => poolClass(evidence, 'NodeClassNotFound', ({ found }) => !found),
  },
  {
    id: 'configuration.node-class-deleting',
    layer: 'configuration',
    specificity: 'exact',
    title: 'The NodeClass is being deleted',
    symptom: 'The NodePool is not Ready (NodeClassTerminating).',
    summary:
      'NodePool {nodePool} references {kind} {nodeClass}, which is being deleted. The deletion completes when no NodeClaim uses it.',
    fix: 'Reference another NodeClass. Or delete the NodeClaims that use this NodeClass, and then create the NodeClass again.',
    confirm: [SHOW_CLASS, 'kubectl get nodeclaims -o wide'],
    recognise: (evidence) =>
      poolClass(evidence, 'NodeClassTerminating', ({ found, deleting }) => found && deleting),
  },
  {
    id: 'configuration.nodeclaims-refused',
    layer: 'configuration',
    specificity: 'exact',
    title: 'The API server rejects the NodeClaims of the NodePool',
    symptom: 'The NodePool is not Ready (NodeClaimRefused); no NodeClaim is created for pending pods.',
    summary: 'NodePool {nodePool}: {problem}.',
    fix: 'Change the template of the NodePool, or the admission policy, webhook, quota or role that the message names. NodeClaims are created again after an edit of the NodePool, otherwise after at most 30 minutes.',
    confirm: [SHOW_POOL],
    recognise: (evidence) => poolInvalid(evidence, (reason) => reason === 'NodeClaimRefused'),
  },
  {
    id: 'configuration.pool-invalid',
    layer: 'configuration',
    specificity: 'exact',
    title: 'The NodePool is not valid',
    symptom: 'The NodePool is not Ready (NodePoolValidationFailed).',
    summary: 'NodePool {nodePool}: {problem}.',
    fix: 'Correct the template of the NodePool.',
    confirm: [SHOW_POOL],
    recognise: (evidence) => poolInvalid(evidence, (reason) => reason !== 'NodeClaimRefused'),
  },
  {
    id: 'configuration.node-class-not-ready',
    layer: 'configuration',
    specificity: 'particular',
    title: 'The NodeClass is not ready',
    symptom: 'The NodePool is not Ready, and no VM is launched.',
    summary: 'NodeClass {nodeClass}: {problem}.',
    fix: 'Fix the problems that the conditions of the NodeClass report.',
    confirm: [SHOW_CLASS],
    recognise: (evidence) => otherClassProblem(evidence, isClassReason),
  },
  {
    id: 'configuration.node-class-unseen',
    layer: 'configuration',
    specificity: 'particular',
    title: 'The NodeClass is not reconciled',
    symptom: 'The conditions of the NodeClass stay Unknown (AwaitingReconciliation).',
    summary:
      'NodeClass {nodeClass} has been waiting to be reconciled since {since}: {conditions} are Unknown.',
    fix: 'Check that the controller runs and that it has permission to read and write the NodeClass. Check its log for errors about the NodeClass.',
    confirm: [SHOW_CLASS, 'kubectl -n {namespace} logs deployment/{deployment} | grep {nodeClass}'],
    explainedBy: ['configuration.controller-down', 'configuration.no-leader'],
    recognise: unseenClass,
  },
  {
    id: 'configuration.claim-unseen',
    layer: 'configuration',
    specificity: 'general',
    title: 'The NodeClaim has not been taken up by a controller',
    symptom:
      'The NodeClaim has no conditions, or Launched stays Unknown (AwaitingReconciliation), without a launch record, an error or a VM.',
    summary:
      'No controller has reconciled {claim} for {minutes} minutes: it has no launch record, no error and no VM.',
    fix: 'Check that the controller runs, that it is the leader, and what its log says about the NodeClaim. Check that the kind in spec.nodeClassRef is one that it serves. There is no operation in the cloud yet.',
    confirm: [
      'kubectl get nodeclaim {claim} -o jsonpath={.spec.nodeClassRef}',
      'kubectl -n {namespace} logs deployment/{deployment} | grep {claim}',
    ],
    explainedBy: ['configuration.controller-down', 'configuration.no-leader'],
    recognise: untouchedClaim,
  },
];

// ---------------------------------------------------------------------------------------------------

/** Reasons that only sum up other conditions. */
const SUMS: ReadonlySet<string> = new Set(['UnhealthyDependents', 'ReconcilingDependents']);

function optionProblem(evidence: EvidenceSet, explained: readonly string[]): Match | undefined {
  const options = evidence.first('options');
  const found = options?.problems.find(({ option }) => !explained.includes(option));
  if (options === undefined || found === undefined) return undefined;
  return {
    facts: { option: found.option, problem: found.problem },
    seen: [seen(options, `${found.option}: ${found.problem}`)],
  };
}

function controllerDown(evidence: EvidenceSet): Match | undefined {
  const controller = evidence.first('controller');
  if (controller === undefined || controller.hosting === 'managed' || controller.replicas.ready > 0)
    return undefined;
  // Somebody else holds the Lease: a controller without a Deployment of the usual name.
  if (controller.leader !== undefined && controller.leader !== LEADER_NOT_KNOWN) return undefined;
  const { stopped, replicas } = controller;
  const [namespace = '', deployment = ''] = (controller.deployment ?? '').split('/');
  const why =
    stopped === undefined
      ? replicas.wanted === 0
        ? 'it is scaled to zero'
        : `${replicas.wanted} wanted`
      : `${stopped.reason}${stopped.message === '' ? '' : `, ${stopped.message}`}`;
  return {
    facts: { why, namespace, deployment },
    seen: [seen(controller, `0 of ${replicas.wanted} ready; ${why}`)],
  };
}

function poolInvalid(evidence: EvidenceSet, fits: (reason: string) => boolean): Match | undefined {
  for (const pool of evidence.all('nodePool')) {
    const condition = conditionOf(pool, 'ValidationSucceeded');
    if (condition?.status !== 'False' || !fits(condition.reason ?? '')) continue;
    const facts = { nodePool: pool.name, problem: problemOf(condition) };
    return { facts, seen: [seen(pool, `ValidationSucceeded is False: ${condition.message ?? ''}`)] };
  }
  return undefined;
}

function poolClass(
  evidence: EvidenceSet,
  reason: string,
  fits: (nodeClass: NodeClassEvidence) => boolean,
): Match | undefined {
  for (const pool of evidence.all('nodePool')) {
    const condition = conditionOf(pool, 'NodeClassReady');
    const nodeClass = evidence.all('nodeClass').find(({ name }) => name === pool.nodeClass.name);
    const told = condition?.status === 'False' && condition.reason === reason;
    // What is seen now counts more than a condition that may be a moment old.
    if (nodeClass === undefined ? !told : !fits(nodeClass)) continue;
    const facts = { nodePool: pool.name, nodeClass: pool.nodeClass.name, kind: pool.nodeClass.kind };
    const words = told
      ? `NodeClassReady is False, ${reason}`
      : `references ${pool.nodeClass.kind} ${pool.nodeClass.name}`;
    return { facts, seen: [seen(pool, words)] };
  }
  return undefined;
}

function otherClassProblem(
  evidence: EvidenceSet,
  isClassReason: (reason: string) => boolean,
): Match | undefined {
  for (const nodeClass of evidence.all('nodeClass')) {
    const condition = nodeClass.conditions.find(
      ({ type, status, reason = '' }) =>
        status === 'False' && type !== 'Ready' && !SUMS.has(reason) && !isClassReason(reason),
    );
    if (condition === undefined) continue;
    return {
      facts: { nodeClass: nodeClass.name, problem: `${condition.type}, ${problemOf(condition)}` },
      seen: [seen(nodeClass, `${condition.type} is False, ${condition.reason}: ${condition.message ?? ''}`)],
    };
  }
  return undefined;
}

function unseenClass(evidence: EvidenceSet): Match | undefined {
  for (const nodeClass of evidence.all('nodeClass')) {
    const waiting = nodeClass.conditions.filter(
      ({ type, status, reason, lastTransitionTime }) =>
        type !== 'Ready' &&
        status === 'Unknown' &&
        reason === 'AwaitingReconciliation' &&
        evidence.ageMs(Date.parse(lastTransitionTime)) > UNSEEN_MS,
    );
    const [first] = waiting;
    if (first === undefined) continue;
    const conditions = waiting.map(({ type }) => type).join(', ');
    return {
      facts: { nodeClass: nodeClass.name, since: first.lastTransitionTime, conditions },
      seen: [seen(nodeClass, `${conditions}: Unknown, AwaitingReconciliation`)],
    };
  }
  return undefined;
}
