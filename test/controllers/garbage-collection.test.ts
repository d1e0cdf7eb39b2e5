import type { KubeObject } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { NODE_CLAIMS } from '../../packages/chandler/src/api/index.ts';
import { CloudError } from '../../packages/chandler/src/cloud/index.ts';
import { garbageCollection } from '../../packages/chandler/src/controllers/index.ts';

import { type StageSet, setStage } from './stage.ts';

const MINUTE_MS = 60_000;
const OURS = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' };
const THEIRS = { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' };

let stage: StageSet;
afterEach(() => stage.end());

const onStage = async () => {
  stage = await setStage({ controllers: [garbageCollection] });
};
const advance = (ms: number) => stage.world.clock.advance(ms);
const claims = async () => (await stage.list(NODE_CLAIMS)).map(({ metadata }) => metadata.name);
const machines = () => [...stage.cloud.machines.values()].map(({ instance }) => instance.name).sort();

/** A machine that has been there for long. */
function machine(name: string, claimUid = 'nobody', key = claimUid === 'nobody' ? name : claimUid): void {
  const labels = {};
  const instance = {
    ...{ name, claimUid, labels, annotations: {}, capacity: {}, allocatable: {}, deleting: false },
    ...{ providerID: `azure:///paper/${name}`, instanceType: 'paper-2', zone: 'eastus-1' },
    ...{ capacityType: 'on-demand' as const, createdAtMs: stage.world.clock.now() - 60 * MINUTE_MS },
  };
  stage.cloud.machines.set(key, { instance, deleting: false });
}

/** A claim whose node registered once. */
async function registered(name: string, nodeClassRef = OURS): Promise<KubeObject> {
  const made = await stage.apply(NODE_CLAIMS, {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name },
    spec: { nodeClassRef, requirements: [] },
  });
  const conditions = ['Launched', 'Registered'].map((type) => ({
    ...{ type, status: 'True', reason: type, message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
  }));
  const patch = { status: { providerID: `azure:///paper/${name}`, conditions } };
  await stage.admin.patchStatus(NODE_CLAIMS, { name }, { type: 'merge', patch });
  return made;
}

/** The cloud finds machines by their claims; these have none. */
function releaseByName(refuses: (name: string) => boolean = () => false): string[] {
  const tries: string[] = [];
  stage.cloud.delete = async ({ metadata: { name = '' } }) => {
    tries.push(name);
    if (refuses(name)) throw new CloudError('Unauthorized', `${name} is locked`, { reason: 'ScopeLocked' });
    stage.cloud.machines.delete(name);
    return { state: 'gone' };
  };
  return tries;
}

describe('garbage collection', () => {
  test('continues with other instances when one cannot be terminated, and retries that one each time', async () => {
    await onStage();
    const tries = releaseByName((name) => name === 'a-locked');
    for (const name of ['a-locked', 'b', 'c']) machine(name);
    await advance(5 * MINUTE_MS);
    expect(machines()).toEqual(['a-locked']);
    const before = tries.length;
    await advance(20 * MINUTE_MS);
    expect(tries.length - before).toBe(10);
    expect(stage.world.lines.filter(({ level }) => level === 'warn')).toContainEqual(
      expect.objectContaining({ message: 'failed to terminate instance without a nodeclaim' }),
    );
  });

  test('continues with other claims when one cannot be deleted', async () => {
    await onStage();
    for (const name of ['a', 'b']) await registered(name);
    const { client } = stage.context;
    const remove = client.delete.bind(client);
    client.withSignal = () => client;
    client.delete = ((resource, key, options) => {
      if (key.name === 'a') throw new Error('a webhook says no');
      return remove(resource, key, options);
    }) as typeof client.delete;
    await advance(7 * MINUTE_MS);
    expect(await claims()).toEqual(['a']);
  });

  test('retries within seconds when instances could not be listed, and never waits longer than its interval', async () => {
    await onStage();
    const { list } = stage.cloud;
    let looks = 0;
    stage.cloud.list = async () => {
      looks++;
      throw new CloudError('Unreachable', 'no answer');
    };
    await advance(60 * MINUTE_MS);
    expect(looks).toBeGreaterThanOrEqual(30);
    expect(looks).toBeLessThanOrEqual(40);
    stage.cloud.list = list;
    releaseByName();
    machine('b');
    await advance(5 * MINUTE_MS);
    expect(machines()).toEqual([]);
  });

  test('keeps a claim whose instance is only missing in the list, and one whose id differs in case', async () => {
    await onStage();
    for (const name of ['hidden', 'cased', 'gone']) await registered(name);
    machine('hidden', 'u1');
    machine('cased', 'u2');
    const { list } = stage.cloud;
    stage.cloud.list = async () =>
      (await list(neverAborted()))
        .filter(({ name }) => name !== 'hidden')
        .map((each) => ({ ...each, providerID: each.providerID.toUpperCase() }));
    stage.cloud.delete = async () => {
      throw new Error('no instance may be terminated');
    };
    await advance(10 * MINUTE_MS);
    expect(await claims()).toEqual(['cased', 'hidden']);
  });

  test('deletes no claim while the cloud cannot confirm that its instance is gone', async () => {
    await onStage();
    await registered('a');
    stage.cloud.unreadable = new CloudError('Throttled', 'later');
    await advance(10 * MINUTE_MS);
    expect(await claims()).toEqual(['a']);
    stage.cloud.unreadable = undefined;
    await advance(5 * MINUTE_MS);
    expect(await claims()).toEqual([]);
  });

  test('ignores claims of another provider, whose instances we cannot list', async () => {
    await onStage();
    await registered('ours');
    await registered('theirs', THEIRS);
    await advance(30 * MINUTE_MS);
    expect(await claims()).toEqual(['theirs']);
  });

  test('lists claims from the API server before it terminates an instance, because the cache may be stale', async () => {
    await onStage();
    const tries = releaseByName();
    await stage.context.stores.claims.stop();
    const late = await registered('late');
    machine('late', late.metadata.uid);
    machine('stray');
    await advance(10 * MINUTE_MS);
    expect(machines()).toEqual(['late']);
    expect(tries).toEqual(['stray']);
  });

  test('terminates a second instance of a claim that names another one', async () => {
    await onStage();
    const { metadata } = await registered('own');
    machine('own', metadata.uid);
    machine('second', metadata.uid, 'second');
    const tries = releaseByName();
    await advance(10 * MINUTE_MS);
    expect(machines()).toEqual(['own']);
    expect(tries).toEqual(['second']);
    expect(await claims()).toEqual(['own']);
  });

  test('keeps an instance of a claim that names none, or one that is not listed', async () => {
    await onStage();
    const named = await registered('other');
    const unnamed = await registered('unnamed');
    const patch = { status: { providerID: '' } };
    await stage.admin.patchStatus(NODE_CLAIMS, { name: 'unnamed' }, { type: 'merge', patch });
    machine('first', named.metadata.uid);
    machine('launching', unnamed.metadata.uid);
    const { get } = stage.cloud;
    // The instance that the claim names exists, though it is not listed.
    stage.cloud.get = (providerID, signal) => get(providerID.replace('other', 'first'), signal);
    const tries = releaseByName();
    await advance(10 * MINUTE_MS);
    expect(machines()).toEqual(['first', 'launching']);
    expect(tries).toEqual([]);
  });

  test('terminates nothing while claims cannot be listed', async () => {
    await onStage();
    const tries = releaseByName();
    machine('stray');
    const { client } = stage.context;
    const { listAll } = client;
    client.withSignal = () => client;
    client.listAll = async () => {
      throw new Error('no answer');
    };
    await advance(10 * MINUTE_MS);
    expect(tries).toEqual([]);
    client.withSignal = () => client;
    client.listAll = listAll;
    await advance(5 * MINUTE_MS);
    expect(tries).toEqual(['stray']);
  });
});
