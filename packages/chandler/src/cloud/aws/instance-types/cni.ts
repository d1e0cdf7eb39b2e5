/**
 * The settings of the VPC CNI that decide how many addresses pods have, read from its DaemonSet `kube-system/aws-node`.
 * Karpenter does not read them: with prefix delegation it plans nodes for fewer pods than they can hold.
 */
import type { KubeObject } from '@chandler/kube';

export interface CniSettings {
  /** `ENABLE_PREFIX_DELEGATION`: an address slot holds a prefix of 16 addresses. Only on Nitro and bare metal. */
  readonly prefixDelegation: boolean;
  /** `AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG`: pods get no addresses from the primary interface. */
  readonly customNetworking: boolean;
}

/** @param daemonSet `aws-node`; undefined where the cluster has another CNI. */
export function cniSettings(daemonSet: KubeObject | undefined): CniSettings {
  const containers = (daemonSet as DaemonSetObject | undefined)?.spec?.template?.spec?.containers ?? [];
  const env = containers.find(({ name }) => name === 'aws-node')?.env ?? [];
  const isOn = (wanted: string) =>
    env.findLast(({ name }) => name === wanted)?.value?.toLowerCase() === 'true';
  return {
    prefixDelegation: isOn('ENABLE_PREFIX_DELEGATION'),
    customNetworking: isOn('AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG'),
  };
}

// ---------------------------------------------------------------------------------------------------------------

interface DaemonSetObject {
  readonly spec?: {
    readonly template?: { readonly spec?: { readonly containers?: readonly CniContainer[] } };
  };
}

interface CniContainer {
  readonly name?: string;
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}
