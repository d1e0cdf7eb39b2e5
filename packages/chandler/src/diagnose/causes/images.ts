/** Layer 7: the image of a container cannot be pulled. `L7.1` says so; the others say why, from the kubelet's message. */
import {
  type Cause,
  type ContainerEvidence,
  type EvidenceSet,
  failingPod,
  type Match,
  pullProblem,
  scheduledMs,
  seen,
} from '../../causes/index.ts';
import { failingContainer, SHOW_POD } from './container-row.ts';
import { REPAIR_STORE, STORE_BROKEN, STORE_COLLECTED } from './start-errors.ts';

/** Of a file of the node, Linux says "permission denied" and Windows "Access is denied". */
const REFUSED = '(?<!\\bpermission |\\baccess is )denied';
const PULL_LIMITED = /\bpull QPS exceeded\b/i;
const PULL_LIMITED_MS = 5 * 60_000;
const STORE_COLLECTED_MS = 2 * 60_000;
/** Rows of their own, which are suspicious at first. */
const HAS_ROW: readonly RegExp[] = [PULL_LIMITED, STORE_BROKEN];

export const IMAGES: readonly Cause[] = [
  {
    id: 'L7.1',
    layer: 'readiness',
    specificity: 'general',
    title: 'The image cannot be pulled',
    symptom: 'The pod is in ImagePullBackOff or ErrImagePull.',
    summary: 'Container {container} of {pod} is waiting for the image {image}: {problem}',
    fix: 'Check the name of the image, the permission to pull it, and the network to the registry.',
    confirm: [SHOW_POD, 'kubectl get events -n {namespace} --field-selector involvedObject.name={podName}'],
    recognise: (evidence) => {
      const match = failingContainer(evidence, (container) => {
        const problem = pullProblem(container, evidence);
        return problem === undefined || HAS_ROW.some((says) => says.test(problem)) ? undefined : problem;
      });
      const { problem = '' } = match?.facts ?? {};
      return match !== undefined && NOT_UNPACKED.test(problem) ? { ...match, ...REBUILD } : match;
    },
  },
  pullLimited(),
  pullRow(
    'not-found',
    'The image does not exist',
    saying('not found|manifest unknown|does not exist|name unknown|NAME_UNKNOWN', 404),
    'Correct the name and the tag, or push the image.',
  ),
  pullRow(
    'unauthorized',
    'The registry refuses the pull',
    saying(
      `unauthorized|authentication required|authorization failed|${REFUSED}|no basic auth|403 Forbidden`,
      401,
    ),
    'Grant the kubelet identity permission to pull from the registry (for example {pullPermission}), or give the pod a valid imagePullSecret. Check the name of the image, too: a registry may answer the same for a repository that does not exist.',
  ),
  pullRow(
    'rate-limited',
    'The registry limits the rate of pulls',
    saying('toomanyrequests|too many requests|rate limit', 429),
    'Log in to the registry, or mirror the image into a registry of your own.',
  ),
  pullRow(
    'unreachable',
    'The registry cannot be reached from the node',
    /i\/o timeout|no such host|connection refused|connection reset|network is unreachable|no route to host|TLS handshake timeout|context deadline exceeded|server misbehaving|unexpected media type text\/html/i,
    'Check egress, DNS, proxy and private endpoints of the node subnet.',
  ),
  pullRow(
    'untrusted',
    'The node does not trust the certificate of the registry',
    /\bx509:|tls: failed to verify certificate/i,
    'If the registry has a CA of its own, install this CA on the node: in the certs.d directory of containerd (/etc/containerd/certs.d/HOST/hosts.toml), or in the node image. Otherwise check what the message says: the certificate may have expired, or not have the name of the registry, and the clock of the node may be wrong. A proxy on the way may replace certificates: the node needs its CA then.',
  ),
  ofPlatform(
    pullRow(
      'wrong-platform',
      'The image has no build for the platform of the node',
      /no match for platform|no matching manifest|does not match the specified platform|exec format/i,
      'Push a build for the operating system and the architecture of the node, or select nodes that the image has a build for: kubernetes.io/os, kubernetes.io/arch, for Windows also node.kubernetes.io/windows-build.',
    ),
  ),
  pullRow(
    'no-space',
    'The node has no disk space for the image',
    /no space left on device/i,
    'Raise {osDiskSize}, or use a smaller image.',
  ),
  atFirst(
    STORE_COLLECTED,
    STORE_COLLECTED_MS,
    row(
      'store-broken',
      'The image store of the node is damaged',
      'The pod is in ImagePullBackOff or ErrImagePull, and the message says that a snapshot or a layer is not in the store of the container runtime.',
      REPAIR_STORE,
      (container, evidence) => {
        const problem = pullProblem(container, evidence);
        return problem !== undefined && STORE_BROKEN.test(problem) ? problem : undefined;
      },
    ),
    {
      title: 'The image store of the node may be damaged',
      summary:
        'A part of the image {image} was not in the store of {node} (container {container} of {pod}), which may be over at the next try: {problem}',
      fix: 'Wait: the kubelet tries again by itself, and the container runtime may only have removed what was left of a pull before.',
    },
  ),
  reasonRow('invalid-name', 'InvalidImageName', 'The name of the image is invalid', 'Correct the name.'),
  reasonRow(
    'never-pull',
    'ErrImageNeverPull',
    'The image is not on the node, and imagePullPolicy is Never',
    'Change imagePullPolicy, or add the image to the node image.',
  ),
];

