import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEPLOYMENTS, fetchTransport, KubeClient, POD_DISRUPTION_BUDGETS } from '@chandler/kube';
import { expect, test } from 'vitest';
import { NODE_OVERLAYS } from '../../packages/chandler/src/api/index.ts';
import { createWorld } from '../../packages/chandler/src/cli/testing.ts';
import { startPlayground } from '../../packages/chandler/src/playground/index.ts';
import { ADMIN, becomeReady, CONTROLLER, deployController, fill, staying } from './live-cluster.ts';

test('why plans with NodeOverlays only if the gate of the controller is on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plan-overlays-'));
  const world = await createWorld();
  const running = await startPlayground({ world, standins: false });
  try {
    const client = new KubeClient({ transport: fetchTransport(running.server.fetchAs(ADMIN)) });
    await fill(client);
    await client.delete(POD_DISRUPTION_BUDGETS, { name: 'db', namespace: 'default' });
    const types = [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['Standard_D4s_v5'] }];
    await client.create(NODE_OVERLAYS, {
      apiVersion: 'karpenter.sh/v1alpha1',
      kind: 'NodeOverlay',
      metadata: { name: 'cheap' },
      spec: { requirements: types, price: '0.000001' },
    } as never);
    await becomeReady(client, NODE_OVERLAYS, 'cheap');
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, running.server.kubeconfig);
    const asked = async (gates: string) => {
      await deployController(client, [{ name: 'FEATURE_GATES', value: gates }]);
      const texts = await staying('nodepool/general', kubeconfig, world);
      await client.delete(DEPLOYMENTS, CONTROLLER);
      return texts;
    };
    expect(await asked('NodeOverlay=false')).toEqual([
      '2 of 2 nodes would be disrupted now; see chandler plan',
    ]);
    expect(await asked('NodeOverlay=true')).toEqual([
      'node-a: its pods would need new nodes for $0.000/h, which is not cheaper than $0.000/h',
      '1 of 2 nodes would be disrupted now; see chandler plan',
    ]);
  } finally {
    await running.stop();
    await rm(folder, { recursive: true });
  }
});
