/** A zone fails: its instances stop, and no new one can be launched there. */
import { deployment, type Scenario } from './scenario.ts';

const SPREAD = {
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'topology.kubernetes.io/zone',
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: { app: 'shop' } },
    },
  ],
  // The Kubernetes default is 300 s, too long for a service that must stay available.
  tolerations: ['not-ready', 'unreachable'].map((state) => ({
    key: `node.kubernetes.io/${state}`,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: 30,
  })),
};

export const ZONE_OUTAGE: Scenario = {
  name: 'zone-outage',
  summary: 'a zone fails and has no capacity: its pods are rescheduled to the two other zones',
  speed: 10,
  steps: [
    {
      description: 'nine pods are spread over three zones',
      actions: [{ apply: deployment('shop', 9, { cpu: '1', memory: '2Gi', ...SPREAD }) }],
      until: [{ pods: { app: 'shop', running: 9 } }],
    },
    {
      description: 'the second zone fails: its instances stop, and the cloud has no capacity there',
      actions: [{ powerOff: { zone: '2' } }, { capacity: { zone: '2', available: false } }],
      until: [{ noPodIn: { app: 'shop', zone: '2' } }],
    },
    {
      description: 'the pods of that zone are evicted, and nodes are launched for them in the other zones',
      until: [{ pods: { app: 'shop', running: 9 } }, { noPodIn: { app: 'shop', zone: '2' } }],
      withinMs: 20 * 60_000,
    },
    {
      description: 'the NodeClaims of the failed zone are deleted',
      actions: [{ deleteClaims: { zone: '2' } }],
      until: [{ noClaimIn: { zone: '2' } }, { pods: { app: 'shop', running: 9 } }],
      withinMs: 20 * 60_000,
    },
    {
      description: 'the zone has recovered: a node is launched there for a pod that selects the zone',
      actions: [
        { capacity: { zone: '2', available: true } },
        {
          applyWith: ({ cloud }) =>
            deployment('back', 1, {
              cpu: '1',
              memory: '1Gi',
              nodeSelector: { 'topology.kubernetes.io/zone': cloud.zones[1] },
            }),
        },
      ],
      until: [{ pods: { app: 'back', running: 1 } }],
      withinMs: 60 * 60_000,
    },
  ],
};
