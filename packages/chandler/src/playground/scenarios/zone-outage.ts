/** A zone goes dark: its machines lose their power, and no new ones are to be had there. */
import { deployment, type Story } from './story.ts';

const SPREAD = {
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'topology.kubernetes.io/zone',
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: { app: 'shop' } },
    },
  ],
  // Five minutes are usual; whoever runs a shop does not wait that long.
  tolerations: ['not-ready', 'unreachable'].map((state) => ({
    key: `node.kubernetes.io/${state}`,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: 30,
  })),
};

export const ZONE_OUTAGE: Story = {
  name: 'zone-outage',
  summary: 'a zone goes dark and sells nothing: its pods come up again in the two others',
  speed: 10,
  steps: [
    {
      say: 'nine pods, spread over three zones',
      acts: [{ apply: deployment('shop', 9, { cpu: '1', memory: '2Gi', ...SPREAD }) }],
      until: [{ pods: { app: 'shop', running: 9 } }],
    },
    {
      say: 'zone 2 goes dark: machines lose their power, and Azure answers ZonalAllocationFailed there',
      acts: [{ powerOff: { zone: '2' } }, { fault: 'zonal-allocation@zone=2' }],
      until: [{ noPodIn: { app: 'shop', zone: '2' } }],
    },
    {
      say: 'the pods of zone 2 are given up on and wait for machines elsewhere',
      until: [{ pods: { app: 'shop', running: 9 } }, { noPodIn: { app: 'shop', zone: '2' } }],
      withinMs: 20 * 60_000,
    },
    {
      say: 'somebody deletes the claims of the dark zone',
      acts: [{ deleteClaims: { zone: '2' } }],
      until: [{ noClaimIn: { zone: '2' } }, { pods: { app: 'shop', running: 9 } }],
      withinMs: 20 * 60_000,
    },
    {
      say: 'zone 2 is back: a pod that asks for it gets its machine there',
      acts: [
        { mend: 'zonal-allocation' },
        {
          apply: deployment('back', 1, {
            cpu: '1',
            memory: '1Gi',
            nodeSelector: { 'topology.kubernetes.io/zone': 'eastus-2' },
          }),
        },
      ],
      until: [{ pods: { app: 'back', running: 1 } }],
      withinMs: 60 * 60_000,
    },
  ],
};
