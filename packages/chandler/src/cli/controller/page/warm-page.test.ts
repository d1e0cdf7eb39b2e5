import { realTimeWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import { CLOUD_NAMES } from '../../../cloud/registry.ts';
import { simulateExample, warmPage } from './warm-page.ts';

test.each(CLOUD_NAMES)('the example is valid on %s', async (cloud) => {
  await simulateExample(realTimeWorld(), cloud);
});

test('a failure is logged, and the controller goes on', async () => {
  const world = realTimeWorld();
  await warmPage(world, 'azure', async () => {
    throw new Error('no table of prices');
  });
  expect(JSON.stringify(world.lines)).toContain('no table of prices');
});
