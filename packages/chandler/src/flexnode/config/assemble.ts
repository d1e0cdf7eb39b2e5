/** A `FlexConfig` out of a draft that has passed every check: defaults that are worked out, names in their final form. */
import { resourceId } from '../../arm/index.ts';
import type { AzureConfig, FlexConfig, NodeConfig } from './config.ts';
import type { Surroundings } from './config-result.ts';
import type { Draft } from './draft.ts';
import { MANAGED_LABEL } from './node-checks.ts';
import { bundlePath, usableKubernetesUrls, withoutPrintf } from './rules.ts';
import { servicePrincipalOf } from './secret.ts';

export function assemble(draft: Draft, surroundings: Surroundings): FlexConfig {
  const kubernetesUrls = usableKubernetesUrls(draft);
  return {
    azure: azureOf(draft, surroundings),
    agent: {
      logLevel: draft.sure('agent.logLevel') as FlexConfig['agent']['logLevel'],
      logDir: draft.sure('agent.logDir'),
      nodeName: draft.text('agent.nodeName') ?? surroundings.hostname.toLowerCase(),
    },
    containerd: {
      version: draft.sure('containerd.version'),
      pauseImage: draft.sure('containerd.pauseImage'),
      metricsAddress: metricsAddress(draft),
      ...optional('extraConfig', draft.text('containerd.extraConfig')),
    },
    kubernetes: {
      version: draft.sure('kubernetes.version'),
      urlTemplates: kubernetesUrls.length > 0 ? kubernetesUrls : [DEFAULT_KUBERNETES_URL],
    },
    runc: {
      version: draft.sure('runc.version'),
      urlTemplates: draft.texts('runc.url').map(withoutPrintf),
    },
    cni: {
      version: draft.sure('cni.version'),
      bridge: {
        write: draft.flag('cni.bridge.write'),
        ...optional('podCidr', draft.text('cni.bridge.podCidr')),
      },
    },
    networking: {
      dnsServiceIp: draft.sure('networking.dnsServiceIP'),
      dnsServiceIpGiven: draft.given('networking.dnsServiceIP'),
      clusterDomain: draft.sure('networking.clusterDomain'),
    },
    node: nodeOf(draft),
    paths: pathsOf(draft),
    downloads: {
      mirrors: draft.texts('downloads.mirrors').map((base) => base.replace(/\/+$/, '')),
      ...optional('bundle', bundlePath(draft)),
      sha256: draft.map('downloads.sha256'),
      allowPublishedChecksums: draft.flag('downloads.allowPublishedChecksums'),
    },
    proxy: {
      ...optional('http', draft.text('proxy.http')),
      ...optional('https', draft.text('proxy.https')),
      noProxy: draft.texts('proxy.noProxy'),
    },
    security: {
      documentMode: draft.flag('security.documentMode'),
      // Document mode joins with the Arc token, as the original document does.
      tlsBootstrap: draft.given('security.tlsBootstrap')
        ? draft.flag('security.tlsBootstrap')
        : !draft.flag('security.documentMode'),
    },
    readiness: { deadlineSeconds: draft.number('readiness.deadlineSeconds') },
  };
}

// ---------------------------------------------------------------------------------------------------

const DEFAULT_KUBERNETES_URL = 'https://dl.k8s.io/release/v{version}/bin/linux/{arch}';

function azureOf(draft: Draft, surroundings: Surroundings): AzureConfig {
  const id = draft.sure('azure.targetCluster.resourceId');
  const cluster = resourceId(id, 'Microsoft.ContainerService/managedClusters');
  const location = region(draft.sure('azure.targetCluster.location'));
  return {
    subscriptionId: draft.sure('azure.subscriptionId').toLowerCase(),
    tenantId: draft.sure('azure.tenantId').toLowerCase(),
    cloud: draft.sure('azure.cloud') as AzureConfig['cloud'],
    ...optional('resourceManagerEndpoint', draft.text('azure.resourceManagerEndpoint')?.replace(/\/$/, '')),
    ...optional('authorityHost', draft.text('azure.authorityHost')?.replace(/\/$/, '')),
    ...optional('servicePrincipal', servicePrincipalOf(draft, surroundings)),
    arc: {
      machineName: draft.text('azure.arc.machineName') ?? surroundings.hostname,
      resourceGroup: draft.text('azure.arc.resourceGroup') ?? cluster.resourceGroup,
      location: region(draft.text('azure.arc.location') ?? location),
      tags: draft.map('azure.arc.tags'),
      autoRoleAssignment: draft.flag('azure.arc.autoRoleAssignment'),
      install: draft.flag('azure.arc.install'),
      agentVersion: agentVersion(draft),
    },
    targetCluster: {
      resourceId: id,
      location,
      name: cluster.segments[0]![1],
      resourceGroup: cluster.resourceGroup,
      subscriptionId: cluster.subscriptionId.toLowerCase(),
    },
  };
}

function nodeOf(draft: Draft): NodeConfig {
  const labels = { ...draft.map('node.labels'), [MANAGED_LABEL]: 'false' };
  return {
    maxPods: draft.number('node.maxPods'),
    labels: Object.fromEntries(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    taints: draft.texts('node.taints'),
    kubelet: {
      kubeReserved: draft.map('node.kubelet.kubeReserved'),
      evictionHard: draft.map('node.kubelet.evictionHard'),
      imageGcHighThreshold: draft.number('node.kubelet.imageGCHighThreshold'),
      imageGcLowThreshold: draft.number('node.kubelet.imageGCLowThreshold'),
      verbosity: draft.number('node.kubelet.verbosity'),
      ...optional('nodeIp', draft.text('node.kubelet.nodeIP')),
      extraConfig: draft.object('node.kubelet.extraConfig'),
    },
  };
}

function pathsOf(draft: Draft): FlexConfig['paths'] {
  return {
    kubernetes: {
      configDir: draft.sure('paths.kubernetes.configDir'),
      certsDir: draft.sure('paths.kubernetes.certsDir'),
      manifestsDir: draft.sure('paths.kubernetes.manifestsDir'),
      volumePluginDir: draft.sure('paths.kubernetes.volumePluginDir'),
      kubeletDir: draft.sure('paths.kubernetes.kubeletDir'),
    },
    cni: {
      binDir: draft.sure('paths.cni.binDir'),
      confDir: draft.sure('paths.cni.confDir'),
      libDir: draft.sure('paths.cni.libDir'),
    },
  };
}

function metricsAddress(draft: Draft): string {
  return draft.flag('security.documentMode') && !draft.given('containerd.metricsAddress')
    ? '0.0.0.0:10257'
    : draft.sure('containerd.metricsAddress');
}

/** If the config contains the hash of exactly one version, that version is used. */
function agentVersion(draft: Draft): string {
  const hashed = Object.keys(draft.map('downloads.sha256'))
    .filter((name) => name.startsWith('azcmagent/'))
    .map((name) => name.split('/')[1]!);
  const [only, ...others] = new Set(hashed);
  return draft.given('azure.arc.agentVersion') || only === undefined || others.length > 0
    ? draft.sure('azure.arc.agentVersion')
    : only;
}

/** Azure knows `West US 2` and `westus2` as the same. */
function region(text: string): string {
  return text.toLowerCase().replaceAll(' ', '');
}

function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]: V });
}
