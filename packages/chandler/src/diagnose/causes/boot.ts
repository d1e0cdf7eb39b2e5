/**
 * Layer 5, the VM itself: it does not boot, its disk fails, its kubelet is refused or does not reach the API server. Read
 * from the serial log, the cloud and the Node. Exit codes of the bootstrap script have a table of their own.
 */
import { BOOT_LINES, type BootLineKind } from '../../bootstrap/index.ts';
import {
  type BootLineOptions,
  bootLine,
  type Cause,
  type CloudErrorEvidence,
  conditionOf,
  type EvidenceSet,
  joiningClaims,
  lastLine,
  type Match,
  seen,
} from '../../causes/index.ts';

import { diskLineOfUnready } from './disk-errors.ts';

const BOOT_LOG = '{showBootLog}';
const KUBELET_LOG = '{showKubeletLog}';

const BOOTSTRAP_REFUSED =
  /cannot create certificate signing request: Unauthorized|failed to run Kubelet: (?!.*(?:no such file|unable to load bootstrap kubeconfig)).*bootstrap|certificatesigningrequests?.*(?:is forbidden|Unauthorized|denied)|Unable to register node.*Unauthorized|bootstrap token.*(?:expired|invalid|not found)/i;
const NO_KUBECONFIG = /unable to load bootstrap kubeconfig|bootstrap-kubeconfig\S*: no such file/i;
const NO_NAME =
  /lookup \S+(?: on \S+)?: (?:no such host|server misbehaving|.*(?:i\/o timeout|connection refused|network is unreachable|cannot assign requested address))|Could not resolve host|Resolving timed out|unable to resolve host address|Temporary failure in name resolution|Name or service not known/i;
const NO_WAY =
  /dial tcp(?: \S+)?: (?:i\/o timeout|connect: (?:no route to host|network is unreachable|connection timed out|connection refused))|Failed to (?:contact|connect to) (?:the )?API ?server|net\/http: TLS handshake timeout|context deadline exceeded.*(?:api|:443|:6443)/i;

export const BOOT: readonly Cause[] = [
  {
    id: 'L5.1',
    layer: 'bootstrap',
    specificity: 'exact',
    title: 'The operating system does not boot',
    symptom: 'The VM exists, but it never reports its state. No Node appears.',
    summary: 'The VM of {claim} was created, but its operating system did not start: {problem}',
    fix: 'Read the boot log. Use another image version or VM size. With a customer-managed key, check that the disk can be decrypted.',
    confirm: [BOOT_LOG, '{showInstanceAgent}'],
    explainedBy: ['L5.2', 'L5.3'],
    recognise: noBoot,
  },
  {
    id: 'boot.hangs',
    layer: 'bootstrap',
    specificity: 'exact',
    point: 'L5.1',
    title: 'The VM hangs while it boots',
    symptom: 'The last line of the serial log names a job that systemd is waiting for.',
    summary: 'The VM of {claim} is waiting for one step of its boot: {problem}',
    fix: 'Check the unit that the log names. If it is cloud-init, check its data source, the network and its scripts. Delete the NodeClaim to get another VM.',
    confirm: [BOOT_LOG],
    recognise: hangs,
  },
  {
    id: 'L5.2',
    layer: 'bootstrap',
    specificity: 'exact',
    title: 'The kubelet fails because of the disk',
    symptom: 'The Node appears but is NotReady from the start, or the kubelet does not start.',
    summary: 'The kubelet of {claim} cannot use its disk: {problem}',
    fix: 'Check the size and the health of the OS disk ({osDiskSize}, VM size, caching). Delete the NodeClaim to replace a broken VM.',
    confirm: ['kubectl describe node {node}', KUBELET_LOG],
    // A VM that failed is not the one of the node.
    breaksNodes: (evidence) => kubeletDisk(evidence) !== undefined,
    failsContainers: true,
    recognise: (evidence) => kubeletDisk(evidence) ?? failedDisk(evidence, { hasKey: false }),
  },
  {
    id: 'L5.3',
    layer: 'bootstrap',
    specificity: 'exact',
    title: 'The encrypted disk cannot be read',
    symptom:
      'The VM boots, but its file system reports errors. The disk is encrypted with a customer-managed key.',
    summary:
      'The disk of {claim} is encrypted with a customer-managed key, and the kernel reports: {problem}',
    fix: 'Check that the key and its vault are usable: a VM loses access to its disk when the key is revoked. Then delete the NodeClaim.',
    confirm: [BOOT_LOG, '{showInstanceDisk}'],
    breaksNodes: (evidence) => encryptedDisk(evidence) !== undefined,
    failsContainers: true,
    recognise: (evidence) => encryptedDisk(evidence) ?? failedDisk(evidence, { hasKey: true }),
  },
  {
    id: 'boot.no-bootstrap-kubeconfig',
    layer: 'bootstrap',
    specificity: 'particular',
    title: 'The kubelet has no bootstrap kubeconfig',
    symptom: 'The kubelet ends with "unable to load bootstrap kubeconfig". The API server was never asked.',
    summary: 'The kubelet of {claim} cannot load its bootstrap kubeconfig: {problem}',
    fix: 'The file is written by the bootstrap of the node, before the kubelet starts: find the earlier step that failed in the boot log. Check custom user data and images of your own, which may replace or skip that step.',
    confirm: [BOOT_LOG, KUBELET_LOG],
    explains: ['L5.4'],
    recognise: (evidence) => logMatch(evidence, NO_KUBECONFIG),
  },
  {
    id: 'L5.4',
    layer: 'bootstrap',
    specificity: 'particular',
    title: 'The API server refuses the new node',
    symptom: 'The kubelet runs but does not get its certificate (TLS bootstrap).',
    summary: 'The API server refuses the certificate request of the kubelet of {claim}: {problem}',
    fix: 'Check the bootstrap token, the permissions of the group system:bootstrappers, and whether certificate requests are approved.',
    confirm: [
      'kubectl get csr',
      'kubectl -n kube-system get secret -o name | grep bootstrap-token',
      KUBELET_LOG,
    ],
    recognise: (evidence) => logMatch(evidence, BOOTSTRAP_REFUSED),
  },
  {
    id: 'L5.5',
    layer: 'bootstrap',
    specificity: 'particular',
    title: 'The node cannot reach the API server',
    symptom:
      'The kubelet runs, but it reports timeouts or host names that cannot be resolved. No Node appears.',
    summary: 'The VM of {claim} cannot reach the API server ({kind}): {problem}',
    fix: 'DNS: check the DNS servers of the virtual network and, for a private cluster, the link of its private zone. Network: check security groups, routes, firewalls and authorized IP ranges.',
    confirm: ['{testApiServer}', BOOT_LOG],
    recognise: apiServerUnreachable,
  },
];

