/**
 * What the kubelet and the container runtime say of a container that they cannot start. A message that names a missing file
 * may be about the command, a mount, a hook or a library: each pattern is about one of these.
 */

/** The program of the container, as runc, crun, kernels and Windows say it. */
const PROGRAM =
  '(?:(?<![\\w/])exec:?\\s(?:\\\\?"[^"\\n]{1,2048}"|/\\S{1,1024})|CreateProcess\\b[^\\n:]{0,256}): (?:stat [^\\n]{1,2048}?: )?';

/** The first that applies counts. */
export const START_ERRORS = {
  gpuDriver:
    /nvidia-container-cli|exec:? \\?"?[^"\s]{0,256}nvidia-container|libnvidia-ml|libcuda\.so|unresolvable CDI devices[^\n]*nvidia/i,
  memory: /OOM-killed|memory limit too low|memory\.max\b[^\n]*device or resource busy/i,
  architecture: /exec format error/,
  command: new RegExp(
    `executable file\\b[^\\n]{0,1024}\\bnot found|${PROGRAM}(?:no such file or directory|The system cannot find)`,
    'i',
  ),
  permission: new RegExp(`${PROGRAM}(?:permission denied|Access is denied)`, 'i'),
  root: /runAsNonRoot|non-numeric user|breaks non-root policy/i,
  config: /not found|couldn't find key/i,
} as const;

const GONE = ': no such file or directory\\b';

/** Where the layers of CRI-O and of Docker are, also with a user namespace. Elsewhere only their IDs tell them from any folder. */
const LAYERS = '/(?:containers/storage|docker(?:/\\d{1,10}\\.\\d{1,10})?)';
const PART = `(?:/(?:link|lower|committed|diff|work|merged))?${GONE}`;

/**
 * The store of images of the node lacks a part that it should have: of containerd, of CRI-O, of Docker. A file in the root of a
 * layer or of a container is none of its parts: the image or the pod names it.
 */
export const STORE_BROKEN: RegExp = new RegExp(
  [
    '\\bsnapshot \\S{1,256} does not exist\\b',
    '\\bmissing parent "[^"]{0,256}" bucket\\b',
    '\\bcontent (?:digest )?sha256:[0-9a-f]{1,64}: not found\\b',
    '\\bblob not found\\b|\\bfailed to get image from containerd\\b',
    `/io\\.containerd\\.snapshotter\\.[\\w.-]{1,64}/snapshots(?:/(?:new-)?\\d{1,16}(?:/(?:fs|work))?)?${GONE}`,
    `/io\\.containerd\\.content\\.[\\w.-]{1,64}/blobs(?:/sha256(?:/[0-9a-f]{1,64})?)?${GONE}`,
    `/io\\.containerd\\.content\\.[\\w.-]{1,64}/ingest(?:/\\w{1,64}(?:/\\w{1,16})?)?${GONE}`,
    `/io\\.containerd\\.metadata\\.[\\w.-]{1,64}/meta\\.db${GONE}`,
    `/image/overlay2/(?:imagedb|layerdb|distribution)(?:/[^\\s:]{1,256})?${GONE}`,
    `${LAYERS}/overlay2?/(?:l/)?[\\w-]{1,128}${PART}`,
    `/overlay2?/(?:l/[a-z0-9]{26}|[0-9a-f]{64}(?:-init)?)${PART}`,
    `(?:${LAYERS}/overlay-(?:images|layers)|/overlay-(?:images|layers)/[0-9a-f]{64})/[^\\s:]{1,256}${GONE}`,
    '\\b(?:image|layer) not known\\b|\\blayer does not exist\\b',
  ].join('|'),
  'i',
);

/** The runtime may only have collected what a pull before has left, while the next one began: it tries again. */
export const STORE_COLLECTED: RegExp =
  /\bparent snapshot \S{1,256} does not exist\b|\bmissing parent "[^"]{0,256}" bucket\b/i;

export const REPAIR_STORE =
  'Drain the node and delete its NodeClaim, so that the pod starts on another node. To keep the node: delete the pod and the image on the node (crictl rmi), and restart the container runtime. If it stays, drain the node first, then stop the runtime and clear its store: every pod on the node loses its root file system with it. It is no fault of the image.';

export type StartError = keyof typeof START_ERRORS;

export function startErrorOf(message: string): StartError | undefined {
  return ORDER.find((name) => START_ERRORS[name].test(message));
}

/** Other words for a start that fails, and what helps then. */
export interface StartAdvice {
  readonly says: RegExp;
  readonly title: string;
  readonly fix: string;
}

export const START_ADVICE: readonly StartAdvice[] = [
  { says: STORE_BROKEN, title: 'The image store of the node is damaged', fix: REPAIR_STORE },
  {
    says: /container operating system does not match the host|0xc0370101/i,
    title: 'The image is for another version of Windows than the node',
    fix: 'Windows containers need the build of their host: select it with node.kubernetes.io/windows-build in the nodeSelector of the pod, or use an image for the Windows version of the node.',
  },
  {
    says: /context deadline exceeded|failed to reserve container name|\bname "[^"]*" is reserved/i,
    title: 'The container runtime is slow to create the container',
    fix: 'The container runtime is still busy with an earlier try: it usually waits for the disk of the node, which is throttled or has too much to do. Wait some minutes. If it stays so, use a larger or faster disk of the node (size, IOPS, ephemeral OS disk) or a larger VM size, and look for pods that write much.',
  },
  {
    says: /failed to sync (?:secret|configmap) cache|services have not yet been read|object \S+ not registered|is forbidden/i,
    title: 'The kubelet cannot read what the container needs',
    fix: 'A kubelet that has just started reads ConfigMaps, Secrets and Services within a minute. If it stays so, check whether the kubelet reaches the API server and may read them: it may read those that the pods of its node name.',
  },
];

// ---------------------------------------------------------------------------------------------------

const ORDER = Object.keys(START_ERRORS) as readonly StartError[];
