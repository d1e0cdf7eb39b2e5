/** A change of the NodePool's template reaches every node, two at a time. */
import type { KubeObject } from '@chandler/kube';
import { deployment, onePerNode, type Scenario } from './scenario.ts';

const NODES = 6;
const BUDGET = 2;
const BUDGETS = [{ nodes: String(BUDGET) }];
const LABEL = 'example.com/generation';

const PDB: KubeObject = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'shop', namespace: 'default' },
  spec: { maxUnavailable: BUDGET, selector: { matchLabels: { app: 'shop' } } },
};

export const DRIFT_ROLLOUT: Scenario = {
  name: 'drift-rollout',
  summary:
    'the template of the NodePool changes: six nodes are replaced, never more than two at once, each replacement first',
  speed: 10,
  steps: [
    {
      description: 'six pods run on a node each; the budget of the NodePool is two nodes',
      actions: [
        { applyWith: ({ cloud }) => cloud.defaultPool({ labels: { [LABEL]: 'one' }, budgets: BUDGETS }) },
        { apply: deployment('shop', NODES, { cpu: '1', memory: '1Gi', ...onePerNode('shop') }) },
        { apply: PDB },
      ],
      until: [{ pods: { app: 'shop', running: NODES } }, { claims: { exactly: NODES } }],
      withinMs: 20 * 60_000,
    },
    {
      description: `the label ${LABEL} changes in the template: all six nodes drift`,
      actions: [
        { applyWith: ({ cloud }) => cloud.defaultPool({ labels: { [LABEL]: 'two' }, budgets: BUDGETS }) },
      ],
      until: [{ condition: { kind: 'NodeClaim', type: 'Drifted', status: 'True' } }],
    },
    {
      description: 'nodes are replaced two at a time; four of the six pods always run',
      always: [{ disrupting: { atMost: BUDGET } }, { runningAtLeast: { app: 'shop', pods: NODES - BUDGET } }],
      until: [
        { everyClaimHas: { label: LABEL, value: 'two' } },
        { claims: { exactly: NODES } },
        { pods: { app: 'shop', running: NODES } },
      ],
      withinMs: 2 * 3600_000,
    },
  ],
};
