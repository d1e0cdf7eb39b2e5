/** A spot instance that has become too large is replaced by a cheaper one. */
import { deployment, type Scenario } from './scenario.ts';

export const SPOT_TO_SPOT: Scenario = {
  name: 'spot-to-spot',
  summary:
    'a spot instance has become too large: it is replaced by a cheaper one, chosen from at least 15 types (feature gate SpotToSpotConsolidation)',
  speed: 10,
  controllerArgs: ['--feature-gates=SpotToSpotConsolidation=true'],
  steps: [
    {
      description: 'the NodePool uses spot instances; one large instance is launched for 56 pods',
      actions: [
        { applyWith: ({ cloud }) => cloud.defaultPool({ capacityType: 'spot' }) },
        { apply: deployment('render', 56, { cpu: '500m', memory: '1Gi' }) },
      ],
      until: [{ pods: { app: 'render', running: 56 } }],
    },
    {
      description: 'two pods are left: an instance of that type is too expensive for them',
      actions: [{ scale: { name: 'render', replicas: 2 } }],
      until: [{ event: { reason: 'DisruptionLaunching' } }],
      withinMs: 30 * 60_000,
    },
    {
      description: 'a smaller spot instance takes the pods over, and the price falls to less than a half',
      until: [
        { price: { atMostShare: 0.5 } },
        { claims: { exactly: 1 } },
        { pods: { app: 'render', running: 2 } },
        { everyClaimHas: { label: 'karpenter.sh/capacity-type', value: 'spot' } },
      ],
      withinMs: 40 * 60_000,
    },
  ],
};
