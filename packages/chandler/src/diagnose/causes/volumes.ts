/** Layer 7: between node and container: volumes and the pod's network. Read from the kubelet's events. */
import {
  type Cause,
  type EvidenceSet,
  type Match,
  NOT_PREPARED,
  NOT_PREPARED_REASONS,
  podNames,
  seen,
  startFailure,
} from '../../causes/index.ts';
import { SHOW_POD } from './container-row.ts';
import { STORE_BROKEN } from './start-errors.ts';

/** The newest of these failures has one of the causes below. */
const SANDBOX = 'FailedCreatePodSandBox';
const NETWORK = 'NetworkNotReady';
const NO_ADDRESSES =
  /no (?:more |free |available )?(?:ip )?addresses|failed to allocate (?:for range|ip)|IP ?address(?:es)? exhausted|insufficient IPs|\bno(?:t enough)? (?:more |free |available )?IPs?(?: currently)? available|range is full|CIDR ranges are exhausted/i;
/** The words of runc, and of CRI-O. */
const LOW_MEMORY =
  /OOM-killed|memory limit (?:\S+ )?too low|memory\.(?:max|limit_in_bytes): (?:device or resource busy|invalid argument)/i;
const SANDBOX_SAYS: readonly (readonly [id: string, says: RegExp])[] = [
  ['pods.runtime-class', /no runtime for "[^"]*" is configured/i],
  ['pods.memory-limit', LOW_MEMORY],
  // The plugin and the image fail like everything else on the node.
  ['pods.sandbox-failed', /no space left on device|read-only file ?system|cannot allocate memory/i],
  ['pods.sandbox-failed', STORE_BROKEN],
  ['images.sandbox-image', /(?:get|pull)(?:ing)? sandbox image/i],
  ['network.no-addresses', NO_ADDRESSES],
  [
    'network.sandbox-failed',
    /plugin type=|network ?plugin|\bnetwork (?:for|of|is not ready|not ready)\b|(?<![\w-])cni(?![\w-])/i,
  ],
];
/** The names of pods are no words of the runtime. */
const NAMED = /"[^"\s]*"/g;
const EXACT_SANDBOX: ReadonlySet<string> = new Set(['pods.runtime-class', 'images.sandbox-image']);

const ATTACH_FAILED = ['FailedAttachVolume'];
const MULTI_ATTACH = /Multi-Attach/i;
const NOT_MULTI_ATTACH = /^(?!.*Multi-Attach)/is;
const MOUNT_FAILED = ['FailedMount', 'FailedMapVolume'];

