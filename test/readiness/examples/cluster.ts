/** Objects of live clusters for examples: `cluster.yaml` is what the API server returned. */
export const CALL = 'GET ';

export function liveCluster(...objects: readonly object[]): string {
  return objects.map((object) => JSON.stringify(object)).join('\n---\n');
}

export function object(
  apiVersion: string,
  kind: string,
  name: string,
  rest: object = {},
  metadata: object = {},
) {
  return { apiVersion, kind, metadata: { name, ...metadata }, ...rest };
}

export const is = (type: string, status: string, message = '') => ({ type, status, reason: type, message });

/** The Deployment of the controller, with the labels of the chart. */
export function controller(
  given: { readonly namespace?: string; readonly ready?: number; readonly pod?: object } = {},
) {
  const { namespace = 'kube-system', ready = 2, pod = {} } = given;
  const labels = { 'app.kubernetes.io/name': 'karpenter' };
  return object(
    'apps/v1',
    'Deployment',
    'karpenter',
    {
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            serviceAccountName: 'karpenter',
            dnsPolicy: 'ClusterFirst',
            containers: [
              {
                name: 'controller',
                image: 'public.ecr.aws/karpenter/controller:1.14.1',
                env: [{ name: 'CLUSTER_NAME', value: 'shop' }],
              },
            ],
            ...pod,
          },
        },
      },
      status: {
        replicas: 2,
        readyReplicas: ready,
        conditions: [is('Available', ready === 2 ? 'True' : 'False')],
      },
    },
    { namespace, labels },
  );
}

export function daemonSet(name: string, spec: object = {}) {
  const template = {
    metadata: { labels: { app: name } },
    spec: { containers: [{ name, image: name }], ...spec },
  };
  return object(
    'apps/v1',
    'DaemonSet',
    name,
    { spec: { template }, status: { numberReady: 3 } },
    { namespace: 'kube-system' },
  );
}

export function aNode(name: string, labels: object = {}, version = 'v1.33.1') {
  return object(
    'v1',
    'Node',
    name,
    { status: { nodeInfo: { kubeletVersion: version }, conditions: [is('Ready', 'True')] } },
    { labels },
  );
}

export const inZone = (zone: string) => ({ 'topology.kubernetes.io/zone': zone });

export function liveClass(status: object, spec: object = { role: 'KarpenterNodeRole-shop' }) {
  return object('karpenter.k8s.aws/v1', 'EC2NodeClass', 'default', { spec, status });
}

export function livePool(spec: object = {}, conditions: readonly object[] = [is('Ready', 'True')]) {
  return object('karpenter.sh/v1', 'NodePool', 'default', { spec, status: { conditions } });
}

export function requirement(key: string, ...values: readonly string[]) {
  return { template: { spec: { requirements: [{ key, operator: 'In', values }] } } };
}
