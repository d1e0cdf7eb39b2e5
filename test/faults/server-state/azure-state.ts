/** The state of Azure, read from the ARM server directly: VMs, network interfaces and disks. */
import type { ArmResource, ArmServer } from '@chandler/cloudsim/azure/testing';

export type Part = 'vm' | 'nic' | 'disk';

export interface AzurePart {
  readonly part: Part;
  readonly name: string;
  readonly id: string;
  /** The UID of its claim, from a tag. */
  readonly claimUid: string | undefined;
  /** Unique for every VM that ever existed. */
  readonly vmId: string | undefined;
  readonly size: string | undefined;
  readonly spot: boolean;
  readonly deleting: boolean;
  /** Whether the VM started; a failed one never does. */
  readonly up: boolean;
}

export interface AzureChange {
  readonly type: 'put' | 'gone';
  readonly thing: AzurePart;
  /** It did not exist before. */
  readonly isNew: boolean;
}

export class AzureState {
  readonly #things = new Map<string, AzurePart>();
  readonly #changes: AzureChange[] = [];

  constructor({ context }: ArmServer) {
    for (const resource of context.store.all()) this.#put(resource);
    context.store.onChange((key, after) => {
      if (after !== undefined) this.#put(after);
      else this.#drop(key);
    });
  }

  list(part?: Part): readonly AzurePart[] {
    const all = [...this.#things.values()];
    return part === undefined ? all : all.filter((thing) => thing.part === part);
  }

  vmOf(claimUid: string): AzurePart | undefined {
    return this.list('vm').find((vm) => vm.claimUid === claimUid);
  }

  drain(listener: (change: AzureChange) => void): void {
    for (const change of this.#changes.splice(0)) listener(change);
  }

  #put(resource: ArmResource): void {
    const part = PARTS[resource.type.toLowerCase()];
    if (part === undefined) return;
    const key = resource.id.toLowerCase();
    const properties = resource.properties as {
      readonly vmId?: string;
      readonly provisioningState?: string;
      readonly hardwareProfile?: { readonly vmSize?: string };
      readonly priority?: string;
    };
    const thing: AzurePart = {
      part,
      name: resource.name,
      id: resource.id,
      claimUid: resource.tags?.[CLAIM_UID],
      vmId: properties.vmId,
      size: properties.hardwareProfile?.vmSize,
      spot: properties.priority === 'Spot',
      deleting: properties.provisioningState === 'Deleting',
      up: properties.provisioningState === 'Succeeded',
    };
    const isNew = !this.#things.has(key);
    this.#things.set(key, thing);
    this.#changes.push({ type: 'put', thing, isNew });
  }

  #drop(key: string): void {
    const thing = this.#things.get(key);
    if (thing === undefined) return;
    this.#things.delete(key);
    this.#changes.push({ type: 'gone', thing, isNew: false });
  }
}

// ---------------------------------------------------------------------------------------------------

const CLAIM_UID = 'chandler.sh_claim-uid';

const PARTS: Readonly<Record<string, Part>> = {
  'microsoft.compute/virtualmachines': 'vm',
  'microsoft.network/networkinterfaces': 'nic',
  'microsoft.compute/disks': 'disk',
};
