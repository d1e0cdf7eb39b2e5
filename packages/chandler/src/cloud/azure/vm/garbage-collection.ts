/** Finds resources without a NodeClaim and deletes them, one step at a time. The caller decides when. */
import type { Clock, Log } from '@chandler/kube';
import { toArmError } from '../../../arm/index.ts';
import type { DeleteStep } from '../../index.ts';

import { asCloudError, classify } from '../errors/index.ts';
import type { DeletePacing } from './delete-pace.ts';
import { type GraphListOptions, listDisks, listNics, listVms } from './graph-list.ts';
import { type ClaimRef, findOrphans, type Orphan } from './orphans.ts';
import type { OtherClusters } from './other-clusters.ts';
import type { RecentVms } from './recent-vms.ts';
import type { PartView } from './view.ts';
import type { VmApi } from './vm-api.ts';

export interface GarbageCollector {
  /** The claims must be all there are. */
  find(claims: readonly ClaimRef[], signal: AbortSignal): Promise<readonly Orphan[]>;
  /** One step. Resource Graph lags, so the resource itself is read first: its name may be used by another one by now. */
  remove(orphan: Orphan, signal: AbortSignal): Promise<DeleteStep>;
}

export function garbageCollector(options: {
  readonly api: VmApi;
  readonly graph: GraphListOptions;
  readonly log: Log;
  readonly clock: Clock;
  readonly recent: RecentVms;
  readonly others: OtherClusters;
  readonly pace: DeletePacing;
}): GarbageCollector {
  const { api, log, clock, recent, others, pace } = options;
  return {
    async find(claims, signal) {
      const graph = { ...options.graph, signal };
      try {
        const vms = others.without(recent.correct(await listVms(graph)));
        const nics = others.without(await listNics(graph));
        const disks = others.without(await listDisks(graph));
        return findOrphans({ vms, nics, disks, claims, nowMs: clock.now() });
      } catch (error) {
        signal.throwIfAborted();
        throw asCloudError(error);
      }
    },
    async remove(orphan, signal) {
      const key = `${orphan.part} ${orphan.name}`;
      try {
        const state = await REMOVE[orphan.part](api.withSignal(signal), orphan, log);
        if (state === 'deleting') return { state, retryAfterMs: pace.pollIntervalMs(key) };
        pace.over(key);
        return { state };
      } catch (error) {
        signal.throwIfAborted();
        const failure = classify(toArmError(error)).error;
        const patient = failure.kind === 'Throttled' || failure.reason === 'NetworkInterfaceReserved';
        if (patient && failure.advice.retry === 'after') {
          return { state: 'deleting', retryAfterMs: failure.advice.ms };
        }
        pace.over(key);
        throw failure;
      }
    },
  };
}

// ---------------------------------------------------------------------------------------------------

/** A new claim of the same name has made its own; or AKS took it over. */
function isAnother(shown: PartView, orphan: Orphan): boolean {
  return shown.ofAks === true || shown.claimUid !== orphan.claimUid;
}

const REMOVE: Readonly<
  Record<Orphan['part'], (api: VmApi, orphan: Orphan, log: Log) => Promise<DeleteStep['state']>>
> = {
  async vm(api, orphan, log) {
    const vm = await api.getVm(orphan.name);
    if (vm === undefined || isAnother(vm, orphan)) return 'gone';
    if (vm.progress !== 'deleting') {
      log.info('deleting a VM without a NodeClaim', { vm: orphan.name, reason: orphan.why });
      await api.deleteVm(orphan.name);
    }
    return 'deleting';
  },
  async nic(api, orphan, log) {
    const nic = await api.getNic(orphan.name);
    if (nic === undefined || nic.attachedTo !== undefined || isAnother(nic, orphan)) return 'gone';
    if (nic.progress !== 'deleting') {
      log.info('deleting a network interface without a NodeClaim', { nic: orphan.name, reason: orphan.why });
      await api.deleteNic(orphan.name);
    }
    return 'deleting';
  },
  async disk(api, orphan, log) {
    const disk = await api.getDisk(orphan.name);
    if (disk === undefined || (disk.attachedTo ?? '') !== '' || isAnother(disk, orphan)) return 'gone';
    if (disk.progress !== 'deleting') {
      log.info('deleting a disk without a NodeClaim', { disk: orphan.name, reason: orphan.why });
      await api.deleteDisk(orphan.name);
    }
    return 'deleting';
  },
};
