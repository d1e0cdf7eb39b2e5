/** EC2 takes a spot instance back, with a warning two minutes ahead. */
import { deployment, type Scenario } from './scenario.ts';

const WARNING_MS = 2 * 60_000;

export const SPOT_INTERRUPTION: Scenario = {
  name: 'spot-interruption',
  clouds: ['aws'],
  summary:
    'EC2 announces the interruption of a spot instance: its pods run on another instance before the two minutes of the warning are over',
  speed: 5,
  steps: [
    {
      description: 'the NodePool uses spot instances, and six pods run on them',
      actions: [
        { applyWith: ({ cloud }) => cloud.defaultPool({ capacityType: 'spot' }) },
        { apply: deployment('render', 6, { cpu: '1', memory: '2Gi' }) },
      ],
      until: [{ pods: { app: 'render', running: 6 } }],
    },
    {
      description:
        'the warning arrives on the queue: the node is drained, and its pods run on a replacement within two minutes',
      actions: [{ interruptSpot: { instances: 1 } }],
      until: [
        { event: { reason: 'SpotInterrupted' } },
        { noPodOnInterrupted: { app: 'render' } },
        { pods: { app: 'render', running: 6 } },
      ],
      withinMs: WARNING_MS,
    },
    {
      description: 'the interrupted instance is gone, and the pods keep running',
      until: [{ interruptedGone: true }, { pods: { app: 'render', running: 6 } }],
      always: [{ noPodOnInterrupted: { app: 'render' } }],
      withinMs: 2 * WARNING_MS,
    },
  ],
};
