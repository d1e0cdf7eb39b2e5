/**
 * Where a code alone points to the wrong thing, or to nothing, and a line of the log, or the image, shows the cause. First
 * match wins. Collected up to 2026-11 from public reports: the image without oras is AgentBaker issue 7907 (the last good
 * version was 202601.13.0), the missing `nc` aks-engine issue 575, the purge aks-engine issue 2180; the others are what
 * tools print.
 */
import type { CseGroup } from './codes.table.ts';
import type { CseOs } from './name-code.ts';

export interface MisleadingRow {
  readonly id: string;
  /** The row that finds the same thing by another sign; the cause is named after it. */
  readonly sameAs?: string;
  /** Only for these codes; all when absent. */
  readonly codes?: readonly number[];
  /** Only for codes of these groups; all when absent. */
  readonly groups?: readonly CseGroup[];
  /** On which codes are meant: a row for certain codes is about Linux where this is absent. */
  readonly os?: CseOs | undefined;
  /** The log must say this. */
  readonly says?: RegExp;
  /** It must be the end of the log: no command ran after it, other than those that wait (`last-step.ts`). */
  readonly atEnd?: boolean;
  /** The last attempt must say it: no later line tells another result (`ANOTHER_RESULT`). */
  readonly lastAttempt?: true;
  /** The line to quote, where it is another one than that which says it. */
  readonly line?: RegExp;
  /** The image must be this one. */
  readonly image?: RegExp;
  /** Why the code is not to be taken at its word. */
  readonly because: string;
  /** What was really found. */
  readonly really: string;
  /** What to do, instead of what the code suggests. */
  readonly hint: string;
  /** A script that shows it on the machine; its log when absent. */
  readonly look?: string | undefined;
  /** Whether another machine of the same kind would fail again, where that differs from the code's own answer. */
  readonly deterministic?: boolean;
}

const ORAS_CODES = [45, 207, 208, 209, 210, 211, 212, 231, 232, 233];
const OVER_THE_NETWORK: readonly CseGroup[] = [
  'download',
  'packages',
  'registry',
  'egress',
  'gpu',
  'tlsBootstrap',
];

const ANY_SERVER: readonly CseGroup[] = [...OVER_THE_NETWORK, 'apiServer', 'metadata', 'dns', 'trust'];

/**
 * A result of a step: scripts repeat what fails, and go on after what they can do without. Not curl's 23, which is what a
 * full disk gives.
 */
export const ANOTHER_RESULT =
  /(?:connect|curl|wget|\bnc\b|dial tcp).{0,200}(?:timed? ?out|refused|unreachable|No route|reset by peer)|^curl: \((?!23\))\d+\)|^(?:E: |Err:\d).{0,300}(?:timed? ?out|refused|unreachable|\b40[34]\b|Hash Sum)|unknown flag|failed to run Kubelet/i;

const OTHER_IMAGE =
  'Use another version of the node image: pin the last working version, or wait for the next one. Network and identity are not the cause.';