export const VOLUMES: readonly Cause[] = [
  {
    ...eventRow(
      'volumes.attach-failed',
      ATTACH_FAILED,
      'A volume cannot be attached to the node',
      'The volume may be attached to another node (wait, or check VolumeAttachments) or be in another zone, or the VM size cannot attach more disks.',
    ),
    recognise: (evidence) => startFailure(evidence, ATTACH_FAILED, NOT_MULTI_ATTACH),
  },
  eventRow(
    'volumes.multi-attach',
    ATTACH_FAILED,
    'The volume is still attached to another node',
    'Wait until the other pod is deleted. If its node does not answer, the pod may still run there and write to the volume: first make sure that the VM of that node is stopped or deleted (deleting its NodeClaim deletes the VM). Then set the taint node.kubernetes.io/out-of-service=nodeshutdown:NoExecute on that node, which deletes its pods and detaches their volumes. Do not delete VolumeAttachments, and no pods with --force, before.',
    MULTI_ATTACH,
  ),
  {
    ...eventRow(
      'volumes.mount-failed',
      MOUNT_FAILED,
      'A volume cannot be mounted',
      'The message names the volume. Typical causes: a missing Secret or ConfigMap, the wrong file system type, or a CSI driver that does not run on the node.',
    ),
    recognise: mountFailed,
  },
  eventRow(
    'volumes.resize-failed',
    ['VolumeResizeFailed', 'FileSystemResizeFailed'],
    'A volume cannot be expanded',
    'The message names the volume and what fails. Check the log of the CSI driver on this node, the size of the disk in the cloud, and the file system of the volume.',
  ),
  {
    ...eventRow(
      'volumes.ownership',
      ['VolumePermissionChangeInProgress'],
      'The kubelet changes the owner of all files of a volume',
      'Wait: the kubelet sets fsGroup on every file, each time the volume is mounted. With fsGroupChangePolicy: OnRootMismatch in the securityContext of the pod, it does so only if the root directory of the volume has another group.',
    ),
    recognise: (evidence) => {
      const match = startFailure(evidence, ['VolumePermissionChangeInProgress']);
      return match === undefined ? undefined : { ...match, weight: 'suspicious' };
    },
  },
  eventRow(
    'pods.devices-not-prepared',
    ['FailedPrepareDynamicResources'],
    'The devices that the pod claims cannot be prepared',
    'Check the DRA driver that the message names: its pods on this node, and their logs. The ResourceClaims of the pod show which devices are allocated.',
  ),
  {
    ...eventRow(
      'pods.not-prepared',
      [...NOT_PREPARED_REASONS],
      'The kubelet cannot create the directories or the cgroup of the pod',
      'The message names what fails: the disk of the node, or its cgroups. If other pods on the node fail in the same way, drain the node and delete its NodeClaim.',
      NOT_PREPARED,
    ),
    specificity: 'particular',
  },
  sandboxRow(
    'network.sandbox-failed',
    'The network of the pod cannot be set up',
    'Check the pods of the network plugin on this node, and their logs.',
    [SANDBOX, NETWORK],
  ),
  sandboxRow(
    'pods.runtime-class',
    'The node has no runtime for the RuntimeClass of the pod',
    'Check the DaemonSet or operator that configures this runtime on nodes (for nvidia: the GPU operator), and its pods on this node. Or select nodes that have the runtime, or remove runtimeClassName from the pod.',
  ),
  {
    ...sandboxRow(
      'pods.memory-limit',
      'The memory limit is too small to start the pod',
      'Raise resources.limits.memory. The container runtime itself needs some megabytes while it starts a container. The suffix m means thousandths of a byte: 128Mi is meant where 128m is written.',
    ),
    specificity: 'exact',
    symptom: 'The event FailedCreatePodSandBox says that the memory limit is too low.',
  },
  sandboxRow(
    'images.sandbox-image',
    'The sandbox image of the node cannot be pulled',
    'The container runtime of the node pulls this image itself, before any image of the pod: check the way from the node to the registry (firewall, routes, DNS, proxy), the credentials of the node, whether it trusts the certificate of the registry, and mirrors in the configuration of the runtime.',
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
    NO_ADDRESSES,
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

/** Kubelets before 1.27 also say every two minutes that volumes are missing, and not why: one may not be attached. */
function mountFailed(evidence: EvidenceSet): Match | undefined {
  const newest = startFailure(evidence, MOUNT_FAILED);
  const reason = startFailure(evidence, MOUNT_FAILED, /^(?!Unable to attach or mount volumes\b)/);
  const sinceMs = (newest?.seen[0]?.atMs ?? 0) - RETRIED_MS;
  if (reason !== undefined && (reason.seen[0]?.atMs ?? 0) >= sinceMs) return reason;
  return startFailure(evidence, ATTACH_FAILED) === undefined ? newest : undefined;
}

/** A mount is tried again after two minutes at the latest. */
const RETRIED_MS = 5 * 60_000;

function sandboxRow(id: string, title: string, fix: string, reasons: readonly string[] = [SANDBOX]): Cause {
  return {
    ...eventRow(id, reasons, title, fix),
    specificity: EXACT_SANDBOX.has(id) ? 'exact' : 'particular',
    recognise: (evidence) => {
      const match = startFailure(evidence, [SANDBOX, NETWORK]);
      const problem = match?.facts['problem'] ?? '';
      return sandboxCause(problem) === id ? match : undefined;
    },
  };
}

function sandboxCause(problem: string): string {
  const said = problem.replace(NAMED, '""');
  return SANDBOX_SAYS.find(([, says]) => says.test(said))?.[0] ?? 'pods.sandbox-failed';
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
