import { NODES, PODS, type Transport } from '@chandler/kube';
import { expect, test } from 'vitest';
import { withPageCluster } from './page.fixture.ts';

test('the answer about pending pods of many workloads lists nodes and pods of a namespace once', async () => {
  await withPageCluster(async ({ client, transport, open }) => {
    await client.create(NODES, {
      metadata: { name: 'n1', labels: { 'topology.kubernetes.io/zone': 'z1' } },
    } as never);
    for (let number = 0; number < 8; number++) {
      const labels = { app: `app-${number}` };
      const spread = {
        maxSkew: 1,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: labels },
      };
      await client.create(PODS, {
        metadata: { name: `pod-${number}`, namespace: 'default', labels },
        spec: { topologySpreadConstraints: [spread], containers: [{ name: 'a', image: 'x' }] },
      } as never);
    }
    const listed = new Map<string, number>();
    const counting: Transport = (request) => {
      const { path, query = {} } = request;
      const isList = query['watch'] === undefined && query['fieldSelector'] === undefined;
      const key = [path, query['labelSelector'] ?? '', query['limit']].join(' ');
      if (isList) listed.set(key, (listed.get(key) ?? 0) + 1);
      return transport(request);
    };
    const page = await open(counting);
    listed.clear();
    const { status, json } = await page.ask('pending');
    expect([status, (json as { readonly groups: readonly object[] }).groups.length]).toEqual([200, 8]);
    // The lower bound, too, may be computed meanwhile.
    expect(listed.get('/api/v1/nodes  200')).toBeLessThan(4);
    expect(listed.get('/apis/karpenter.sh/v1/nodepools  200')).toBeLessThan(4);
    expect(listed.get('/api/v1/namespaces/default/pods  200')).toBe(1);
  });
});
