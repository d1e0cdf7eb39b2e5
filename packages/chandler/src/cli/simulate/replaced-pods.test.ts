import { expect, test } from 'vitest';
import { expandWorkloads } from './expand.ts';
import { Inventory } from './inventory.ts';
import { dropReplacedPods } from './replaced-pods.ts';

test('the pods of a Deployment of a file that does not say how many stay as they are', () => {
  const template = { spec: { containers: [{ name: 'main', resources: { requests: { cpu: '1' } } }] } };
  const inventory = new Inventory();
  const reference = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: 'web-abc',
    uid: 'r',
    controller: true,
  };
  for (let at = 0; at < 5; at++)
    inventory.addLive('Pod', {
      metadata: {
        name: `web-abc-${at}`,
        namespace: 'default',
        uid: `u${at}`,
        labels: { 'pod-template-hash': 'abc' },
        ownerReferences: [reference],
      },
      spec: { ...template.spec, nodeName: 'node-1' },
    } as never);
  const origin = { file: 'web.yaml', lineOf: () => 1 };
  inventory.addFound({
    value: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'default' },
      spec: { template },
    },
    origin,
  } as never);
  expect(dropReplacedPods(inventory)).toEqual([]);
  expect(inventory.objects('Pod')).toHaveLength(5);
  expect(expandWorkloads(inventory).pods).toHaveLength(0);
});
