/**
 * Startup taints that the agents of an AKS node remove as soon as they are ready. On simulated nodes no agent
 * runs, so the host of the nodes removes them.
 *
 * Source: Cilium's documentation of node taints; the keys of AKS that Karpenter's Azure provider allows in startupTaints;
 * the sources of the Azure disk CSI driver.
 */

export const AKS_AGENT_TAINTS: readonly { readonly key: string; readonly agent: string }[] = [
  { key: 'node.cilium.io/agent-not-ready', agent: 'Cilium, the data plane of the cluster' },
  {
    key: 'egressgateway.kubernetes.azure.com/cni-not-ready',
    agent: 'the CNI plugin of the static egress gateway',
  },
  { key: 'disk.csi.azure.com/agent-not-ready', agent: 'the CSI driver for Azure disks' },
];
