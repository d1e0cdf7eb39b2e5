/** What a cloud holds after a controller that was killed repeatedly has launched its instances: one for each claim, and no more. */
import { type KubeClient, NODES, type ResourceRef } from '@chandler/kube';
import { expect } from 'vitest';
import { NODE_CLAIMS } from '../../packages/chandler/src/api/index.ts';
import type { Playground } from '../../packages/chandler/src/playground/index.ts';
import type { KillCloudName } from './kill-scene.ts';

export interface KilledCloud {
  /** How many of the parts of instances exist. */
  made(): number;
  /** For so many launches. */
  whole(launches: number): number;
  /** `12 VMs`. */
  count(): string;
  /** Whether all launches wait at once: one request for all of them would leave nothing to kill. */
  readonly inWaves: boolean;
  /** The truth of both sides, claim by claim. */
  compare(admin: KubeClient, launches: number): Promise<void>;
}

export function killedCloud(name: KillCloudName, playground: Playground): KilledCloud {
  return name === 'azure' ? killedAzure(playground) : killedAws(playground);
}

// ---------------------------------------------------------------------------------------------------

async function namesOf(admin: KubeClient, resource: ResourceRef): Promise<string[]> {
  return (await admin.list(resource)).items.map(({ metadata }) => metadata.name!).sort();
}

function killedAzure(playground: Playground): KilledCloud {
  const { resources } = playground.azure!.arm;
  const { vms, nics, disks, calls } = resources;
  return {
    made: () => nics().length + vms().length,
    whole: (launches) => 2 * launches,
    count: () => `${vms().length} VMs`,
    inWaves: false,
    async compare(admin, launches) {
      const claims = (await namesOf(admin, NODE_CLAIMS)).map((name) => `aks-${name}`);
      const names = (parts: readonly { readonly name: string }[]) => parts.map(({ name }) => name).sort();
      expect(claims).toHaveLength(launches);
      expect(names(vms())).toEqual(claims);
      expect(names(nics())).toEqual(claims);
      expect(names(disks())).toEqual(claims);
      expect(await namesOf(admin, NODES)).toEqual(claims);
      const attached = (part: { readonly id: string }) =>
        vms().some((vm) => JSON.stringify(vm.properties).toLowerCase().includes(part.id.toLowerCase()));
      expect(nics().filter((nic) => !attached(nic))).toEqual([]);
      expect(resources.totalCalls).toBe(calls().length);
      const created = calls().filter(
        ({ method, path, status }) =>
          method === 'PUT' && status === 201 && /virtualMachines\/[^/]+$/.test(path),
      );
      expect(created, 'a machine was made twice').toHaveLength(launches);
      expect(calls().filter(({ method }) => method === 'DELETE')).toEqual([]);
    },
  };
}

function killedAws(playground: Playground): KilledCloud {
  const { server } = playground.aws!;
  const { instances } = server;
  return {
    made: () => instances.list().length,
    whole: (launches) => launches,
    count: () => `${instances.list().length} instances`,
    inWaves: true,
    async compare(admin, launches) {
      const { items: claims } = await admin.list(NODE_CLAIMS);
      expect(claims).toHaveLength(launches);
      // A terminated instance would still be in the list.
      const made = instances.list();
      expect(made, 'an instance was made twice').toHaveLength(launches);
      expect(new Set(made.map(({ state }) => state))).toEqual(new Set(['running']));
      const named = claims.map(({ status }) => status?.providerID?.split('/').at(-1)).sort();
      expect(named).toEqual(made.map(({ id }) => id).sort());
      const tag = (id: string) =>
        made.find((each) => each.id === id)?.tags.find(({ Key }) => Key === 'karpenter.sh/nodeclaim')?.Value;
      for (const { metadata, status } of claims)
        expect(tag(status?.providerID?.split('/').at(-1) ?? '')).toBe(metadata.name);
      expect(await namesOf(admin, NODES)).toEqual(made.map(({ nodeName }) => nodeName).sort());
      expect(server.totalCalls).toBe(server.calls().length);
      expect(server.calls().filter(({ action }) => action === 'TerminateInstances')).toEqual([]);
    },
  };
}
