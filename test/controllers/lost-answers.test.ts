/** A request that was processed, but its answer was lost. */

import { ApiStatusError, type KubeClient, PODS } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS } from '../../packages/chandler/src/api/index.ts';
import type { ReconcileScope } from '../../packages/chandler/src/controllers/index.ts';
import { ProvisioningPass } from '../../packages/chandler/src/controllers/testing.ts';

import { NODE_CLASS, pod, readyPool, type StageSet, setStage } from './stage.ts';

let stage: StageSet;
afterEach(() => stage.end());

const LOST = new ApiStatusError('unreachable', 'connection reset before the answer arrived');

/** A client that loses the answers to creations. While `deaf`, requests do not arrive either. */
function losing(deaf: () => boolean, names: string[]): KubeClient {
  const { client } = stage.context;
  return Object.create(client, {
    create: {
      value: async (resource: never, body: { metadata: { name: string } }) => {
        names.push(body.metadata.name);
        if (!deaf()) await client.create(resource, body as never);
        throw LOST;
      },
    },
    find: {
      value: async (resource: never, key: never) => {
        if (deaf()) throw LOST;
        return client.find(resource, key);
      },
    },
  }) as KubeClient;
}

async function passThatLoses(deaf: () => boolean, names: string[] = []): Promise<() => Promise<unknown>> {
  stage = await setStage({ controllers: [] });
  await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  await readyPool(stage, 'general');
  await stage.apply(PODS, pod('a'));
  await stage.until('the pod waits', async () => stage.context.stores.pods.store.size === 1);
  await stage.world.clock.advance(1_000);
  const scope: ReconcileScope = {
    ...stage.context,
    client: losing(deaf, names),
    signal: neverAborted(),
  };
  const pass = new ProvisioningPass(scope);
  return () => pass.run(scope);
}

describe('a claim whose creation got no answer', () => {
  test('is known to the next plan before any watch event', async () => {
    const plan = await passThatLoses(() => false);
    await plan();
    await plan();
    expect(await stage.list(NODE_CLAIMS)).toHaveLength(1);
    expect(stage.context.stores.claims.store.size).toBe(1);
    expect((await stage.eventsOf('a')).map(({ reason }) => reason)).toContain('Nominated');
  });

  test('and cannot be read either, is created again under the same name', async () => {
    const names: string[] = [];
    let deaf = true;
    const plan = await passThatLoses(() => deaf, names);
    await plan();
    deaf = false;
    await plan();
    expect(names).toEqual([names[0], names[0]]);
    expect(await stage.list(NODE_CLAIMS)).toHaveLength(1);
  });
});
