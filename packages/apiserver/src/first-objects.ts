/** The objects of a new cluster: namespaces, the service of the API server, priority classes, roles. */
import type { KubeObject } from '@chandler/kube';
import { bootstrapPolicy } from './edge/auth/bootstrap-policy.ts';

export function firstObjects(): readonly KubeObject[] {
  return [
    ...['default', 'kube-system', 'kube-public', 'kube-node-lease'].map(namespace),
    ...PRIORITY_CLASSES,
    ...bootstrapPolicy(),
    KUBERNETES_SERVICE,
  ];
}

// ---------------------------------------------------------------------------------------------------

function namespace(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

const PRIORITY_CLASSES: readonly KubeObject[] = [
  {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: 'system-cluster-critical' },
    value: 2_000_000_000,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
  {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: 'system-node-critical' },
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
];

const KUBERNETES_SERVICE: KubeObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    name: 'kubernetes',
    namespace: 'default',
    labels: { component: 'apiserver', provider: 'kubernetes' },
  },
  spec: {
    type: 'ClusterIP',
    clusterIP: '10.96.0.1',
    ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }],
  },
};
