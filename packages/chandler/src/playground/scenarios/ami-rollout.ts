/** AWS publishes a new AMI, and every node is replaced by one that runs it. */
import type { KubeObject } from '@chandler/kube';
import { deployment, onePerNode, type Scenario, type Setting } from './scenario.ts';

const NODES = 4;
const BUDGET = 2;
const BUDGETS = [{ nodes: String(BUDGET) }];

/** Selects the AMI by its parameter of SSM, which the controller reads again every few minutes; aliases are cached longer. */
function nodeClass({ cloud: { defaultNodeClass, kubernetesVersion } }: Setting): KubeObject {
  const minor = kubernetesVersion.split('.').slice(0, 2).join('.');
  const folder = `/aws/service/eks/optimized-ami/${minor}/amazon-linux-2023/x86_64/standard`;
  return {
    ...defaultNodeClass,
    spec: {
      ...(defaultNodeClass['spec'] as object),
      amiFamily: 'AL2023',
      amiSelectorTerms: [{ ssmParameter: `${folder}/recommended/image_id` }],
    },
  };
}

export const AMI_ROLLOUT: Scenario = {
  name: 'ami-rollout',
  clouds: ['aws'],
  summary: 'AWS publishes a new AMI: four nodes drift and are replaced, never more than two at once',
  speed: 20,
  steps: [
    {
      description: 'four pods run on a node each, with the AMI that SSM recommends; the budget is two nodes',
      actions: [
        { applyWith: nodeClass },
        { applyWith: ({ cloud }) => cloud.defaultPool({ budgets: BUDGETS }) },
        { apply: deployment('shop', NODES, { cpu: '1', memory: '1Gi', ...onePerNode('shop') }) },
      ],
      until: [
        { pods: { app: 'shop', running: NODES } },
        { claims: { exactly: NODES } },
        { latestImage: { app: 'shop' } },
      ],
      withinMs: 20 * 60_000,
    },
    {
      description: 'AWS publishes a new AMI: the nodes drift',
      actions: [{ releaseImages: true }],
      until: [{ condition: { kind: 'NodeClaim', type: 'Drifted', status: 'True', reason: 'AMIDrift' } }],
      withinMs: 30 * 60_000,
    },
    {
      description: 'nodes are replaced two at a time, until all run the new AMI',
      always: [{ disrupting: { atMost: BUDGET } }],
      until: [
        { latestImage: { app: 'shop' } },
        { claims: { exactly: NODES } },
        { pods: { app: 'shop', running: NODES } },
      ],
      withinMs: 2 * 3600_000,
    },
  ],
};
