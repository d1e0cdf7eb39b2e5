/** A configuration as it looks after reading, for tests that need one and do not care how it was written. */
import type { FlexConfig } from './config.ts';

export const SAMPLE_SUBSCRIPTION = '11111111-2222-3333-4444-555555555555';
export const SAMPLE_TENANT = '99999999-8888-7777-6666-555555555555';

export type DeepPartial<T> = T extends readonly unknown[] | ((...args: never[]) => unknown)
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: DeepPartial<T[K]> }
    : T;

/** Objects are laid over each other, everything else (lists too) is replaced; `undefined` takes a key away. */
export function sampleConfig(overrides: DeepPartial<FlexConfig> = {}): FlexConfig {
  const config = layOver(SAMPLE, overrides) as FlexConfig;
  // As the defaults of a file: document mode joins with the Arc token.
  if (overrides.security?.documentMode !== true || overrides.security.tlsBootstrap === true) return config;
  return { ...config, security: { ...config.security, tlsBootstrap: false } };
}

// ---------------------------------------------------------------------------------------------------

const SAMPLE: FlexConfig = {
  azure: {
    subscriptionId: SAMPLE_SUBSCRIPTION,
    tenantId: SAMPLE_TENANT,
    cloud: 'AzurePublicCloud',
    arc: {
      machineName: 'edge-01',
      resourceGroup: 'rg-edge',
      location: 'westus2',
      tags: { site: 'a' },
      autoRoleAssignment: false,
      install: true,
      agentVersion: '1.59.03320.759',
    },
    targetCluster: {
      resourceId: `/subscriptions/${SAMPLE_SUBSCRIPTION}/resourceGroups/rg-cluster/providers/Microsoft.ContainerService/managedClusters/harbour`,
      location: 'westus2',
      name: 'harbour',
      resourceGroup: 'rg-cluster',
      subscriptionId: SAMPLE_SUBSCRIPTION,
    },
  },
  agent: { logLevel: 'info', logDir: '/var/log/aks-flex-node', nodeName: 'edge-01' },
  containerd: {
    version: '1.7.20',
    pauseImage: 'mcr.microsoft.com/oss/kubernetes/pause:3.6',
    metricsAddress: '127.0.0.1:10257',
  },
  kubernetes: {
    version: '1.32.7',
    urlTemplates: ['https://dl.k8s.io/release/v{version}/bin/linux/{arch}'],
  },
  runc: {
    version: '1.1.12',
    urlTemplates: ['https://github.com/opencontainers/runc/releases/download/v{version}/runc.{arch}'],
  },
  cni: { version: '1.5.1', bridge: { write: true } },
  networking: { dnsServiceIp: '10.0.0.10', dnsServiceIpGiven: false, clusterDomain: 'cluster.local' },
  node: {
    maxPods: 110,
    labels: { 'kubernetes.azure.com/managed': 'false' },
    taints: [],
    kubelet: {
      kubeReserved: {},
      evictionHard: {},
      imageGcHighThreshold: 85,
      imageGcLowThreshold: 80,
      verbosity: 2,
      extraConfig: {},
    },
  },
  paths: {
    kubernetes: {
      configDir: '/etc/kubernetes',
      certsDir: '/etc/kubernetes/certs',
      manifestsDir: '/etc/kubernetes/manifests',
      volumePluginDir: '/etc/kubernetes/volumeplugins',
      kubeletDir: '/var/lib/kubelet',
    },
    cni: { binDir: '/opt/cni/bin', confDir: '/etc/cni/net.d', libDir: '/var/lib/cni' },
  },
  downloads: { mirrors: [], sha256: {}, allowPublishedChecksums: false },
  proxy: { noProxy: [] },
  security: { documentMode: false, tlsBootstrap: true },
  readiness: { deadlineSeconds: 300 },
};

function layOver(base: unknown, over: unknown): unknown {
  if (!isPlain(base) || !isPlain(over)) return over;
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    if (value === undefined) delete merged[key];
    else merged[key] = layOver(base[key], value);
  }
  return merged;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