// ---------------------------------------------------------------------------------------------------

/** Time for a VM to boot and write to its serial log. */
const SILENCE_MS = 10 * 60_000;

function noBoot(evidence: EvidenceSet): Match | undefined {
  const { noBoot: stopped, firmware, initialFiles, slowDisk } = BOOT_LINES;
  const match = [stopped, firmware, initialFiles, slowDisk]
    .map((row) => logMatch(evidence, row.says, row))
    .find((each) => each !== undefined);
  if (match !== undefined && match.weight !== 'suspicious') return match;
  return failedBoot(evidence) ?? match ?? silent(evidence);
}

/** Of a VM that the cloud gave up, and that may be gone: by the line that the controller quoted, or by the cloud's own words. */
function failedBoot(evidence: EvidenceSet): Match | undefined {
  const error = osFailure(evidence);
  // It has a cause of its own.
  if (error === undefined || error.bootLine?.kind === 'hang') return undefined;
  const problem = error.bootLine?.line ?? error.message;
  return {
    facts: { claim: error.claim, problem, ...vmFact(evidence, error.claim) },
    seen: [seen(error, error.message)],
  };
}

function osFailure(evidence: EvidenceSet): CloudErrorEvidence | undefined {
  return evidence.all('cloudError').find(({ reason }) => reason === 'OSProvisioningFailed');
}

/** The controller quoted a line of that kind when the operating system of the VM did not start. */
function failedWith(evidence: EvidenceSet, ...kinds: readonly BootLineKind[]): Match | undefined {
  const error = osFailure(evidence);
  const { kind, line } = error?.bootLine ?? {};
  if (error === undefined || line === undefined || !kinds.some((each) => each === kind)) return undefined;
  return {
    facts: { claim: error.claim, problem: line, ...vmFact(evidence, error.claim) },
    seen: [seen(error, error.message)],
  };
}

/** No kubelet ran, and the VM is gone. */
const FAILED_DISK: Partial<Match> = {
  title: 'The OS disk of the VM fails',
  summary: 'The operating system of the VM of {claim} did not start. Its boot log shows: {problem}',
  fix: 'The NodeClaim is replaced. If other VMs fail in the same way, check the size and the health of the OS disk ({osDiskSize}, VM size, caching), or use another image version or VM size.',
  confirm: [BOOT_LOG],
};

function failedDisk(evidence: EvidenceSet, { hasKey }: { readonly hasKey: boolean }): Match | undefined {
  if ((osFailure(evidence)?.bootLine?.hasCustomerKey ?? false) !== hasKey) return undefined;
  const match = failedWith(evidence, 'readOnlyDisk', 'disk', 'kubeletDisk');
  return hasKey || match === undefined ? match : { ...match, ...FAILED_DISK };
}

