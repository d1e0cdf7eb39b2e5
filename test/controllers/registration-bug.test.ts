/** A bug of ours while a node registers. */
import { PODS } from '@chandler/kube';
import { afterEach, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { type FullStage, fullStage } from './all-controllers.ts';
import { NODE_CLASS, pod, pool } from './stage.ts';

let full: FullStage;
afterEach(() => full.stage.end());

test('a bug during registration does not count as a node that failed to register, and its instance is kept', async () => {
  full = await fullStage();
  const { stage } = full;
  const hook = {
    name: 'hook',
    done: async () => (undefined as unknown as { done: boolean }).done,
  };
  Object.assign(stage.cloud, { registrationHooks: [hook] });
  await full.restart();
  await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  await stage.apply(NODE_POOLS, pool('general'));
  await stage.apply(PODS, pod('a'));
  await stage.until('it has an instance', () => stage.cloud.machines.size === 1);
  const names = async () => (await stage.list(NODE_CLAIMS)).map(({ metadata }) => metadata.name);
  const before = await names();
  await stage.world.clock.advance(40 * 60_000);
  expect(await names()).toEqual(before);
  const nodePool = await stage.get(NODE_POOLS, 'general');
  const { conditions = [] } = (nodePool?.['status'] ?? {}) as {
    conditions?: { type: string; status: string }[];
  };
  expect(conditions.find(({ type }) => type === 'NodeRegistrationHealthy')?.status).not.toBe('False');
});