export const MISLEADING: readonly MisleadingRow[] = [
  {
    id: 'oras-missing',
    codes: ORAS_CODES,
    says: /\boras: (?:command )?not found|\boras: No such file|exec: "oras"|command not found: oras|no oras in \(|oras binary (?:is )?(?:not found|missing)/i,
    because: 'the code refers to the registry, but the log shows that the program `oras` was not found',
    really: 'the oras binary is missing in the node image; nothing was sent over the network',
    hint: OTHER_IMAGE,
    look: 'command -v oras || echo no oras',
    deterministic: true,
  },
  {
    id: 'oras-missing-in-known-image',
    sameAs: 'oras-missing',
    codes: [211],
    image: /V3\w*\/versions\/202601\.27\.0$|AzureLinux\w*V3\w*-202601\.27\.0$/i,
    because:
      'this image version (Azure Linux 3, 202601.27.0) is known to fail with this code without a network problem',
    really: 'the oras binary is missing in the node image',
    hint: OTHER_IMAGE,
    look: 'command -v oras || echo no oras',
    deterministic: true,
  },
  {
    id: 'disk-full',
    lastAttempt: true,
    // Watches, cgroups and semaphores are refused with the same words, on a disk with space.
    says: /^(?!.*(?:\bwatch|inotify|cgroup|cpuset|\bsem(?:get|aphore))).*No space left on device/im,
    because: 'a file could not be written',
    really: 'the OS disk is full',
    hint: 'Increase spec.osDiskSizeGB of the node class, or reduce the disk usage (swap, cached images).',
    look: 'df -h /',
    deterministic: true,
  },
  {
    id: 'probe-tool-missing',
    codes: [50, 51],
    says: /failed to run command [‘'"]?nc\b|\bnc: (?:command )?not found|\bcurl: (?:command )?not found/,
    because: 'the code refers to connectivity, but the program that tests it was not found',
    really: 'the node image lacks the program (nc or curl) that the connectivity check uses',
    hint: OTHER_IMAGE,
    look: 'command -v nc curl',
    deterministic: true,
  },
  {
    id: 'primary-nic-address',
    codes: [34],
    says: /\bPRIMARY_NIC_IP=(?:null|''|"")?(?=\s|$)|\bPRIMARY_NIC_IP: unbound variable|--node-ip(?:=|\s{1,4})(?:""|''|null\b|(?=\s{0,8}(?:--|$)))|invalid argument "" for "?--node-ip|primary NIC(?: IP)?(?: address)?(?: is| was)? (?:not (?:found|set)|unset|empty)/im,
    because: 'the kubelet was started with the address of the primary network interface, and it is not set',
    really: 'the node did not find the address of its primary network interface',
    hint: 'Check that the metadata service (169.254.169.254) responds on the node and shows an address for the first network interface, and that NO_PROXY includes it. The flags of the kubelet are not the cause. A new VM usually works.',
    look: "curl -sS -H Metadata:true --noproxy '*' 'http://169.254.169.254/metadata/instance/network?api-version=2021-02-01'; ip addr",
    deterministic: false,
  },
  {
    id: 'python-program',
    codes: [215],
    says: /Traceback \(most recent call last\)/,
    line: /^(?:[A-Za-z_][\w.]{0,100}(?:Error|Exception|Exit|Interrupt|Warning))(?::|$)/,
    because:
      'the code refers to the DNS servers, but the log shows that a Python program ended with an exception',
    really: 'a Python program of the node image failed before it asked a DNS server',
    hint: 'Use another version of the node image: pin the last working version, or wait for the next one. Check the DNS servers of the virtual network only if another version fails as well.',
    look: 'python3 --version; resolvectl status --no-pager',
    deterministic: true,
  },
  {
    id: 'time-interval',
    codes: [125],
    says: /timeout: invalid time interval/,
    because:
      'the code is that of the program `timeout`, which was started with a duration that it cannot read',
    really: 'a command of the script was never run, because its time limit is not a valid duration',
    hint: 'The time limit is empty or malformed in the script of this node image, or in a value that the cluster passes to it. Use another version of the node image, and check what was changed last in the node class. Another VM fails in the same way.',
    look: "grep -n 'timeout ' /opt/azure/containers/provision*.sh | head -n 20",
    deterministic: true,
  },
  {
    id: 'package-does-not-exist',
    os: 'windows',
    codes: [33, 34, 66],
    says: /BlobNotFound|The specified blob does not exist|\(404\) Not Found/i,
    because: 'the connection was established, and the server answered that there is no such file',
    really: 'the package that the node downloads does not exist at its address',
    hint: 'There is no package for Windows of this Kubernetes version at the address: it was removed, or is not published yet. Use another patch version of Kubernetes, or a newer Windows image, which contains its packages. The network is not the cause.',
    deterministic: true,
  },
  {
    id: 'clock',
    groups: ANY_SERVER,
    lastAttempt: true,
    says: /certificate (?:has expired or )?is not yet valid|certificate is not yet valid|current time \S{1,40} is before/i,
    because:
      'the connection was established, but the certificate was rejected because of its validity period',
    really: 'the clock of the VM is wrong, or the certificate of the server has expired',
    hint: 'Check the time on the node (chronyc tracking) and the validity period of the certificate.',
    look: 'date -u; chronyc tracking',
  },
  {
    id: 'intercepted',
    groups: ANY_SERVER,
    lastAttempt: true,
    says: /certificate signed by unknown authority|unable to get local issuer certificate|self[- ]signed certificate in certificate chain/i,
    because: 'the connection was established, but the certificate of the server is not trusted',
    really: 'a firewall or proxy between the node and the server intercepts TLS and replaces certificates',
    hint: 'Exempt the endpoints that AKS requires from TLS inspection, or add the CA to the cluster (custom CA trust).',
    look: 'openssl s_client -connect mcr.microsoft.com:443 -servername mcr.microsoft.com </dev/null | head -n 20',
    deterministic: true,
  },
  {
    id: 'proxy',
    groups: ANY_SERVER,
    lastAttempt: true,
    says: /proxyconnect tcp|Proxy Authentication Required|Received HTTP code 40[37] from proxy|Could not resolve proxy/i,
    because: 'the connection failed at the HTTP proxy',
    really: 'the HTTP proxy of the cluster rejects connections or cannot be reached',
    hint: 'Check the httpProxyConfig of the cluster (URL, noProxy, trustedCa), and check the proxy.',
    look: 'env | grep -i proxy; cat /etc/environment',
    deterministic: true,
  },
  {
    id: 'name-resolution',
    lastAttempt: true,
    groups: OVER_THE_NETWORK,
    says: /Could not resolve (?:host|'?\w)|Temporary failure in name resolution|Temporary failure resolving|Name or service not known|no such host|server misbehaving|Resolving timed out|getaddrinfo|forward host lookup failed|can't find \S{1,253}: (?:NXDOMAIN|SERVFAIL|REFUSED)|no servers could be reached/i,
    because: 'the log shows a failed DNS lookup, and no connection was attempted',
    really: 'the name of the server could not be resolved on the node',
    hint: 'Check the DNS servers of the virtual network. They must respond and resolve public names.',
    look: 'cat /etc/resolv.conf; nslookup mcr.microsoft.com',
  },
  {
    id: 'package-lock',
    lastAttempt: true,
    groups: ['packages', 'gpu', 'download'],
    says: /Could not get lock \/var\/lib\/(?:dpkg|apt)|dpkg frontend lock is locked|is another process using it/i,
    because: 'the package manager stopped before it contacted a package server',
    really: 'another process held the package lock',
    hint: 'Check which other processes install packages while the node starts (agents, extensions, unattended upgrades). A retry may succeed.',
    look: 'fuser -v /var/lib/dpkg/lock-frontend',
    deterministic: false,
  },
  {
    id: 'package-lock-until-timeout',
    sameAs: 'package-lock',
    codes: [98, 124],
    says: /Could not get lock \/var\/lib\/(?:dpkg|apt)|dpkg frontend lock is locked|is another process using it|Waiting for (?:cache |release of )?(?:apt |dpkg )?(?:frontend )?locks?\b|(?:^|\n)\s{0,8}\++ (?:wait_for_\w{1,20}_locks|fuser \S{0,40}\/(?:dpkg|apt)\/)[^\n]{0,200}\s*$/i,
    atEnd: true,
    line: /Could not get lock|lock is locked|is another process using it|Waiting for|wait_for_\w{1,20}_locks|\bfuser\b/i,
    because: 'the code refers to a timeout, and the log ends while the script waits for the package lock',
    really: 'another process held the package lock',
    hint: 'Check which other processes install packages while the node starts (agents, extensions, unattended upgrades). A retry may succeed.',
    look: 'fuser -v /var/lib/dpkg/lock-frontend',
    deterministic: false,
  },
  {
    id: 'purge',
    codes: [102],
    says: /\bpurge\b|apt_get_purge|\bRemoving \S+ \(/i,
    line: /^E: |^dpkg: |purge|Removing/i,
    because: 'packages are removed in this step, and nothing is downloaded',
    really: 'packages that the node does not need could not be removed',
    hint: 'Package mirrors and the network are not the cause. Check the state of dpkg, and which other processes change packages while the node starts (agents, extensions, unattended upgrades). A retry may succeed; if not, use another version of the node image.',
    look: 'dpkg --audit; tail -n 50 /var/log/dpkg.log',
  },
  {
    id: 'out-of-memory',
    codes: [1, 137],
    says: /Out of memory: Killed process|oom-kill|oom_reaper/i,
    because: 'the script was killed',
    really: 'the VM ran out of memory during provisioning',
    hint: 'Exclude VM sizes with little memory (requirements of the NodePool).',
    look: "dmesg | grep -i 'out of memory'; free -m",
    deterministic: true,
  },
  {
    id: 'name-never-defined',
    codes: [1],
    says: /(?:^|\n)\s{0,8}\+ exit\s*$/,
    line: /^\++ (?!exit\b)\S/,
    because:
      'the script ran `exit` with a variable that is not set, so its exit code is that of the command before it',
    really: 'a step failed, and its own code is unknown',
    hint: 'Find the step that failed in the last lines of the log.',
  },
];
