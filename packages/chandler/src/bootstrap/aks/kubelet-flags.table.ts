/**
 * Flags that every kubelet on AKS gets, and those that come and go with its minor version.
 * Source: the node bootstrapping of karpenter-provider-azure, read 2026-08-21.
 */
export const CONSTANT_FLAGS: Readonly<Record<string, string>> = {
  address: '0.0.0.0',
  'anonymous-auth': 'false',
  'authentication-token-webhook': 'true',
  'authorization-mode': 'Webhook',
  'cgroups-per-qos': 'true',
  'client-ca-file': '/etc/kubernetes/certs/ca.crt',
  'cloud-provider': 'external',
  'cluster-domain': 'cluster.local',
  'enforce-node-allocatable': 'pods',
  'event-qps': '0',
  kubeconfig: '/var/lib/kubelet/kubeconfig',
  'node-status-update-frequency': '10s',
  'pod-manifest-path': '/etc/kubernetes/manifests',
  'protect-kernel-defaults': 'true',
  'read-only-port': '0',
  'resolv-conf': '/run/systemd/resolve/resolv.conf',
  'rotate-certificates': 'true',
  'streaming-connection-idle-timeout': '4h',
  'tls-cert-file': '/etc/kubernetes/certs/kubeletserver.crt',
  'tls-cipher-suites': [
    'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256',
    'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
    'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305',
    'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384',
    'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305',
    'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384',
    'TLS_RSA_WITH_AES_256_GCM_SHA384',
    'TLS_RSA_WITH_AES_128_GCM_SHA256',
  ].join(','),
  'tls-private-key-file': '/etc/kubernetes/certs/kubeletserver.key',
};

export interface VersionedFlag {
  readonly flag: string;
  readonly value: string;
  /** First minor that has it. */
  readonly from?: number;
  /** First minor that has it no more. */
  readonly until?: number;
}

export const VERSIONED_FLAGS: readonly VersionedFlag[] = [
  { flag: 'cloud-config', value: '/etc/kubernetes/azure.json', until: 34 },
  {
    flag: 'pod-infra-container-image',
    value: 'mcr.microsoft.com/oss/kubernetes/pause:3.6',
    until: 35,
  },
  { flag: 'keep-terminated-pod-volumes', value: 'false', until: 31 },
  {
    flag: 'image-credential-provider-config',
    value: '/var/lib/kubelet/credential-provider-config.yaml',
    from: 30,
  },
  {
    flag: 'image-credential-provider-bin-dir',
    value: '/var/lib/kubelet/credential-provider',
    from: 30,
  },
  { flag: 'azure-container-registry-config', value: '/etc/kubernetes/azure.json', until: 30 },
];

/** Disk signals that hold beside the memory one. A node that runs out of disk takes every pod with it. */
export const DISK_EVICTION_SIGNALS: readonly string[] = ['nodefs.available<10%', 'nodefs.inodesFree<5%'];

/** Percent of the disk: above the one images are cleaned up, below the other they are left alone. */
export const DEFAULT_GC_HIGH = 85;
export const DEFAULT_GC_LOW = 80;
