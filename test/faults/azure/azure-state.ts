/** The state of Azure, read from the ARM server directly: VMs, network interfaces and disks. */
import type { ArmResource, ArmServer } from '@chandler/cloudsim/azure/testing';
import { type CloudChange, type CloudPart, type CloudState, INSTANCE } from '../server-state/cloud-state.ts';
import type { KubeState } from '../server-state/kube-state.ts';

interface AzurePart extends CloudPart {
  /** The UID of its claim, from a tag. */
  readonly claimUid: string | undefined;
}

export class AzureState implements CloudState {
  readonly #kube: KubeState;
  readonly #things = new Map<string, AzurePart>();
  readonly #changes: CloudChange[] = [];

  constructor({ context }: ArmServer, kube: KubeState) {
    this.#kube = kube;
    for (const resource of context.store.all()) this.#put(resource);
    context.store.onChange((key, after) => {
      if (after !== undefined) this.#put(after);
      else this.#drop(key);
    });
  }

  list(): readonly AzurePart[] {
    return [...this.#things.values()];
  }

  instanceOf(claimUid: string): CloudPart | undefined {
    return this.list().find((thing) => thing.part === INSTANCE && thing.claimUid === claimUid);
  }

  claimOf(part: CloudPart): string | undefined {
    return (part as AzurePart).claimUid;
  }

  orphans(): readonly CloudPart[] {
    return this.list().filter(
      ({ claimUid }) => claimUid !== undefined && this.#kube.byUid('claims', claimUid) === undefined,
    );
  }

  isInterrupted(): boolean {
    return false;
  }

  unfinished(): undefined {
    return undefined;
  }

  nodeNames(): ReadonlySet<string> {
    return new Set(this.list().flatMap(({ part, name }) => (part === INSTANCE ? [name] : [])));
  }

  drain(listener: (change: CloudChange) => void): void {
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
      instanceId: properties.vmId,
      type: properties.hardwareProfile?.vmSize,
      capacity: properties.priority === 'Spot' ? 'spot' : 'on-demand',
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

const PARTS: Readonly<Record<string, string>> = {
  'microsoft.compute/virtualmachines': INSTANCE,
  'microsoft.network/networkinterfaces': 'nic',
  'microsoft.compute/disks': 'disk',
};
