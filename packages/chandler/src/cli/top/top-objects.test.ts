import { CUSTOM_RESOURCE_DEFINITIONS, NODES, PODS } from '@chandler/kube';
import { expect, test } from 'vitest';
import { NODE_CLAIMS } from '../../api/index.ts';
import { topNodes } from '../../dashboard/index.ts';
import type { NodeChoice } from './choose-nodes.ts';
import { frameOf } from './frame.ts';
import { readPrices } from './prices.ts';
import { renderTop } from './render-top.ts';
import { fill, NEVER, withCluster } from './top.fixture.ts';
import { topJson, topNames } from './top-json.ts';
import { TopObjects } from './top-objects.ts';

const ALL: NodeChoice = { nodePools: [], zones: [], selector: () => true, text: '' };

async function frameFrom(objects: TopObjects, nowMs: number) {
  const prices = await readPrices(objects, undefined);
  const nodes = topNodes(objects, prices, nowMs);
  const view = { nodes, pendingPods: objects.pods?.pending, notes: objects.notes };
  return frameOf(view, { choice: ALL, sort: 'name', reverse: false }, nowMs);
}

test('nodes are shown with requests, price, age, phase and reason, and totals leave out what is not known', async () => {
  await withCluster(async ({ world, client, transport }) => {
    await fill(client);
    const objects = new TopObjects({ transport, world, signal: NEVER });
    await objects.read();
    const frame = await frameFrom(objects, world.clock.now() + 60_000);
    expect(renderTop(frame, { columns: 150, color: false, wide: false }).lines).toMatchInlineSnapshot(`
      [
        "4 nodes, 3 Ready; 2 pods, 1 pending; cpu 17%, memory 8% requested; $0.576/h, $420 a month",
        "",
        "NODEPOOL  NODES  READY  CPU              MEMORY           PODS                  $/H  $/MONTH",
        "general       3      2  ███░░░░░░░  25%  █░░░░░░░░░  13%  ░░░░░░░░░░   2/220  0.576      420",
        "(none)        1      1  ░░░░░░░░░░   0%  ░░░░░░░░░░   0%  ░░░░░░░░░░   0/110      -        -",
        "",
        "NODE           TYPE             ZONE      CAPACITY   CPU              MEMORY           PODS                  $/H  AGE  PHASE    STAYS BECAUSE",
        "aks-general-a  Standard_D4s_v5  eastus-1  on-demand  █████░░░░░  50%  ███░░░░░░░  25%  ░░░░░░░░░░   2/110  0.192  60s  Ready    Pdb "shop/web" preven…",
        "aks-general-b  Standard_D4s_v5  eastus-1  on-demand  ░░░░░░░░░░   0%  ░░░░░░░░░░   0%  ░░░░░░░░░░   0/110  0.192  60s  Ready    -",
        "general-c      Standard_D4s_v5  eastus-1  on-demand  -                -                -                   0.192  60s  booting  -",
        "system-1       -                eastus-2  -          ░░░░░░░░░░   0%  ░░░░░░░░░░   0%  ░░░░░░░░░░   0/110      -  60s  Ready    it is not managed: it…",
        "",
        "The price of 1 node is not known and not in the totals.",
      ]
    `);
    expect(renderTop(frame, { columns: 80, color: false, wide: false }).lines).toMatchInlineSnapshot(`
      [
        "4 nodes, 3 Ready; 2 pods, 1 pending; cpu 17%, memory 8% requested; $0.576/h, $420 a month",
        "",
        "NODEPOOL  NODES  READY  CPU         MEMORY       PODS    $/H  $/MONTH",
        "general       3      2  █░░░░  25%  █░░░░  13%  2/220  0.576      420",
        "(none)        1      1  ░░░░░   0%  ░░░░░   0%  0/110      -        -",
        "",
        "NODE           TYPE           CPU         MEMORY       PODS    $/H  AGE  PHASE",
        "aks-general-a  …ndard_D4s_v5  ███░░  50%  █░░░░  25%  2/110  0.192  60s  Ready",
        "aks-general-b  …ndard_D4s_v5  ░░░░░   0%  ░░░░░   0%  0/110  0.192  60s  Ready",
        "general-c      …ndard_D4s_v5  -           -               -  0.192  60s  booting",
        "system-1       -              ░░░░░   0%  ░░░░░   0%  0/110      -  60s  Ready",
        "",
        "The price of 1 node is not known and not in the totals.",
      ]
    `);
    expect(topNames(frame)).toBe(
      'node/aks-general-a\nnode/aks-general-b\nnodeclaim.karpenter.sh/general-c\nnode/system-1\n',
    );
    expect(topJson(frame)).toMatchObject({
      summary: { nodes: 4, ready: 3, unpriced: 1, allNodes: 4, pendingPods: 1 },
      nodes: [
        {
          name: 'aks-general-a',
          cpuMillis: { requested: 2000, allocatable: 4000 },
          memoryBytes: { requested: 2 ** 31, allocatable: 2 ** 33 },
          pods: { requested: 2, allocatable: 110 },
          staying: [{ code: 'DisruptionBlocked' }],
        },
        { name: 'aks-general-b', staying: [] },
        { name: 'general-c', node: null, phase: 'booting', pods: { requested: null } },
        { name: 'system-1', nodePool: null, pricePerHour: null, staying: [{ code: 'NotManaged' }] },
      ],
    });
  });
});

