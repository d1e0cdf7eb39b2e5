/** The NodePool and the AKSNodeClass that a playground with a controller starts with: general-purpose, on-demand VMs. */
import type { KubeObject } from '@chandler/kube';

export const DEFAULT_NODE_CLASS: KubeObject = {
  apiVersion: 'karpenter.azure.com/v1beta1',
  kind: 'AKSNodeClass',
  metadata: { name: 'default' },
  spec: { imageFamily: 'Ubuntu2204', osDiskSizeGB: 128 },
};

/** Values of a NodePool that a scenario sets in its own way. */
export interface PoolChoice {
  readonly capacityType?: 'on-demand' | 'spot';
  /** Of the nodes; another value lets the existing nodes drift. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly budgets?: readonly Readonly<Record<string, unknown>>[];
}

export function defaultPool({ capacityType = 'on-demand', labels, budgets }: PoolChoice = {}): KubeObject {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'default' },
    spec: {
      template: {
        ...(labels === undefined ? {} : { metadata: { labels } }),
        spec: {
          nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
          requirements: [
            { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
            { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] },
            { key: 'karpenter.sh/capacity-type', operator: 'In', values: [capacityType] },
            { key: 'karpenter.azure.com/sku-family', operator: 'In', values: ['D'] },
          ],
          expireAfter: '720h',
        },
      },
      disruption: {
        consolidationPolicy: 'WhenEmptyOrUnderutilized',
        consolidateAfter: '1m',
        ...(budgets === undefined ? {} : { budgets }),
      },
      limits: { cpu: '1000' },
    },
  };
}

export const DEFAULT_NODE_POOL: KubeObject = defaultPool();
