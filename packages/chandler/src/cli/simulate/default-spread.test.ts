import { fetchTransport, KubeClient, PODS, REPLICA_SETS, SERVICES } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { startPlayground } from '../../playground/index.ts';
import { Inventory } from './inventory.ts';
import { listCluster } from './live.ts';
import { aDeployment, NO_CATALOGUES, simulateText } from './simulate.fixture.ts';
import { toInput } from './to-input.ts';

const ZONE = 'topology.kubernetes.io/zone';
const defaultConstraints = [{ maxSkew: 1, topologyKey: ZONE, whenUnsatisfiable: 'DoNotSchedule' }];
const zones = ['zone-a', 'zone-b', 'zone-c'];

const SELECTED = aDeployment('web', 3).replace(
  '  replicas: 3',
  '  replicas: 3\n  selector: { matchLabels: { app: web } }',
);
const POD = (name: string) => `apiVersion: v1
kind: Pod
metadata: { name: ${name}, namespace: shop, labels: { app: api } }
spec:
  containers: [{ name: main, resources: { requests: { cpu: "1", memory: 1Gi } } }]
`;
const PODS_OF_API = ['api-1', 'api-2', 'api-3'].map(POD).join('---\n');
const SERVICE = `apiVersion: v1
kind: Service
metadata: { name: api, namespace: shop }
spec: { selector: { app: api } }
`;

async function zonesOf(text: string, spread: boolean): Promise<readonly (string | null)[]> {
  const { report, complaints } = await simulateText(text, {
    zones,
    ...(spread ? { defaultConstraints } : {}),
  });
  expect(complaints).toEqual([]);
  return report.nodes.map(({ zone }) => zone).sort();
}

describe('default constraints in a simulation', () => {
  test('spread the pods of a Deployment', async () => {
    expect(await zonesOf(SELECTED, true)).toEqual(zones);
    expect(await zonesOf(SELECTED, false)).toHaveLength(1);
  });

  test('spread pods that a Service selects', async () => {
    expect(await zonesOf(`${PODS_OF_API}---\n${SERVICE}`, true)).toEqual(zones);
    expect(await zonesOf(PODS_OF_API, true)).toHaveLength(1);
  });

  test('of a live cluster use its Services and ReplicaSets, which are not expanded to more pods', async () => {
    const running = await startPlayground({ world: virtualWorld(), port: false, standins: false });
    try {
      const client = new KubeClient({ transport: fetchTransport(running.server.adminFetch) });
      const labels = { app: 'web' };
      const spec = { containers: [{ name: 'main', image: 'i' }] };
      const metadata = { name: 'web', namespace: 'default' };
      const template = { metadata: { labels }, spec };
      await client.create(REPLICA_SETS, {
        metadata,
        spec: { replicas: 5, selector: { matchLabels: labels }, template },
      });
      await client.create(SERVICES, { metadata, spec: { selector: labels, ports: [{ port: 80 }] } });
      await client.create(PODS, { metadata: { ...metadata, labels }, spec });
      const inventory = new Inventory();
      const transport = fetchTransport(running.server.adminFetch);
      await listCluster(inventory, transport, new AbortController().signal, { selectors: true });
      const { input } = toInput(inventory, NO_CATALOGUES, { pools: [], options: {}, defaultConstraints });
      expect(input.pods).toHaveLength(1);
      expect(input.defaultSpread).toMatchObject({
        constraints: defaultConstraints,
        services: expect.arrayContaining([expect.objectContaining({ selector: labels })]),
        controllers: [{ kind: 'ReplicaSet', selector: { matchLabels: labels } }],
      });
    } finally {
      await running.stop();
    }
  });
});
