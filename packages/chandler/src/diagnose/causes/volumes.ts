/** Layer 7: between node and container: volumes and the pod's network. Read from the kubelet's events. */
import { type Cause, podNames, seen, startFailure } from '../../causes/index.ts';
import { SHOW_POD } from './container-row.ts';

export const VOLUMES: readonly Cause[] = [
  eventRow(
    'volumes.attach-failed',
    ['FailedAttachVolume'],
    'A volume cannot be attached to the node',
    'The volume may be attached to another node (wait, or check VolumeAttachments) or be in another zone, or the VM size cannot attach more disks.',
  ),
  eventRow(
    'volumes.multi-attach',
    ['FailedAttachVolume'],
    'The volume is still attached to another node',
    'Wait until the other pod is deleted. If its node does not answer, the pod may still run there and write to the volume: first make sure that the VM of that node is stopped or deleted (deleting its NodeClaim deletes the VM). Then set the taint node.kubernetes.io/out-of-service=nodeshutdown:NoExecute on that node, which deletes its pods and detaches their volumes. Do not delete VolumeAttachments, and no pods with --force, before.',
    /Multi-Attach/i,
  ),
  eventRow(
    'volumes.mount-failed',
    ['FailedMount'],
    'A volume cannot be mounted',
    'The message names the volume. Typical causes: a missing Secret or ConfigMap, the wrong file system type, or a CSI driver that does not run on the node.',
  ),
  eventRow(
    'network.sandbox-failed',
    ['FailedCreatePodSandBox'],
    'The network of the pod cannot be set up',
    'Check the pods of the network plugin on this node, and their logs.',
  ),
  eventRow(
    'network.no-addresses',
    ['FailedCreatePodSandBox'],
    'No IP addresses are left for pods',
    'Use a larger pod subnet, lower maxPods, or use the overlay mode.',
    /no (?:more |free |available )?(?:ip )?addresses|failed to allocate (?:for range|ip)|IP ?address(?:es)? exhausted|insufficient IPs/i,
  ),
  {
    id: 'volumes.unbound',
    layer: 'scheduling',
    specificity: 'exact',
    title: 'A volume claim is not bound',
    symptom: 'The pod and one of its PersistentVolumeClaims are Pending.',
    summary: '{pod} is waiting for its volume: {problem}',
    fix: 'Check the PersistentVolumeClaim: its StorageClass, its provisioner, and disk quotas.',
    confirm: ['kubectl describe pvc -n {namespace}', SHOW_POD],
    explainedBy: ['scheduling.storage-class-missing', 'scheduling.volume-missing'],
    recognise: (evidence) => {
      const pod = evidence.first('pod');
      if (
        pod === undefined ||
        pod.phase !== 'Pending' ||
        pod.nodeName !== undefined ||
        pod.unboundVolumes.length === 0
      )
        return undefined;
      const problem = pod.unboundVolumes.map(({ claim, problem: why }) => `${claim}: ${why}`).join('; ');
      return { facts: { ...podNames(pod), problem }, seen: [seen(pod, problem)] };
    },
  },
];

// ---------------------------------------------------------------------------------------------------

function eventRow(id: string, reasons: readonly string[], title: string, fix: string, says?: RegExp): Cause {
  return {
    id,
    layer: 'readiness',
    specificity: says === undefined ? 'particular' : 'exact',
    title,
    symptom: `The pod is assigned to a node and has the event ${reasons.join(' or ')}. None of its containers has been created since.`,
    summary: `${title} ({pod} on {node}): {problem}`,
    fix,
    confirm: [SHOW_POD],
    recognise: (evidence) => startFailure(evidence, reasons, says),
  };
}
