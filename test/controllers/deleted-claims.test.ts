/** A claim that is deleted from outside, as the controller of spot interruptions does: there is no time to lose. */
import { NODES } from '@chandler/kube';
import { afterEach, expect, test } from 'vitest';
import { NODE_CLAIMS } from '../../packages/chandler/src/api/index.ts';
import type { FullStage } from './all-controllers.ts';
import { claims, nodeOf, runningWorkloads } from './disruption.fixture.ts';

let full: FullStage;
afterEach(() => full.stage.end());

test('the replacement of a node is launched within seconds after its claim is deleted, while the node is still there', async () => {
  full = await runningWorkloads({ a: '1500m' }, { disruption: { consolidateAfter: 'Never' } });
  const old = await nodeOf(full, 'a');
  await full.stage.world.clock.advance(30_000);
  await full.stage.admin.delete(NODE_CLAIMS, { name: old.slice('aks-'.length) });
  await full.stage.until('a second claim', async () => (await claims(full)).length === 2, 5_000);
  expect(await full.stage.get(NODES, old)).toBeDefined();
});
