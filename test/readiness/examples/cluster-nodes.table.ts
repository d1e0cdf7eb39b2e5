import { aNode, daemonSet, is, liveClass, liveCluster, livePool, object, requirement } from './cluster.ts';
import { aNodePool, aResource, aState, type ExampleTable } from './example.ts';

const CLASS = 'GET /apis/karpenter.k8s.aws/v1/ec2nodeclasses/default';
const POOL = 'GET /apis/karpenter.sh/v1/nodepools/default';
const CRD = 'GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions/nodepools.karpenter.sh';
const AUTH = 'GET /api/v1/namespaces/kube-system/configmaps/aws-auth';
const daemon = (name: string) => `GET /apis/apps/v1/namespaces/kube-system/daemonsets/${name}`;
const node = (name: string) => `GET /api/v1/nodes/${name}`;
const cluster = (...objects: readonly object[]) => ({ 'cluster.yaml': liveCluster(...objects) });

const discovered = (status: string) => ({
  subnets: status === 'True' ? [{ id: 'subnet-1' }] : [],
  securityGroups: [{ id: 'sg-1' }],
  conditions: [is('SubnetsReady', status), is('SecurityGroupsReady', 'True')],
});
const crd = (stored: readonly string[]) =>
  object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'nodepools.karpenter.sh', {
    spec: { versions: [{ name: 'v1', served: true, storage: true }] },
    status: { storedVersions: stored },
  });
const auth = (groups: readonly string[]) =>
  object(
    'v1',
    'ConfigMap',
    'aws-auth',
    {
      data: {
        mapRoles: `- rolearn: arn:aws:iam::418295670013:role/KarpenterNodeRole-shop\n  groups: ${JSON.stringify(groups)}\n`,
      },
    },
    { namespace: 'kube-system' },
  );
const cni = (name: string, value: string) =>
  daemonSet('aws-node', { containers: [{ name: 'aws-node', image: 'cni', env: [{ name, value }] }] });
const eni = {
  containers: [{ name: 'a', image: 'a', resources: { limits: { 'vpc.amazonaws.com/pod-eni': '1' } } }],
};
const statefulSet = object(
  'apps/v1',
  'StatefulSet',
  'db',
  { spec: { template: { metadata: {}, spec: eni } } },
  { namespace: 'shop' },
);
const gpuPool = livePool(requirement('karpenter.k8s.aws/instance-gpu-manufacturer', 'nvidia'));
const taintedPool = livePool({
  template: { spec: { startupTaints: [{ key: 'node.cilium.io/agent-not-ready', effect: 'NoExecute' }] } },
});
const volume = object('v1', 'PersistentVolume', 'pv-1', {
  spec: {
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [
          {
            matchExpressions: [
              { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['us-west-2c'] },
            ],
          },
        ],
      },
    },
  },
  status: { phase: 'Bound' },
});
const storageClass = (provisioner: string) =>
  object('storage.k8s.io/v1', 'StorageClass', 'gp', { provisioner });
const association = aState(
  aResource('aws_eks_pod_identity_association', 'karpenter', { service_account: 'karpenter' }),
);
const reserved = (count: string) => `settings:\n  clusterName: shop\n  reservedENIs: "${count}"\n`;