test('a watched cluster stays up to date, and ended pods request nothing', async () => {
  await withCluster(async ({ world, client, transport }) => {
    await fill(client);
    let changes = 0;
    const objects = new TopObjects({ transport, world, signal: NEVER });
    await world.clock.during(
      objects.watch(() => {
        changes += 1;
      }),
    );
    const usage = () => objects.pods?.on('aks-general-a');
    expect(usage()).toEqual({ cpuMillis: 2000, memoryBytes: 2 ** 31, pods: 2 });
    changes = 0;
    const key = { namespace: 'default', name: 'web-1' };
    await client.patchStatus(PODS, key, { type: 'merge', patch: { status: { phase: 'Succeeded' } } });
    await world.clock.until(() => usage()?.pods === 1, 10);
    expect(usage()).toEqual({ cpuMillis: 500, memoryBytes: 2 ** 30, pods: 1 });
    expect(changes).toBe(1);
    await client.delete(NODES, { name: 'aks-general-b' });
    await client.delete(NODE_CLAIMS, { name: 'general-b' });
    await world.clock.until(() => objects.nodes.size === 2 && objects.claims.size === 2, 10);
    expect(objects.problems()).toEqual([]);
    await objects.stop();
  });
});

test('without the CRDs it says so, and shows nodes', async () => {
  await withCluster(async ({ world, client, transport }) => {
    await fill(client);
    for (const name of ['nodeclaims.karpenter.sh', 'nodepools.karpenter.sh'])
      await client.delete(CUSTOM_RESOURCE_DEFINITIONS, { name });
    const objects = new TopObjects({ transport, world, signal: NEVER });
    await objects.read();
    expect(objects.notes).toEqual([
      'NodeClaims are not installed in this cluster (nodeclaims.karpenter.sh); all nodes are shown as nodes without a NodeClaim.',
      'NodePools are not installed in this cluster (nodepools.karpenter.sh); prices are not known.',
    ]);
    const { nodes } = await frameFrom(objects, world.clock.now());
    expect(nodes.map(({ name, pricePerHour }) => [name, pricePerHour])).toEqual([
      ['aks-general-a', undefined],
      ['aks-general-b', undefined],
      ['system-1', undefined],
    ]);
  });
});

test('a permission that is missing is named with its verb and resource', async () => {
  await withCluster(async ({ world, client, limitedTo }) => {
    await fill(client);
    const transport = await limitedTo('nodes');
    for (const way of ['read', 'watch'] as const) {
      const objects = new TopObjects({ transport, world, signal: NEVER });
      await world.clock.during(way === 'read' ? objects.read() : objects.watch(() => undefined));
      expect(objects.notes).toEqual([
        'these credentials lack the permission "list" on "pods"; requests are not shown.',
        'these credentials lack the permission "list" on "nodeclaims.karpenter.sh"; all nodes are shown as nodes without a NodeClaim.',
        'these credentials lack the permission "list" on "nodepools.karpenter.sh"; prices are not known.',
        'these credentials lack the permission "list" on "nodeoverlays.karpenter.sh"; prices are without NodeOverlays.',
        'these credentials lack the permission "list" on "events"; reasons for staying that the controller reports are not shown.',
      ]);
      const { nodes, totals } = await frameFrom(objects, world.clock.now());
      expect(nodes[0]?.cpu).toEqual({ requested: undefined, allocatable: 4000 });
      // Who manages it is not known.
      expect(nodes[0]?.staying).toEqual([]);
      expect(totals.cpu).toEqual({ requested: undefined, allocatable: undefined });
      await objects.stop();
    }
  });
});

test('without permission to list nodes there is nothing to show', async () => {
  await withCluster(async ({ world, limitedTo }) => {
    const objects = new TopObjects({ transport: await limitedTo('pods'), world, signal: NEVER });
    await expect(objects.read()).rejects.toThrow(
      'these credentials lack the permission "list" on "nodes"; without nodes there is nothing to show. Ask for a role that permits it',
    );
  });
});
