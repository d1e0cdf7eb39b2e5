import { neverAborted, virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { ArmError } from '../../../arm/index.ts';
import { DeletePace } from './delete-pace.ts';
import { deleteStep } from './deleter.ts';
import { garbageCollector } from './garbage-collection.ts';
import type { GraphListOptions } from './graph-list.ts';
import type { OtherClusters } from './other-clusters.ts';
import type { RecentVms } from './recent-vms.ts';
import type { VmView } from './view.ts';
import type { VmApi } from './vm-api.ts';

const READS_PER_SECOND = 25;

/** VMs that go until `gone` has their name. */
function disappearingVms(gone: ReadonlySet<string>): VmApi {
  const vm = (name: string): VmView => ({
    id: `/vm/${name}`,
    claimUid: `uid-${name}`,
    progress: 'deleting',
    vm: { location: 'eastus' },
    failure: undefined,
  });
  const api: Partial<VmApi> = {
    getVm: async (name) => (gone.has(name) ? undefined : vm(name)),
    getNic: async () => undefined,
    getDisk: async () => undefined,
    withSignal: () => api as VmApi,
  };
  return api as VmApi;
}

function deletions(launches = 0) {
  const { clock, log } = virtualWorld();
  const gone = new Set<string>();
  const pace = new DeletePace({ clock, readsPerSecond: READS_PER_SECOND, launches: () => launches });
  const api = disappearingVms(gone);
  const look = async (name: string): Promise<number | 'gone'> => {
    const step = await deleteStep(api, log, { name, claimUid: `uid-${name}`, ownVmId: undefined }, pace);
    return step.state === 'gone' ? 'gone' : step.retryAfterMs;
  };
  return { clock, log, gone, pace, api, look };
}

const NAMES = Array.from({ length: 500 }, (_, at) => `aks-${at}`);

describe('deletions that are polled', () => {
  test('are polled soon when they are few', async () => {
    expect(await deletions().look('aks-0')).toBe(3_000);
  });

  test('take half of our reads together, however many they are', async () => {
    const { look } = deletions();
    for (const name of NAMES) await look(name);
    const waits = await Promise.all(NAMES.map(look));
    expect(Math.min(...waits.map(Number))).toBe((NAMES.length * 2 * 1000) / READS_PER_SECOND);
  });

  test('leave reads to launches', async () => {
    expect(await deletions(500).look('aks-0')).toBeGreaterThanOrEqual(40_000);
  });

  test('that are over or abandoned do not slow down the others', async () => {
    const { look, gone, clock } = deletions();
    for (const name of NAMES) await look(name);
    for (const name of NAMES.slice(0, 250)) gone.add(name);
    for (const name of NAMES.slice(0, 250)) expect(await look(name)).toBe('gone');
    expect(await look('aks-499')).toBe(20_000);
    await clock.advance(16 * 60_000);
    expect(await look('aks-499')).toBe(3_000);
  });

  test('that Azure refuses for good are not counted', async () => {
    const { log, pace, look } = deletions();
    for (const name of NAMES) {
      const api = {
        getVm: async () => {
          throw new ArmError({ code: 'AuthorizationFailed', message: 'no', status: 403 });
        },
      } as Partial<VmApi> as VmApi;
      await look(name);
      await expect(deleteStep(api, log, { name, claimUid: '', ownVmId: undefined }, pace)).rejects.toThrow();
    }
    expect(await look('aks-0')).toBe(3_000);
  });

  test('count what has no claim too', async () => {
    const { api, log, clock, pace, look, gone } = deletions();
    const unused = {} as GraphListOptions & RecentVms & OtherClusters;
    const garbage = garbageCollector({
      api,
      graph: unused,
      recent: unused,
      others: unused,
      log,
      clock,
      pace,
    });
    const remove = (name: string) =>
      garbage.remove(
        { part: 'vm', id: `/vm/${name}`, name, claimUid: `uid-${name}`, why: '' },
        neverAborted(),
      );
    for (const name of NAMES) await remove(name);
    expect(await look('aks-other')).toBeGreaterThanOrEqual(40_000);
    expect(await remove('aks-0')).toMatchObject({ state: 'deleting', retryAfterMs: 40_080 });
    for (const name of NAMES) gone.add(name);
    for (const name of NAMES) expect(await remove(name)).toEqual({ state: 'gone' });
    expect(await look('aks-other')).toBe(3_000);
  });
});
