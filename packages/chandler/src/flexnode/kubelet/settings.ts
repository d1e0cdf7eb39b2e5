/**
 * The settings of the kubelet: each with its field of KubeletConfiguration and, if kubelets still support it, its flag.
 * Flags are written to `/etc/default/kubelet`, as in the original document, and fields to the config file. A flag takes
 * precedence over the file, so a setting in `node.kubelet.extraConfig` has no flag.
 */
import type { FlexConfig } from '../config/config.ts';
import { kubeletPaths } from './paths.ts';
import type { Version } from './version.ts';

export interface KubeletSetting {
  /** Path in KubeletConfiguration; without one it is a flag alone. */
  readonly field?: readonly [string, ...string[]];
  /** As the file has it. */
  readonly value?: unknown;
  readonly flag?: string;
  /** As the flag has it. */
  readonly text?: string;
  /** First minor of 1.x that knows it. */
  readonly from?: number;
  /** First minor of 1.x in which the kubelet rejects the flag. The field of the config file, if there is one, stays. */
  readonly flagUntil?: number;
}

/** What the machine and the cluster add to the config. */
export interface KubeletSurroundings {
  /** The cluster's DNS service, as the cluster says. */
  readonly dnsServiceIp?: string;
  /** There is a CA that signs the API server's client certificate. */
  readonly clientCa: boolean;
  /** systemd-resolved keeps the servers' list there; the stub address must not reach pods. */
  readonly resolvConf: string;
}

/** Suites with forward secrecy only; TLS 1.3 has its own, which cannot be chosen. */
export const TLS_SUITES: readonly string[] = [
  'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
  'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305',
  'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384',
  'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305',
  'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
];

/** One pod may not starve the machine of process ids; most need a few dozen. */
export const POD_PIDS_LIMIT = 4096;

export function kubeletSettings(
  config: FlexConfig,
  surroundings: KubeletSurroundings,
): readonly KubeletSetting[] {
  const { node, networking, security } = config;
  const { kubelet } = node;
  const dns = networking.dnsServiceIpGiven
    ? networking.dnsServiceIp
    : (surroundings.dnsServiceIp ?? networking.dnsServiceIp);
  return [
    both(['address'], 'address', '0.0.0.0'),
    both(['authentication', 'anonymous', 'enabled'], 'anonymous-auth', false),
    both(['authentication', 'webhook', 'enabled'], 'authentication-token-webhook', true),
    ...(surroundings.clientCa
      ? [both(['authentication', 'x509', 'clientCAFile'], 'client-ca-file', kubeletPaths(config).clientCa)]
      : []),
    both(['authorization', 'mode'], 'authorization-mode', 'Webhook'),
    both(['cgroupDriver'], 'cgroup-driver', 'systemd'),
    both(['cgroupsPerQOS'], 'cgroups-per-qos', true),
    { ...both(['clusterDNS'], 'cluster-dns', [dns]), text: dns },
    both(['clusterDomain'], 'cluster-domain', networking.clusterDomain),
    { ...both(['enforceNodeAllocatable'], 'enforce-node-allocatable', ['pods']), text: 'pods' },
    both(['eventRecordQPS'], 'event-qps', 0),
    ...mapSetting('evictionHard', 'eviction-hard', kubelet.evictionHard, '<'),
    both(['imageGCHighThresholdPercent'], 'image-gc-high-threshold', kubelet.imageGcHighThreshold),
    both(['imageGCLowThresholdPercent'], 'image-gc-low-threshold', kubelet.imageGcLowThreshold),
    ...mapSetting('kubeReserved', 'kube-reserved', kubelet.kubeReserved, '='),
    both(['maxPods'], 'max-pods', node.maxPods),
    both(['nodeStatusUpdateFrequency'], 'node-status-update-frequency', '10s'),
    { flag: 'pod-infra-container-image', text: config.containerd.pauseImage, flagUntil: 35 },
    both(['podPidsLimit'], 'pod-max-pids', POD_PIDS_LIMIT),
    both(['protectKernelDefaults'], 'protect-kernel-defaults', true),
    both(['readOnlyPort'], 'read-only-port', 0),
    both(['resolvConf'], 'resolv-conf', surroundings.resolvConf),
    both(['streamingConnectionIdleTimeout'], 'streaming-connection-idle-timeout', '4h'),
    { ...both(['tlsCipherSuites'], 'tls-cipher-suites', TLS_SUITES), text: TLS_SUITES.join(',') },
    both(['tlsMinVersion'], 'tls-min-version', 'VersionTLS12'),
    { field: ['rotateCertificates'], value: security.tlsBootstrap },
    { field: ['staticPodPath'], value: config.paths.kubernetes.manifestsDir },
    { field: ['volumePluginDir'], value: config.paths.kubernetes.volumePluginDir },
    { flag: 'hostname-override', text: config.agent.nodeName },
    ...(kubelet.nodeIp === undefined ? [] : [{ flag: 'node-ip', text: kubelet.nodeIp }]),
    ...taintSetting(node.taints),
  ];
}

/** The flags that this kubelet is started with, sorted by name. */
export function kubeletFlags(
  settings: readonly KubeletSetting[],
  version: Version,
  extraConfig: Readonly<Record<string, unknown>>,
): readonly string[] {
  return settings
    .filter((setting) => setting.flag !== undefined)
    .filter(({ from, flagUntil }) => known(version, from, flagUntil))
    .filter(({ field }) => field === undefined || !takenOver(extraConfig, field))
    .map(({ flag, text, value }) => `--${flag}=${text ?? String(value)}`)
    .sort((one, other) => (one < other ? -1 : 1));
}

// ---------------------------------------------------------------------------------------------------

function both(field: readonly [string, ...string[]], flag: string, value: unknown): KubeletSetting {
  return { field, flag, value };
}

/** An empty map is left out: passed empty, it would switch off what the kubelet does by itself. */
function mapSetting(
  field: string,
  flag: string,
  map: Readonly<Record<string, string>>,
  sign: '<' | '=',
): readonly KubeletSetting[] {
  const keys = Object.keys(map).sort();
  if (keys.length === 0) return [];
  const value = Object.fromEntries(keys.map((key) => [key, map[key]!]));
  const text = keys.map((key) => `${key}${sign}${map[key]}`).join(',');
  return [{ field: [field], flag, value, text }];
}

function taintSetting(taints: readonly string[]): readonly KubeletSetting[] {
  if (taints.length === 0) return [];
  return [
    {
      field: ['registerWithTaints'],
      value: taints.map(parseTaint),
      flag: 'register-with-taints',
      text: taints.join(','),
    },
  ];
}

function parseTaint(taint: string): Readonly<Record<string, string>> {
  const colon = taint.lastIndexOf(':');
  const [key, value] = taint.slice(0, colon).split('=', 2) as [string, string?];
  return { key, ...(value === undefined ? {} : { value }), effect: taint.slice(colon + 1) };
}

function known(version: Version, from = 0, until = Number.POSITIVE_INFINITY): boolean {
  const minor = version.major > 1 ? Number.MAX_SAFE_INTEGER : version.minor;
  return minor >= from && minor < until;
}

/** Whether the operator's own fields name this one, or something above or below it. */
function takenOver(extra: Readonly<Record<string, unknown>>, field: readonly string[]): boolean {
  let at: unknown = extra;
  for (const name of field) {
    if (typeof at !== 'object' || at === null || Array.isArray(at)) return true;
    if (!Object.hasOwn(at, name)) return false;
    at = (at as Record<string, unknown>)[name];
  }
  return true;
}
