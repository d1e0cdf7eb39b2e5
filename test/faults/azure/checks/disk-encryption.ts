/**
 * A VM that Azure refuses during its creation because of its disk encryption set holds further launches with the set:
 * once a process has read the failed VM, it sends no request for another one for five minutes. A process that starts
 * later knows nothing of it and may try once, also when it reads the VM only to delete it.
 */
import type { Check, MakeCheck } from '../../checks/check.ts';
import { armOf } from '../azure-cloud.ts';
import { KEY_FAULTS } from '../azure-swarm.ts';

/** Shorter than the time for which a refusal counts, since that begins a moment before. */
const HELD_MS = 4 * 60_000;
/** For requests that were about to be sent. */
const GRACE_MS = 30_000;

export const refusedSetHoldsLaunches: MakeCheck = (view): Check => {
  const { clock } = view.servers.world;
  const refused = new Set<string>();
  /** When each process learned of a refusal. */
  const learnedMs = new Map<string, number>();
  armOf(view.servers).addHooks({
    vmFailed({ name }, { code }) {
      // A later VM may have the same name.
      if (code.startsWith('KeyVault')) refused.add(name.toLowerCase());
      else refused.delete(name.toLowerCase());
    },
  });
  return {
    name: 'a refused disk encryption set holds launches',
    onAnswer({ server, method, path, process }, status) {
      if (server !== 'cloud' || method !== 'GET' || status !== 200) return;
      const vm = VM_PATH.exec(path)?.[1]?.toLowerCase();
      if (vm !== undefined && refused.has(vm) && !learnedMs.has(process) && isLaunching(vm))
        learnedMs.set(process, clock.monotonic());
    },
    onSend({ server, method, path, process, body }) {
      if (server !== 'cloud' || method !== 'PUT' || !VM_PATH.test(path)) return;
      if (body?.properties?.storageProfile?.osDisk?.managedDisk?.diskEncryptionSet === undefined) return;
      const sinceMs = clock.monotonic() - (learnedMs.get(process) ?? Number.POSITIVE_INFINITY);
      if (sinceMs > HELD_MS) learnedMs.delete(process);
      else if (sinceMs > GRACE_MS && view.phase === 'story' && keyIsBroken())
        view.violated(this.name, `${process} sends ${path} ${Math.round(sinceMs / 1000)} s after a refusal`);
    },
  };

  function isLaunching(vm: string): boolean {
    const claim = view.kube.get('claims', vm.slice('aks-'.length));
    return claim !== undefined && claim.metadata.deletionTimestamp === undefined;
  }

  /** While it is, no VM with the set can start and so clear the refusal. */
  function keyIsBroken(): boolean {
    return armOf(view.servers)
      .faults.list()
      .some(({ name }) => KEY_FAULTS.includes(name));
  }
};

// ---------------------------------------------------------------------------------------------------

const VM_PATH = /\/virtualMachines\/([^/?]+)$/i;