export const CLUSTER_NODE_EXAMPLES: ExampleTable = {
  'S-26': {
    fails: { status: 'fail', files: cluster(liveClass(discovered('False'))), sources: [CLASS, CLASS] },
    passes: { files: cluster(liveClass(discovered('True'))), sources: [CLASS, CLASS] },
  },
  'S-27': {
    fails: {
      status: 'fail',
      files: cluster(liveClass({ conditions: [is('Ready', 'False', 'no AMI')] })),
      sources: [CLASS],
    },
    passes: { files: cluster(liveClass({ conditions: [is('Ready', 'True')] })), sources: [CLASS] },
  },
  'S-28': {
    fails: {
      status: 'warn',
      files: { ...cluster(livePool({ weight: 20 })), 'pool.yaml': aNodePool('  weight: 10') },
      sources: ['pool.yaml:6', POOL],
    },
    passes: {
      files: { ...cluster(livePool({ weight: 10 })), 'pool.yaml': aNodePool('  weight: 10') },
      sources: [POOL],
    },
  },
  'S-51': {
    fails: { status: 'fail', files: cluster(liveClass({}), auth(['system:nodes'])), sources: [CLASS, AUTH] },
    passes: {
      files: cluster(liveClass({}), auth(['system:bootstrappers', 'system:nodes'])),
      sources: [CLASS, AUTH],
    },
  },
  'K-39': {
    fails: {
      status: 'fail',
      files: { ...cluster(aNode('a')), 'state.json': association },
      sources: ['state.json:2', 'GET /apis/apps/v1/daemonsets'],
    },
    passes: {
      files: { ...cluster(daemonSet('eks-pod-identity-agent')), 'state.json': association },
      sources: ['state.json:2', daemon('eks-pod-identity-agent')],
    },
  },
  'K-49': {
    fails: { status: 'warn', files: cluster(crd(['v1beta1', 'v1'])), sources: [CRD, CRD] },
    passes: { files: cluster(crd(['v1'])), sources: [CRD, CRD] },
  },
  'K-53': {
    fails: {
      status: 'fail',
      files: cluster(aNode('a', {}, 'v1.33.1'), aNode('b', {}, 'v1.29.4')),
      sources: [node('b')],
    },
    passes: { files: cluster(aNode('a'), aNode('b')), sources: [node('a'), node('b')] },
  },
  'K-55': {
    fails: {
      status: 'warn',
      files: { ...cluster(cni('AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG', 'true')), 'values.yaml': reserved('0') },
      sources: [daemon('aws-node'), 'values.yaml:3'],
    },
    passes: {
      files: { ...cluster(cni('AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG', 'true')), 'values.yaml': reserved('1') },
      sources: [daemon('aws-node'), 'values.yaml:3'],
    },
  },
  'K-56': {
    fails: {
      status: 'fail',
      files: cluster(cni('ENABLE_POD_ENI', 'false'), statefulSet),
      sources: [daemon('aws-node'), 'GET /apis/apps/v1/namespaces/shop/statefulsets/db'],
    },
    passes: {
      files: cluster(cni('ENABLE_POD_ENI', 'true'), statefulSet),
      sources: [daemon('aws-node'), 'GET /apis/apps/v1/namespaces/shop/statefulsets/db'],
    },
  },
  'K-57': {
    fails: { status: 'fail', files: cluster(gpuPool), sources: [POOL, 'GET /apis/apps/v1/daemonsets'] },
    passes: {
      files: cluster(gpuPool, daemonSet('nvidia-device-plugin')),
      sources: [POOL, daemon('nvidia-device-plugin')],
    },
  },
  'K-58': {
    fails: { status: 'warn', files: cluster(taintedPool), sources: [POOL, 'GET /apis/apps/v1/daemonsets'] },
    passes: { files: cluster(taintedPool, daemonSet('cilium')), sources: [POOL, daemon('cilium')] },
  },
  'K-59': {
    fails: {
      status: 'warn',
      files: cluster(livePool(), daemonSet('cilium')),
      sources: [daemon('cilium'), POOL],
    },
    passes: { files: cluster(taintedPool, daemonSet('cilium')), sources: [daemon('cilium'), POOL] },
  },
  'K-63': {
    fails: {
      status: 'fail',
      files: cluster(volume, livePool(requirement('topology.kubernetes.io/zone', 'us-west-2a'))),
      sources: ['GET /api/v1/persistentvolumes/pv-1', POOL],
    },
    passes: {
      files: cluster(volume, livePool(requirement('topology.kubernetes.io/zone', 'us-west-2c'))),
      sources: ['GET /api/v1/persistentvolumes/pv-1', POOL],
    },
  },
  'K-64': {
    fails: {
      status: 'warn',
      files: cluster(storageClass('kubernetes.io/aws-ebs')),
      sources: ['GET /apis/storage.k8s.io/v1/storageclasses/gp'],
    },
    passes: {
      files: cluster(storageClass('ebs.csi.aws.com')),
      sources: ['GET /apis/storage.k8s.io/v1/storageclasses/gp'],
    },
  },
  'K-90': {
    fails: {
      status: 'fail',
      files: cluster(livePool({}, [is('NodeRegistrationHealthy', 'False', 'nodes did not register')])),
      sources: [POOL],
    },
    passes: { files: cluster(livePool({}, [is('NodeRegistrationHealthy', 'True')])), sources: [POOL] },
  },
};
