/** The NodePool that a playground with a controller starts with: general-purpose, on-demand instances. */
import type { KubeObject } from '@chandler/kube';

/** Values of a NodePool that a scenario sets in its own way. */
export interface PoolChoice {
  /** Default: `default`. */
  readonly name?: string;
  readonly taints?: readonly Readonly<Record<string, string>>[];
  readonly capacityType?: 'on-demand' | 'spot';
  /** Of the nodes; another value lets the existing nodes drift. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly budgets?: readonly Readonly<Record<string, unknown>>[];
}

/** What a cloud adds to it. */
export interface PoolOfCloud {
  readonly nodeClassRef: { readonly group: string; readonly kind: string; readonly name: string };
  readonly requirements: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values: readonly string[];
  }[];
}

export function poolObject(
  { nodeClassRef, requirements }: PoolOfCloud,
  { name = 'default', capacityType = 'on-demand', labels, budgets, taints }: PoolChoice = {},
): KubeObject {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: {
      template: {
        ...(labels === undefined ? {} : { metadata: { labels } }),
        spec: {
          nodeClassRef,
          requirements: [
            { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
            { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] },
            { key: 'karpenter.sh/capacity-type', operator: 'In', values: [capacityType] },
            ...requirements,
          ],
          expireAfter: '720h',
          ...(taints === undefined ? {} : { taints }),
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