// ---------------------------------------------------------------------------------------------------

/** Words of the message, or the status of an answer; a number alone may be anything. */
function saying(words: string, status: number): RegExp {
  return new RegExp(`${words}|\\b(?:status|HTTP)\\b[^\\n]{0,60}[:\\s]${status}\\b`, 'i');
}

/**
 * The kubelet limits its own pulls: those beyond the limit fail at once and are tried again. Many pods start on a new node.
 */
function pullLimited(): Cause {
  const cause = row(
    'pull-limited',
    'The kubelet starts no more pulls at once',
    'The message says: pull QPS exceeded.',
    'Wait: the kubelet tries again by itself. If it stays so, raise registryPullQPS and registryBurst of the kubelet (5 and 10 by default), or start fewer pods on a node at once.',
    (container, evidence) => {
      const problem = pullProblem(container, evidence);
      return problem !== undefined && PULL_LIMITED.test(problem) ? problem : undefined;
    },
  );
  return atFirst(PULL_LIMITED, PULL_LIMITED_MS, cause);
}

/** What ends by itself is only suspicious so long after the pod was assigned to its node. */
function atFirst(says: RegExp, usualMs: number, cause: Cause, words: Partial<Match> = {}): Cause {
  return {
    ...cause,
    recognise: (evidence) => {
      const match = cause.recognise(evidence);
      const pod = failingPod(evidence);
      if (match === undefined || pod === undefined) return undefined;
      const isUsual = says.test(match.facts['problem'] ?? '') && evidence.ageMs(scheduledMs(pod)) <= usualMs;
      return isUsual ? { ...match, ...words, weight: 'suspicious' } : match;
    },
  };
}

/** A layer changes what no layer below it has, or has one thing in place of another. */
const NOT_UNPACKED =
  /failed to extract layer\b[^\n]{0,512}(?:\/tmpmounts\/containerd-mount\d+|\/snapshots\/\d+\/fs)\/[^\n]{1,512}: (?:no such file or directory|not a directory|is a directory|file exists)\b/;
const REBUILD = {
  title: 'The image cannot be unpacked',
  fix: 'The message names a file that a layer of the image changes, and that the layers below do not have, or have as something else. Build the image anew, but drain this node if others can unpack it: a crash may have lost a layer here. If another container runtime unpacks it, update that of the node.',
} as const;

