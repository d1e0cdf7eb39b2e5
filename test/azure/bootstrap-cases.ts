/** The nodes whose custom data is kept as golden files, and how a golden file is written. */
import { join } from 'node:path';
import {
  type Bootstrapper,
  type Rendered,
  renderScript,
} from '../../packages/chandler/src/bootstrap/index.ts';
import { buildLaunchTemplate } from '../../packages/chandler/src/cloud/azure/index.ts';

import { launchRequest, type VmOverrides } from './bootstrap-vms.ts';

export const GOLDEN = join(import.meta.dirname, '../../packages/chandler/src/bootstrap/golden');

const DEDICATED = { key: 'dedicated', value: 'batch', effect: 'NoSchedule' } as const;
const CNI_NOT_READY = { key: 'node.cilium.io/agent-not-ready', effect: 'NoExecute' } as const;

/** Image family × CNI × GPU × architecture × kubelet settings × taints. */
export const CASES: Readonly<Record<string, VmOverrides>> = {
  'ubuntu-overlay-cilium': {},
  'ubuntu-1.34-24.04': { kubernetesVersion: '1.34.1' },
  'ubuntu-1.35-no-pause-flag': { kubernetesVersion: '1.35.0' },
  'ubuntu-1.29-old-credentials': { kubernetesVersion: '1.29.9' },
  'ubuntu2204-node-subnet-azure': {
    spec: { imageFamily: 'Ubuntu2204' },
    network: { mode: '', dataplane: 'azure', policy: 'azure' },
  },
  'ubuntu2404-node-subnet-cilium': {
    spec: { imageFamily: 'Ubuntu2404', maxPods: 60 },
    network: { mode: '', dataplane: 'cilium' },
  },
  'azurelinux3-no-plugin': {
    spec: { imageFamily: 'AzureLinux' },
    network: { plugin: 'none', mode: '', dataplane: '' },
  },
  'azurelinux2-1.31': { kubernetesVersion: '1.31.5', spec: { imageFamily: 'AzureLinux' } },
  'ubuntu-arm64-spot': { size: 'Standard_D4ps_v5', capacityType: 'spot' },
  'azurelinux3-arm64': { size: 'Standard_D4ps_v5', spec: { imageFamily: 'AzureLinux' } },
  'ubuntu-gpu-cuda': { size: 'Standard_NC24ads_A100_v4' },
  'ubuntu-gpu-grid': { size: 'Standard_NV36ads_A10_v5', taints: [{ key: 'gpu', effect: 'NoSchedule' }] },
  'ubuntu-gpu-nvswitch': { size: 'Standard_ND96isr_H100_v5' },
  'ubuntu-gpu-own-driver': { size: 'Standard_NC24ads_A100_v4', spec: { gpu: { mode: 'None' } } },
  'ubuntu-gen1-regional': { size: 'Standard_D2_v2', zone: '0' },
  'ubuntu-ephemeral-taints': {
    size: 'Standard_D8ds_v5',
    taints: [DEDICATED],
    startupTaints: [CNI_NOT_READY],
    labels: { team: 'shop', 'example.com/tier': 'front' },
  },
  'ubuntu-kubelet-and-os-config': {
    spec: {
      vnetSubnetID:
        '/subscriptions/11111111-1111-1111-1111-111111111111/resourceGroups/network/providers/Microsoft.Network/virtualNetworks/hub/subnets/nodes',
      kubelet: {
        cpuManagerPolicy: 'static',
        cpuCFSQuota: false,
        cpuCFSQuotaPeriod: '50ms',
        imageGCHighThresholdPercent: 70,
        imageGCLowThresholdPercent: 60,
        topologyManagerPolicy: 'best-effort',
        allowedUnsafeSysctls: ['net.core.somaxconn', 'kernel.msg*'],
        containerLogMaxSize: '10Mi',
        containerLogMaxFiles: 3,
        podPidsLimit: 4096,
        failSwapOn: false,
      },
      linuxOSConfig: {
        swapFileSize: '2Gi',
        transparentHugePageEnabled: 'madvise',
        transparentHugePageDefrag: 'defer+madvise',
        sysctls: { netCoreSomaxconn: 32768, netIPv4TCPTwReuse: true, netIPv4IPLocalPortRange: '32768 65535' },
      },
    },
  },
  'china-own-admin': {
    options: {
      armCloud: { value: 'AzureChinaCloud', source: 'env', path: 'ARM_CLOUD' },
      linuxAdminUsername: { value: 'ops', source: 'flag', path: '--linux-admin-username' },
    },
  },
};

export async function renderCase(overrides: VmOverrides): Promise<Rendered> {
  let rendered: Rendered | undefined;
  const bootstrapper: Bootstrapper = {
    mode: 'aksscriptless',
    script: async (input) => {
      rendered = renderScript(input);
      return rendered;
    },
  };
  await buildLaunchTemplate({ ...launchRequest(overrides), bootstrapper });
  return rendered!;
}

/** Each variable's source and path, one line each. */
export function sourcesText({ variables }: Rendered): string {
  return `${variables.map(({ name, source, path }) => `${name}\t${source}\t${path}`).join('\n')}\n`;
}
