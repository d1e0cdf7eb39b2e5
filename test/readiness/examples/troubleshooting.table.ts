import { controller, is, liveClass, liveCluster, livePool } from './cluster.ts';
import type { ExampleTable } from './example.ts';

const CLASS = 'GET /apis/karpenter.k8s.aws/v1/ec2nodeclasses/default';
const POOL = 'GET /apis/karpenter.sh/v1/nodepools/default';
const DEPLOYMENT = 'GET /apis/apps/v1/namespaces/kube-system/deployments/karpenter';

export const classRef = {
  template: {
    spec: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' } },
  },
};

export const TROUBLESHOOTING_EXAMPLES: ExampleTable = {
  'S-62': {
    fails: {
      status: 'warn',
      files: {
        'cluster.yaml': liveCluster(
          controller(),
          livePool(classRef),
          liveClass({ conditions: [is('AMIsReady', 'False', 'no image has the alias')] }),
        ),
      },
      sources: [CLASS],
    },
    passes: {
      files: {
        'cluster.yaml': liveCluster(
          controller(),
          livePool(classRef),
          liveClass({ conditions: [is('AMIsReady', 'True')] }),
        ),
      },
      sources: [DEPLOYMENT, POOL, CLASS],
    },
  },
};
