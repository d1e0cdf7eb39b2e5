/** A store that is no longer updated, because a role was changed while the controller runs. */
import { CLUSTER_ROLES, NODES, PODS, type Transport } from '@chandler/kube';
import { afterEach, expect, test } from 'vitest';
import { NODE_CLAIMS } from '../../packages/chandler/src/api/index.ts';
import { type FullStage, fullStage, settledPod } from './all-controllers.ts';
import { pod, type StageSet } from './stage.ts';

let full: FullStage;
afterEach(() => full.stage.end());

/** A wire on which the watch of pods can be ended, as an API server does from time to time. */
function cuttable() {
  const open = new Set<() => void>();
  const wire =
    (send: Transport): Transport =>
    async (request) => {
      const response = await send(request);
      if (request.path === '/api/v1/pods' && request.stream === true) open.add(() => response.cancel());
      return response;
    };
  return {
    wire,
    cut(): void {
      for (const cancel of open) cancel();
      open.clear();
    },
  };
}

/** Takes the permission to list and watch pods from the controller. @returns a function that grants it again. */
async function revokePods({ admin }: StageSet): Promise<() => Promise<unknown>> {
  const role = await admin.get(CLUSTER_ROLES, { name: 'chandler' });
  const rules = role['rules'] as readonly { readonly resources: readonly string[] }[];
  const replace = (granted: readonly unknown[]) =>
    admin.patch(CLUSTER_ROLES, { name: 'chandler' }, { type: 'merge', patch: { rules: granted } });
  await replace(rules.filter(({ resources }) => !resources.includes('pods')));
  return () => replace(rules);
}

test('a node is not drained while the pod store is not updated: pods may run that it does not show', async () => {
  const pods = cuttable();
  full = await fullStage({ wire: pods.wire });
  const { stage } = full;
  const name = await settledPod(full);
  const node = `aks-${name}`;
  await stage.admin.delete(PODS, { name: 'a', namespace: 'default' }, { gracePeriodSeconds: 0 });
  await stage.world.clock.advance(5_000);
  const grant = await revokePods(stage);
  pods.cut();
  await stage.until('the store is failing', () => stage.context.stores.pods.failingMs > 0);
  await stage.apply(PODS, pod('unseen', { nodeName: node }));
  await stage.admin.delete(NODE_CLAIMS, { name });
  await stage.world.clock.advance(60_000);
  expect(stage.cloud.machines.size).toBe(1);
  expect((await stage.list(NODES)).map(({ metadata }) => metadata.name)).toEqual([node]);
  expect((await stage.eventsOf(node)).map(({ message }) => message).join('\n')).toMatch(
    /Failed to drain node, the pods of the node are not known: /,
  );
  stage.world.scrape();
  expect(stage.world.values.get('chandler_store_age_seconds{resource="pods"}')).toBeGreaterThan(30);
  expect(stage.world.values.get('chandler_store_age_seconds{resource="nodes"}')).toBe(0);
  expect([...stage.world.values.keys()].filter((key) => key.startsWith('chandler_store_error'))).toEqual([
    'chandler_store_error{error="forbidden",resource="pods"}',
  ]);
  await grant();
  await stage.until('the node is gone', async () => (await stage.list(NODES)).length === 0, 5 * 60_000);
  expect(await stage.get(PODS, 'unseen')).toBeUndefined();
});
