/**
 * Takes one step towards no VM: looks, lets `nextDeleteStep` decide, does it. NIC and disk are looked for only
 * when the VM is gone, since Azure takes them with it.
 */
import type { Log } from '@chandler/kube';
import type { DeleteStep } from '../../index.ts';
import { classify } from '../errors/index.ts';
import { type DeleteObserved, type DeletePart, nextDeleteStep } from './delete-decision.ts';
import type { DeletePacing } from './delete-pace.ts';
import type { VmApi } from './vm-api.ts';

export interface DeleteTarget {
  /** Of VM, NIC and disk. */
  readonly name: string;
  readonly claimUid: string;
  /** The VM that the claim's status names. */
  readonly ownVmId: string | undefined;
}

/** @throws {CloudError} for anything but throttling and what Azure lets go of later. */
export async function deleteStep(
  api: VmApi,
  log: Log,
  target: DeleteTarget,
  pace: DeletePacing,
): Promise<DeleteStep> {
  try {
    const observed = await observe(api, target);
    const action = nextDeleteStep(observed);
    if (action.do === 'wait') return { state: 'deleting', retryAfterMs: pace.pollIntervalMs(target.name) };
    if (action.do === 'delete') {
      await DELETE[action.part](api, target.name);
      log.info('deleting VM resource', { part: action.part, vm: target.name });
      return { state: 'deleting', retryAfterMs: pace.pollIntervalMs(target.name) };
    }
    pace.over(target.name);
    if (action.kept.length > 0) {
      log.warn('skipped deletion of resources that the nodeclaim does not own', {
        vm: target.name,
        parts: action.kept,
      });
    }
    return { state: 'gone' };
  } catch (thrown) {
    const { error } = classify(thrown);
    const patient = error.kind === 'Throttled' || error.reason === 'NetworkInterfaceReserved';
    if (patient && error.advice.retry === 'after')
      return { state: 'deleting', retryAfterMs: error.advice.ms };
    pace.over(target.name);
    throw error;
  }
}

// ---------------------------------------------------------------------------------------------------

const DELETE: Readonly<Record<DeletePart, (api: VmApi, name: string) => Promise<void>>> = {
  vm: (api, name) => api.deleteVm(name),
  nic: (api, name) => api.deleteNic(name),
  disk: (api, name) => api.deleteDisk(name),
};

async function observe(api: VmApi, target: DeleteTarget): Promise<DeleteObserved> {
  const { name, claimUid, ownVmId } = target;
  const base = { claimUid, ownVmId };
  const vm = await api.getVm(name);
  const decided = (observed: DeleteObserved) => nextDeleteStep(observed).do !== 'done';
  if (decided({ ...base, vm })) return { ...base, vm };
  const nic = await api.getNic(name);
  if (decided({ ...base, vm, nic })) return { ...base, vm, nic };
  return { ...base, vm, nic, disk: await api.getDisk(name) };
}
