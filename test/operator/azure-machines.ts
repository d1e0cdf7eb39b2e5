/** What runs on the VMs of a test: boots, reads its own script for labels and taints, joins; goes when the VM goes. */
import type { ArmServer } from '../../src/playground/azure/arm-server.ts';
import type { VmFacts } from '../../src/playground/azure/compute/machine-hooks.ts';
import type { Standins } from '../../src/playground/standins/standins.ts';
import type { World } from '../../src/world.ts';

const BOOT_MS = 20_000;

/** @returns what ends it. */
export function plainMachines(arm: ArmServer, standins: Standins, { clock }: World): () => void {
  const gone = new Set<string>();
  return arm.addHooks({
    vmRunning(vm) {
      clock.after(BOOT_MS, () => {
        if (!gone.has(vm.id)) void standins.addNode(nodeOf(vm));
      });
    },
    vmGone(vm) {
      gone.add(vm.id);
      void standins.removeNode(vm.computerName);
    },
  });
}

// ---------------------------------------------------------------------------------------------------

function nodeOf(vm: VmFacts): Parameters<Standins['addNode']>[0] {
  const cores = Number(/Standard_[A-Z]+(\d+)/.exec(vm.size)?.[1] ?? 2);
  const flags = variable(vm, 'KUBELET_FLAGS');
  const taints = /--register-with-taints=(\S+)/.exec(flags)?.[1] ?? '';
  return {
    name: vm.computerName,
    cpu: cores,
    memory: `${cores * 4}Gi`,
    ephemeralStorage: '128Gi',
    allocatable: { cpu: `${cores * 1000 - 200}m`, memory: `${cores * 4 - 1}Gi`, pods: '110' },
    // As the cloud node manager of AKS writes it: the resource group in lower case.
    providerID: `azure://${vm.id.replace(/\/resourceGroups\/[^/]+/i, (part) => `/resourceGroups/${part.split('/')[2]?.toLowerCase()}`)}`,
    labels: {
      ...pairs(variable(vm, 'KUBELET_NODE_LABELS')),
      'node.kubernetes.io/instance-type': vm.size,
      'topology.kubernetes.io/zone': vm.zone === undefined ? '0' : `${vm.location}-${vm.zone}`,
    },
    taints: taints
      .split(',')
      .filter((text) => text !== '')
      .map((text) => {
        const [, key = '', value = '', effect = ''] = /^([^=:]+)=?([^:]*):(.*)$/.exec(text) ?? [];
        return { key, effect, ...(value === '' ? {} : { value }) };
      }),
  };
}

function variable({ customData }: VmFacts, name: string): string {
  const [, value = ''] = new RegExp(`\\b${name}="?([^"\\n]*)"?`).exec(customData) ?? [];
  return value;
}

function pairs(text: string): Record<string, string> {
  const entries = text.split(',').filter((pair) => pair !== '');
  return Object.fromEntries(entries.map((pair) => pair.split('=') as [string, string]));
}
