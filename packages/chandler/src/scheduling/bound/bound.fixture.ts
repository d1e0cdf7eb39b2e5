/** Builders for the tests of this folder. */
import type { ResourceList } from '../../api/index.ts';
import type { DaemonSet, ExistingNode, InstanceType, Pod, PodSpec, PoolInput } from '../model.ts';

export function aPod(name: string, requests: ResourceList, spec: Partial<PodSpec> = {}): Pod {
  return {
    metadata: { name, namespace: 'default' },
    spec: { containers: [{ name: 'main', resources: { requests } }], ...spec },
  };
}

export function aDaemonSet(name: string, requests: ResourceList, spec: Partial<PodSpec> = {}): DaemonSet {
  return {
    metadata: { name, namespace: 'kube-system' },
    spec: { template: { spec: aPod(name, requests, spec).spec } },
  };
}

export function aType(
  name: string,
  capacity: ResourceList,
  price: number,
  { arch = 'amd64' }: { readonly arch?: string } = {},
): InstanceType {
  const one = (key: string, value: string) => ({ key, operator: 'In', values: [value] });
  return {
    name,
    requirements: [one('kubernetes.io/arch', arch), one('kubernetes.io/os', 'linux')],
    capacity: { pods: '110', ...capacity },
    offerings: [
      {
        requirements: [
          one('topology.kubernetes.io/zone', 'zone-a'),
          one('karpenter.sh/capacity-type', 'on-demand'),
        ],
        price,
      },
    ],
  };
}

export function aNode(name: string, allocatable: ResourceList): ExistingNode {
  return { name, labels: { 'kubernetes.io/arch': 'amd64', 'kubernetes.io/hostname': name }, allocatable };
}

export function aPool(
  name: string,
  instanceTypes: readonly InstanceType[],
  template: Partial<PoolInput['nodePool']['spec']['template']['spec']> = {},
): PoolInput {
  const nodeClassRef = { group: 'example.com', kind: 'NodeClass', name: 'default' };
  return {
    nodePool: {
      metadata: { name },
      spec: { template: { spec: { nodeClassRef, requirements: [], ...template } } },
    },
    instanceTypes,
  };
}
