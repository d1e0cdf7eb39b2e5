import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchTransport, KubeClient, NODES, PODS } from '@chandler/kube';
import { expect, test } from 'vitest';
import { createWorld } from '../../packages/chandler/src/cli/testing.ts';
import { startPlayground } from '../../packages/chandler/src/playground/index.ts';

import { exampleFile, simulate } from './examples.ts';

test('--live reads a cluster over the wire, and manifests are added to it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'simulate-live-'));
  const running = await startPlayground({ world: await createWorld(), standins: false });
  try {
    const client = new KubeClient({ transport: fetchTransport(running.server.fetchAs(ADMIN)) });
    const allocatable = { cpu: '4', memory: '16Gi', pods: '110' };
    await client.create(NODES, { metadata: { name: 'node-1' }, status: { allocatable } });
    const containers = [{ name: 'main', image: 'x', resources: { requests: { cpu: '3' } } }];
    // Nothing removes the not-ready taint of this node.
    const spec = { containers, tolerations: [{ operator: 'Exists' }] };
    await client.create(PODS, { metadata: { name: 'waits', namespace: 'default' }, spec });
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, running.server.kubeconfig);

    const alone = await simulate(['--live', '--kubeconfig', kubeconfig, '-o', 'json']);
    const { summary, existingNodes, notes } = JSON.parse(alone.out);
    expect(summary).toMatchObject({ pods: 1, placedOnExisting: 1, nodes: 0 });
    expect(existingNodes).toMatchObject([{ name: 'node-1', pods: [{ name: 'default/waits' }] }]);
    expect(notes[0]).toBe(`Read from context chandler-playground of ${kubeconfig}.`);

    const shop = ['-f', exampleFile('web-shop'), '-o', 'json', '--no-bound'];
    const both = await simulate(['--live', '--kubeconfig', kubeconfig, ...shop]);
    expect(JSON.parse(both.out).summary.pods).toBe(44);
  } finally {
    await running.stop();
    await rm(folder, { recursive: true });
  }
});

const ADMIN = { username: 'admin', groups: ['system:masters', 'system:authenticated'] };