/** The very last line of a VM that should have joined: earlier such lines are part of every boot. */
function hangs(evidence: EvidenceSet): Match | undefined {
  for (const claim of joiningClaims(evidence)) {
    const log = evidence.all('serialLog').find((each) => each.claim === claim.name);
    const last = log === undefined ? undefined : lastLine(log.text, /\S/);
    if (log === undefined || last === undefined || !BOOT_LINES.hang.says.test(last)) continue;
    if (evidence.ageMs(claim.createdAtMs) <= SILENCE_MS) continue;
    return {
      facts: { claim: claim.name, problem: last, ...vmFact(evidence, claim.name) },
      seen: [seen(log, last)],
    };
  }
  return failedWith(evidence, 'hang');
}

/** It has been running for long, and neither its serial log nor its agent has reported. */
function silent(evidence: EvidenceSet): Match | undefined {
  for (const claim of joiningClaims(evidence)) {
    const vm = evidence.all('vm').find((each) => each.claim === claim.name);
    const log = evidence.all('serialLog').find((each) => each.claim === claim.name);
    if (
      vm?.powerState !== 'running' ||
      vm.agentReady !== false ||
      vm.bootDiagnostics === false ||
      log === undefined ||
      log.text.trim() !== ''
    )
      continue;
    if (evidence.ageMs(vm.createdAtMs ?? claim.createdAtMs) <= SILENCE_MS) continue;
    const problem = 'the VM runs, its serial log is empty and its agent has not reported';
    return {
      facts: { claim: claim.name, problem, vm: vm.name },
      seen: [seen(vm, 'running, agent not ready'), seen(log, 'empty')],
    };
  }
  return undefined;
}

function vmFact(evidence: EvidenceSet, claim: string): Record<string, string> {
  const vm = evidence.all('vm').find((each) => each.claim === claim);
  return vm === undefined ? {} : { vm: vm.name };
}

/** The VM in question has a disk encryption set, or was requested with one. */
function machineHasSet(evidence: EvidenceSet): boolean {
  return (
    evidence.all('vm').some(({ diskEncryptionSetId }) => (diskEncryptionSetId ?? '') !== '') ||
    evidence.all('value').some(({ sightings }) => (sightings.at(-1)?.value ?? '') !== '') ||
    evidence
      .all('nodeClaim')
      .some(({ recordedDiskEncryptionSet: set }) => set !== undefined && set !== '' && set !== 'none')
  );
}

function kubeletDisk(evidence: EvidenceSet): Match | undefined {
  for (const node of evidence.all('node')) {
    const ready = conditionOf(node, 'Ready');
    const readOnly = conditionOf(node, 'ReadonlyFilesystem');
    const words = ready?.status === 'True' ? '' : (ready?.message ?? '');
    const disk =
      /read-only file ?system|input\/output error|failed to get rootfs|disk (?:error|failure)/i.test(words);
    if (readOnly?.status !== 'True' && !disk) continue;
    const problem =
      readOnly?.status === 'True' ? (readOnly.message ?? 'the file system is read-only') : words;
    return {
      facts: { claim: node.claim ?? node.name, node: node.name, problem },
      seen: [seen(node, problem)],
    };
  }
  const { kubeletDisk: ofKubelet } = BOOT_LINES;
  return (
    logMatch(evidence, ofKubelet.says, ofKubelet) ??
    diskOfUnready(evidence, ofKubelet.says, 'node') ??
    (machineHasSet(evidence) ? undefined : ownDisk(evidence)) ??
    dataDisk(evidence)
  );
}

function encryptedDisk(evidence: EvidenceSet): Match | undefined {
  return machineHasSet(evidence) ? ownDisk(evidence) : undefined;
}

function ownDisk(evidence: EvidenceSet): Match | undefined {
  const { readOnlyDisk, disk } = BOOT_LINES;
  return (
    logMatch(evidence, readOnlyDisk.says, readOnlyDisk) ??
    logMatch(evidence, disk.says, disk) ??
    diskOfUnready(evidence, disk.says, 'node')
  );
}

/** The log of a node that is not Ready says so now. */
function diskOfUnready(evidence: EvidenceSet, says: RegExp, of: 'node' | 'volume'): Match | undefined {
  const hit = diskLineOfUnready(evidence, says, of);
  if (hit === undefined) return undefined;
  return {
    ...(hit.isOld ? { weight: 'suspicious' } : {}),
    facts: { claim: hit.log.claim, problem: hit.line, ...vmFact(evidence, hit.log.claim) },
    seen: [seen(hit.log, hit.line)],
  };
}

