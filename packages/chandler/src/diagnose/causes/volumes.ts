/** Layer 7: between node and container: volumes and the pod's network. Read from the kubelet's events. */
import { type Cause, podNames, seen, startFailure } from '../../causes/index.ts';
import { SHOW_POD } from './container-row.ts';

/** The newest failure of a sandbox has one of these causes. */
const SANDBOX = 'FailedCreatePodSandBox';
const SANDBOX_SAYS: readonly (readonly [id: string, says: RegExp])[] = [
  ['pods.runtime-class', /no runtime for "[^"]*" is configured/i],
  ['images.sandbox-image', /(?:get|pull)(?:ing)? sandbox image/i],
  // The plugin fails like everything else on the node.
  ['pods.sandbox-failed', /no space left on device|read-only file ?system|cannot allocate memory/i],
  [
    'network.sandbox-failed',
    /plugin type=|network ?plugin|\bnetwork (?:for|of|is not ready|not ready)\b|cni/i,
  ],
];
const EXACT_SANDBOX: ReadonlySet<string> = new Set(['pods.runtime-class', 'images.sandbox-image']);

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
  sandboxRow(
    'network.sandbox-failed',
    'The network of the pod cannot be set up',
    'Check the pods of the network plugin on this node, and their logs.',
  ),
  sandboxRow(
    'pods.runtime-class',
    'The node has no runtime for the RuntimeClass of the pod',
    'Check the DaemonSet or operator that configures this runtime on nodes (for nvidia: the GPU operator), and its pods on this node. Or select nodes that have the runtime, or remove runtimeClassName from the pod.',
  ),
  sandboxRow(
    'images.sandbox-image',
    'The sandbox image of the node cannot be pulled',
    'The container runtime of the node pulls this image itself, before any image of the pod: check the way from the node to the registry (firewall, routes, DNS, proxy), the credentials of the node, and mirrors in the configuration of the runtime.',
  ),
  sandboxRow(
    'pods.sandbox-failed',
    'The sandbox of the pod cannot be created',
    'The message names what fails: the disk or the memory of the node, or its container runtime. If other pods on the node fail in the same way, drain the node and delete its NodeClaim.',
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

function sandboxRow(id: string, title: string, fix: string): Cause {
  return {
    ...eventRow(id, [SANDBOX], title, fix),
    specificity: EXACT_SANDBOX.has(id) ? 'exact' : 'particular',
    recognise: (evidence) => {
      const match = startFailure(evidence, [SANDBOX]);
      const problem = match?.facts['problem'] ?? '';
      const [found] = SANDBOX_SAYS.find(([, says]) => says.test(problem)) ?? ['pods.sandbox-failed'];
      return found === id ? match : undefined;
    },
  };
}

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
