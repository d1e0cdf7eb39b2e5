/**
 * The config file of the test machine. It uses only what is documented; `extraConfig` of kubelet and containerd carry what
 * this machine lacks (control groups of the second version, the right to change OOM scores).
 */
import { KUBERNETES_VERSION } from '../../cluster/control-plane/binaries.ts';
import { CNI_VERSION, CONTAINERD_VERSION, RUNC_VERSION } from '../../machines/programs.ts';
import type { IdentityStandins } from '../standins/identity.ts';

export const TENANT = '99999999-8888-7777-6666-555555555555';
export const NODE = 'cellar-1';
export const IMAGE = 'registry.example/pause:1';

const SUBSCRIPTION = '11111111-2222-3333-4444-555555555555';
export const CLUSTER_ID = `/subscriptions/${SUBSCRIPTION}/resourceGroups/rg/providers/Microsoft.ContainerService/managedClusters/c1`;

export function scenarioConfig(given: {
  readonly standins: IdentityStandins;
  readonly mirror: string;
  readonly sha256: Readonly<Record<string, string>>;
  readonly security: { readonly tlsBootstrap?: boolean };
}) {
  const { standins, mirror, sha256 } = given;
  const { clientId, clientSecret } = standins.login;
  return {
    azure: {
      subscriptionId: SUBSCRIPTION,
      tenantId: TENANT,
      resourceManagerEndpoint: standins.url,
      authorityHost: standins.url,
      servicePrincipal: { tenantId: TENANT, clientId, clientSecret },
      arc: { machineName: NODE, resourceGroup: 'rg-edge', location: 'westus2', tags: { site: 'cellar' } },
      targetCluster: { resourceId: CLUSTER_ID, location: 'westus2' },
    },
    kubernetes: { version: KUBERNETES_VERSION },
    containerd: {
      version: CONTAINERD_VERSION,
      pauseImage: IMAGE,
      extraConfig: [
        '[plugins."io.containerd.cri.v1.runtime"]',
        '  restrict_oom_score_adj = true',
        '[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]',
        '  SystemdCgroup = false',
      ].join('\n'),
    },
    runc: { version: RUNC_VERSION },
    cni: { version: CNI_VERSION },
    agent: { nodeName: NODE },
    node: {
      labels: { 'example.com/site': 'cellar' } as Readonly<Record<string, string>>,
      kubelet: {
        extraConfig: {
          failCgroupV1: false,
          cgroupDriver: 'cgroupfs',
          cgroupsPerQOS: false,
          enforceNodeAllocatable: [],
        },
      },
    },
    downloads: { mirrors: [mirror], sha256 },
    security: given.security,
    readiness: { deadlineSeconds: 120 },
  };
}