/** A volume that was detached by force, or deleted, does not break the node. */
function dataDisk(evidence: EvidenceSet): Match | undefined {
  const match = diskOfUnready(evidence, BOOT_LINES.disk.says, 'volume');
  if (match === undefined) return undefined;
  return {
    ...match,
    weight: 'suspicious',
    title: 'A data disk of the node reports errors',
    summary: 'The log of the VM of {claim} ends with errors of a disk that is not its OS disk: {problem}',
    fix: 'Check the volumes of the pods on the node: the disk of one was detached while it was in use, or was deleted, or fails.',
  };
}

/** In the log of a VM that has not joined. */
function logMatch(
  evidence: EvidenceSet,
  says: RegExp | ((line: string) => boolean),
  options?: BootLineOptions,
): Match | undefined {
  const isWanted = typeof says === 'function' ? says : (line: string) => says.test(line);
  const found = bootLine(evidence, isWanted, options);
  if (found === undefined) return undefined;
  const { claim, log, line, weight } = found;
  return {
    weight,
    facts: { claim: claim.name, problem: line, ...vmFact(evidence, claim.name) },
    seen: [seen(log, line)],
  };
}

/** Itself, its metadata or its platform: not a way out of the VM. */
const INSIDE = /\blocalhost\b|\b127\.\d+\.\d+\.\d+|\[::1\]|\b169\.254\.|\b168\.63\.129\.16\b/;
/** The name or the address of a proxy, which is asked before the server. */
const OF_PROXY = /proxyconnect tcp: .*(?:lookup |dial tcp )([\w.-]+)/;
const HOST =
  /https?:\/\/([\w.-]+)|lookup ([\w.-]+)|[Cc]ould not resolve host:? ([\w.-]+)|[Cc]onnect to ([\w.-]+) port/;
/** Names that clouds give to API servers: a cluster may have a public and a private one. */
const API_SERVER_HOST = /\.(?:azmk8s\.io|azk8s\.cn)(?![\w.-])/i;
const ADDRESS = /^\d+(?:\.\d+){3}$/;
/** Programs that speak to the API server before the node has joined. */
const OF_KUBERNETES = /kubelet|kubeadm|nodeadm/i;

/**
 * The line is about the API server: it names it, or the kubelet says it and names no other host. Other services have
 * paths with `/api/v1/` as well.
 */
function isAboutApiServer(evidence: EvidenceSet, line: string): boolean {
  if (OF_PROXY.test(line)) return false;
  const apiServer = evidence.first('cluster')?.apiServerHost;
  // Names of hosts are the same in capitals: EKS writes them so.
  if (apiServer !== undefined && line.toLowerCase().includes(apiServer.toLowerCase())) return true;
  const host = hostOf(line);
  if (API_SERVER_HOST.test(host ?? line)) return true;
  const isName = host !== undefined && !ADDRESS.test(host);
  if (isName && apiServer !== undefined) return false;
  if (/:6443\b/.test(line)) return true;
  return OF_KUBERNETES.test(line) && !(host !== undefined && /image|registry|\/v2\//i.test(line));
}

function hostOf(line: string): string | undefined {
  const proxy = OF_PROXY.exec(line)?.[1];
  if (proxy !== undefined) return proxy;
  return HOST.exec(line)
    ?.slice(1)
    .find((each) => each !== undefined);
}

/** Where a name does not resolve, the name counts, and not the address of the resolver, which may be inside. */
function isInside(line: string): boolean {
  return INSIDE.test((NO_NAME.test(line) ? hostOf(line) : undefined) ?? line);
}

function apiServerUnreachable(evidence: EvidenceSet): Match | undefined {
  // A name that did not resolve at first may do so since: the later line counts.
  const isUnreachable = (line: string) => (NO_NAME.test(line) || NO_WAY.test(line)) && !isInside(line);
  // Whatever else the VM cannot reach, it needs the API server.
  const found =
    logMatch(evidence, (line) => isUnreachable(line) && isAboutApiServer(evidence, line)) ??
    logMatch(evidence, isUnreachable);
  if (found === undefined) return undefined;
  const apiServer = evidence.first('cluster')?.apiServerHost;
  const line = found.facts['problem'] ?? '';
  const facts = {
    ...found.facts,
    kind: NO_NAME.test(line) ? 'DNS' : 'network',
    ...(apiServer === undefined ? {} : { apiServer }),
  };
  if (isAboutApiServer(evidence, line)) return { ...found, facts };
  return {
    ...found,
    title: 'The node cannot reach a server that it needs',
    summary: 'The VM of {claim} cannot reach {host} ({kind}): {problem}',
    facts: { ...facts, host: hostOf(line) ?? 'a server' },
  };
}

export { isAboutApiServer, logMatch };
