/**
 * Layer 7: a pod that failed as a whole, for the reason in its status. The kubelet rejected it, or stopped all of its
 * containers: how these ended is a consequence. `pods.evicted` has a row of its own.
 */
import { type Cause, podNames, seen } from '../../causes/index.ts';
import { SHOW_POD } from './container-row.ts';

const REPLACED =
  'A pod that a workload controller manages is replaced automatically: delete the failed one. Recreate a pod that has no controller.';

/** By the reason. The first row that applies is used. */
const ADVICE: readonly { readonly reason: RegExp; readonly advice: string }[] = [
  {
    reason: /^DeadlineExceeded$/,
    advice: 'Find out why the pod takes so long, or raise activeDeadlineSeconds of the pod or its Job.',
  },
  {
    // Of a pod that ran there, and of one that came too late. An older kubelet says Shutdown.
    reason: /^(?:Terminated|NodeShutdown|Shutdown)$/,
    advice: `The node was shut down: spot capacity was reclaimed, or the VM was stopped or restarted. ${REPLACED}`,
  },
  {
    reason: /^UnexpectedAdmissionError$/,
    advice: `The kubelet could not give the pod what it requests, often a device: check the device plugin on the node. ${REPLACED}`,
  },
  {
    reason: /^OutOf/,
    advice: `The node had less left than the scheduler expected: another pod came first, often one of a DaemonSet, a static pod, or one that sets nodeName itself. Do not set spec.nodeName. ${REPLACED}`,
  },
  {
    reason: /^(?:NodeAffinity|NodeName|TaintToleration)$/,
    advice: `The labels or taints of the node changed after the pod was scheduled, or the pod sets nodeName itself: compare the nodeSelector, affinity and tolerations of the pod with the node. ${REPLACED}`,
  },
  { reason: /^NodeLost$/, advice: `The node stopped reporting: check the node and its VM. ${REPLACED}` },
  {
    reason: /^Preempting$/,
    advice: `The kubelet removed the pod to make room for a critical pod: leave room for DaemonSets and static pods on the node. ${REPLACED}`,
  },
];

const OTHERWISE = `Correct what the message names. ${REPLACED}`;

export const FAILED_PODS: readonly Cause[] = [
  {
    id: 'pods.failed',
    layer: 'readiness',
    specificity: 'exact',
    title: 'The kubelet ended or rejected the pod',
    symptom:
      'The pod has failed, and its status has a reason: DeadlineExceeded, Terminated, NodeShutdown, UnexpectedAdmissionError, OutOfcpu, NodeAffinity or another one.',
    summary: '{pod} failed{where}, {problem}',
    fix: OTHERWISE,
    confirm: [SHOW_POD],
    explains: ['L7.2', 'containers.shut-down', 'nodes.lost'],
    recognise: (evidence) => {
      const pod = evidence.first('pod');
      if (pod === undefined || pod.phase !== 'Failed' || pod.deletingSinceMs !== undefined) return undefined;
      const { reason = '', message = '', nodeName } = pod;
      if (reason === '' || reason === 'Evicted') return undefined;
      const problem = message === '' ? reason : `${reason}: ${message}`;
      const where = nodeName === undefined ? '' : ` on node ${nodeName}`;
      return {
        facts: { ...podNames(pod), where, problem },
        seen: [seen(pod, problem)],
        fix: ADVICE.find((row) => row.reason.test(reason))?.advice ?? OTHERWISE,
      };
    },
  },
];
