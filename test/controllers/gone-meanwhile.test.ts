/** Pods are planned as they are at the moment of the plan, not as they were before the cloud was asked. */
import { PODS } from '@chandler/kube';
import { afterEach, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS } from '../../packages/chandler/src/api/index.ts';
import { provisioner } from '../../packages/chandler/src/controllers/index.ts';

import { NODE_CLASS, pod, readyPool, type StageSet, setStage } from './stage.ts';

let stage: StageSet;
afterEach(() => stage.end());

test('a pod that no longer needs a node once instance types are read gets none', async () => {
  stage = await setStage({ controllers: [provisioner] });
  await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  await readyPool(stage, 'general');
  const { world, context, cloud, admin } = stage;
  const key = { namespace: 'default', name: 'short' };
  const read = cloud.instanceTypes;
  let asked = 0;
  Object.assign(cloud, {
    instanceTypes: async (...args: Parameters<typeof read>) => {
      asked += 1;
      if (asked === 1) await admin.delete(PODS, key);
      while (context.stores.pods.store.get(key) !== undefined) await world.clock.sleep(100);
      return read(...args);
    },
  });
  await stage.apply(PODS, pod('short'));
  await stage.until('instance types were read', () => asked > 0);
  await world.clock.advance(30_000);
  expect(await stage.list(NODE_CLAIMS)).toEqual([]);
});