/** The image is there, and no build of it is for this node; what follows is how a runtime says that of any pull. */
const NO_BUILD = /(no match for platform in manifest[^:\n]*|no matching manifest for [^:\n]*): not found/gi;

/** Of a proxy that answers for the registry, and of a program for credentials on the node. */
const OF_NO_REGISTRY =
  /(unexpected media type text\/html[^:\n]{0,80}): not found|executable file not found/gi;

/** What a registry says that does not tell the one from the other. It refused, and that is known. */
const MISSING_OR_REFUSED = /repository does not exist or may require (?:authorization|'docker login')/gi;

/** Without names: a digest, a tag or a repository may contain any word and any number. */
function withoutNames(message: string, image: string): string {
  const rest = image === '' ? message : message.replaceAll(image, ' ');
  return rest
    .replace(/"[^"\s]*[/:@][^"\s]*"/g, ' ')
    .replace(/\bhttps?:\/\/[^\s"]+/gi, ' : ')
    .replace(/\bsha(?:256|512):[0-9a-f]+/gi, ' ')
    .replace(MISSING_OR_REFUSED, ' ')
    .replace(NO_BUILD, '$1')
    .replace(OF_NO_REGISTRY, '$1');
}

function pullRow(name: string, title: string, says: RegExp, fix: string): Cause {
  return row(
    name,
    title,
    'The pod is in ImagePullBackOff or ErrImagePull, and the message says why.',
    fix,
    (container, evidence) => {
      const problem = pullProblem(container, evidence);
      if (problem === undefined || STORE_BROKEN.test(problem)) return undefined;
      return says.test(withoutNames(problem, container.image)) ? problem : undefined;
    },
  );
}

/** With the platform of the node: for Windows, a build is also of one version of it. */
function ofPlatform(cause: Cause): Cause {
  return {
    ...cause,
    recognise: (evidence) => {
      const match = cause.recognise(evidence);
      const node = evidence.all('node').find(({ name }) => name === match?.facts['node']);
      const { 'kubernetes.io/os': os, 'kubernetes.io/arch': arch } = node?.labels ?? {};
      const build = node?.labels['node.kubernetes.io/windows-build'];
      if (match === undefined || node === undefined || os === undefined) return match;
      const platform = [os, ...(arch === undefined ? [] : [arch])].join('/');
      const version = build === undefined ? '' : `, build ${build}`;
      return {
        ...match,
        seen: [...match.seen, seen(node, `the node is ${platform}${version}`)],
        fix: os === 'windows' ? ON_WINDOWS : ON_LINUX,
      };
    },
  };
}

const ON_WINDOWS =
  'The node runs Windows. For an image for Linux, set kubernetes.io/os: linux in the nodeSelector of the pod. An image for Windows must be of the Windows version of the node: use another image, or select the version with node.kubernetes.io/windows-build.';
const ON_LINUX =
  'Push a build for the architecture of the node, or require kubernetes.io/arch in the pod. For an image for Windows, set kubernetes.io/os: windows in its nodeSelector.';

function reasonRow(name: string, reason: string, title: string, fix: string): Cause {
  return row(name, title, `The container is waiting (${reason}).`, fix, ({ waiting }) =>
    waiting?.reason === reason ? waiting.message || reason : undefined,
  );
}

function row(
  name: string,
  title: string,
  symptom: string,
  fix: string,
  test: (container: ContainerEvidence, evidence: EvidenceSet) => string | undefined,
): Cause {
  return {
    id: `images.${name}`,
    layer: 'readiness',
    specificity: 'exact',
    point: 'L7.1',
    title,
    symptom,
    summary: `${title} ({image}, container {container} of {pod}): {problem}`,
    fix,
    confirm: [SHOW_POD],
    recognise: (evidence) => failingContainer(evidence, (container) => test(container, evidence)),
  };
}
