import { aNode, controller, daemonSet, inZone, is, liveClass, liveCluster, object } from './cluster.ts';
import { anApplication, type ExampleTable } from './example.ts';

const DEPLOYMENT = 'GET /apis/apps/v1/namespaces/kube-system/deployments/karpenter';
const CLASS = 'GET /apis/karpenter.k8s.aws/v1/ec2nodeclasses/default';
const node = (name: string) => `GET /api/v1/nodes/${name}`;
const ARN = 'arn:aws:iam::418295670013:role/shop-karpenter';

const cluster = (...objects: readonly object[]) => ({ 'cluster.yaml': liveCluster(...objects) });
const account = (arn: string) =>
  object(
    'v1',
    'ServiceAccount',
    'karpenter',
    {},
    {
      namespace: 'kube-system',
      annotations: { 'eks.amazonaws.com/role-arn': arn },
    },
  );
const withRole = (arn: string) => ({
  ...cluster(controller(), account(arn)),
  'values.yaml': `settings:\n  clusterName: shop\nserviceAccount:\n  annotations:\n    eks.amazonaws.com/role-arn: ${ARN}\n`,
});
const application = (sync: string) => ({
  ...cluster(
    object(
      'argoproj.io/v1alpha1',
      'Application',
      'karpenter',
      {
        status: { sync: { status: sync }, health: { status: 'Healthy' } },
      },
      { namespace: 'argocd' },
    ),
  ),
  'app.yaml': anApplication('        settings:\n          clusterName: shop'),
});

export const CLUSTER_CONTROLLER_EXAMPLES: ExampleTable = {
  'S-23': {
    fails: { status: 'fail', files: cluster(controller({ ready: 1 })), sources: [DEPLOYMENT, DEPLOYMENT] },
    passes: { files: cluster(controller()), sources: [DEPLOYMENT, DEPLOYMENT] },
  },
  'S-24': {
    fails: {
      status: 'fail',
      files: cluster(
        liveClass({ conditions: [is('ValidationSucceeded', 'False', 'UnauthorizedOperation: no')] }),
      ),
      sources: [CLASS],
    },
    passes: {
      files: cluster(liveClass({ conditions: [is('ValidationSucceeded', 'True')] })),
      sources: [CLASS],
    },
  },
  'S-25': {
    fails: {
      status: 'fail',
      files: withRole(`${ARN}-old`),
      sources: ['values.yaml:5', 'GET /api/v1/namespaces/kube-system/serviceaccounts/karpenter'],
    },
    passes: {
      files: withRole(ARN),
      sources: ['values.yaml:5', 'GET /api/v1/namespaces/kube-system/serviceaccounts/karpenter'],
    },
  },
  'S-66': {
    fails: {
      status: 'fail',
      files: application('OutOfSync'),
      sources: Array(2).fill('GET /apis/argoproj.io/v1alpha1/namespaces/argocd/applications/karpenter'),
    },
    passes: {
      files: application('Synced'),
      sources: Array(2).fill('GET /apis/argoproj.io/v1alpha1/namespaces/argocd/applications/karpenter'),
    },
  },
  'K-44': {
    fails: { status: 'warn', files: cluster(aNode('a', inZone('us-west-2a'))), sources: [node('a')] },
    passes: {
      files: cluster(aNode('a', inZone('us-west-2a')), aNode('b', inZone('us-west-2b'))),
      sources: [node('a'), node('b')],
    },
  },
  'K-68': {
    fails: {
      status: 'warn',
      files: cluster(controller(), daemonSet('aws-node-termination-handler')),
      sources: ['GET /apis/apps/v1/namespaces/kube-system/daemonsets/aws-node-termination-handler'],
    },
    passes: { files: cluster(controller()), sources: ['GET /apis/apps/v1/deployments'] },
  },
};
