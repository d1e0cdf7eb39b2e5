/**
 * The calls about one VM, one function each: every one sends one request, and says `undefined` where Azure says
 * not found, which is more than a status 404. Errors come out as `ArmError`. Nothing here decides anything.
 */
import type {
  VirtualMachine,
  VirtualMachineExtension,
  VirtualMachineExtensionUpdate,
  VirtualMachineUpdate,
} from '@azure/arm-compute';
import type { NetworkInterface } from '@azure/arm-network';
import {
  type ArmClients,
  ArmError,
  BAD_ANSWER,
  isNotFound,
  type Operation,
  type OperationState,
  type Submitted,
  submit,
  toArmError,
} from '../../../arm/index.ts';
import type { DiskView } from './delete-decision.ts';
import { readTag, Tag, type Tags } from './tags.ts';
import { type ExtensionView, extensionView, type NicView, nicView, type VmView, vmView } from './view.ts';

export interface VmApi {
  readonly resourceGroup: string;
  vmId(name: string): string;
  nicId(name: string): string;
  getVm(name: string): Promise<VmView | undefined>;
  getNic(name: string): Promise<NicView | undefined>;
  getDisk(name: string): Promise<DiskView | undefined>;
  getExtension(vmName: string, name: string): Promise<ExtensionView | undefined>;
  putNic(name: string, nic: NetworkInterface): Promise<Submitted>;
  /** Only if there is none of that name: 412 otherwise. */
  putNewVm(name: string, vm: VirtualMachine): Promise<SentVm>;
  putExtension(vmName: string, name: string, extension: VirtualMachineExtension): Promise<Submitted>;
  patchVm(name: string, update: VirtualMachineUpdate): Promise<Submitted>;
  patchExtension(vmName: string, name: string, update: VirtualMachineExtensionUpdate): Promise<Submitted>;
  setNicTags(name: string, tags: Tags): Promise<void>;
  /** Whether there is such a VM. */
  restartVm(name: string): Promise<boolean>;
  /** Gone already is fine. */
  deleteVm(name: string): Promise<void>;
  deleteNic(name: string): Promise<void>;
  deleteDisk(name: string): Promise<void>;
  poll(operation: Operation): Promise<OperationState>;
  /** The same calls, which end when the signal is aborted. */
  withSignal(signal: AbortSignal): VmApi;
}

export interface SentVm {
  readonly submitted: Submitted;
  /** In the body as it went over the wire. */
  readonly diskEncryptionSetId: string | undefined;
}

export function createVmApi(clients: ArmClients, resourceGroup: string, signal?: AbortSignal): VmApi {
  const until = signal === undefined ? {} : { abortSignal: signal };
  // Azure writes it in lower case, and nodes and claims are matched by this text.
  const subscription = clients.subscriptionId.toLowerCase();
  const providers = `/subscriptions/${subscription}/resourceGroups/${resourceGroup}/providers`;
  const gone = (): Submitted => ({ state: 'done' });
  return {
    resourceGroup,
    vmId: (name) => `${providers}/Microsoft.Compute/virtualMachines/${name}`,
    nicId: (name) => `${providers}/Microsoft.Network/networkInterfaces/${name}`,
    async getVm(name) {
      const { virtualMachines } = await clients.compute();
      const vm = await found(virtualMachines.get(resourceGroup, name, { expand: 'instanceView', ...until }));
      return vm === undefined ? undefined : vmView(vm);
    },
    async getNic(name) {
      const { networkInterfaces } = await clients.network();
      const nic = await found(networkInterfaces.get(resourceGroup, name, until));
      return nic === undefined ? undefined : nicView(nic);
    },
    async getDisk(name) {
      const { disks } = await clients.compute();
      const disk = await found(disks.get(resourceGroup, name, until));
      if (disk === undefined) return undefined;
      return {
        id: disk.id ?? '',
        claimUid: readTag(disk.tags, Tag.claimUid),
        progress: disk.provisioningState === 'Deleting' ? 'deleting' : 'ready',
        attachedTo: disk.managedBy,
      };
    },
    async getExtension(vmName, name) {
      const { virtualMachineExtensions } = await clients.compute();
      const shown = await found(
        virtualMachineExtensions.get(resourceGroup, vmName, name, { expand: 'instanceView', ...until }),
      );
      return shown === undefined ? undefined : extensionView(name, shown);
    },
    async putNic(name, nic) {
      const { networkInterfaces } = await clients.network();
      return submit(networkInterfaces.createOrUpdate(resourceGroup, name, nic, until));
    },
    async putNewVm(name, vm) {
      const { virtualMachines } = await clients.compute();
      let body: unknown;
      const submitted = await submit(
        virtualMachines.createOrUpdate(resourceGroup, name, vm, {
          ...until,
          ifNoneMatch: '*',
          onResponse: ({ request }) => {
            body ??= request.body;
          },
        }),
      );
      return { submitted, diskEncryptionSetId: setInBody(body) };
    },
    async putExtension(vmName, name, extension) {
      const { virtualMachineExtensions } = await clients.compute();
      return submit(virtualMachineExtensions.createOrUpdate(resourceGroup, vmName, name, extension, until));
    },
    async patchVm(name, update) {
      const { virtualMachines } = await clients.compute();
      return submit(virtualMachines.update(resourceGroup, name, update, until));
    },
    async patchExtension(vmName, name, update) {
      const { virtualMachineExtensions } = await clients.compute();
      return submit(virtualMachineExtensions.update(resourceGroup, vmName, name, update, until));
    },
    async setNicTags(name, tags) {
      const { networkInterfaces } = await clients.network();
      await orArmError(networkInterfaces.updateTags(resourceGroup, name, { tags: { ...tags } }, until));
    },
    async restartVm(name) {
      const { virtualMachines } = await clients.compute();
      return (await found(submit(virtualMachines.restart(resourceGroup, name, until)))) !== undefined;
    },
    async deleteVm(name) {
      const { virtualMachines } = await clients.compute();
      await ignoreNotFound(
        submit(virtualMachines.delete(resourceGroup, name, { forceDeletion: true, ...until })),
        gone,
      );
    },
    async deleteNic(name) {
      const { networkInterfaces } = await clients.network();
      await ignoreNotFound(submit(networkInterfaces.delete(resourceGroup, name, until)), gone);
    },
    async deleteDisk(name) {
      const { disks } = await clients.compute();
      await ignoreNotFound(submit(disks.delete(resourceGroup, name, until)), gone);
    },
    poll: (operation) => clients.poll(operation, signal),
    withSignal: (other) => createVmApi(clients, resourceGroup, other),
  };
}

// ---------------------------------------------------------------------------------------------------

/** Only the first answer counts: it is the one to our PUT. */
function setInBody(body: unknown): string | undefined {
  if (typeof body !== 'string') return undefined;
  const vm = JSON.parse(body) as { readonly properties?: VirtualMachine } | null;
  return vm?.properties?.storageProfile?.osDisk?.managedDisk?.diskEncryptionSet?.id;
}

async function found<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw notAbsent(error);
  }
}

async function orArmError<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw toArmError(error);
  }
}

async function ignoreNotFound<T>(call: Promise<T>, gone: () => T): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (isNotFound(error)) return gone();
    throw notAbsent(error);
  }
}

/** A 404 about something else than what was asked for is no word on it: neither gone nor refused, to be asked again. */
function notAbsent(error: unknown): ArmError {
  const arm = toArmError(error);
  if (arm.status !== 404 || arm.code === BAD_ANSWER) return arm;
  const { status, code, details, requestId } = arm;
  return new ArmError({ status, code: BAD_ANSWER, message: `${code}: ${arm.message}`, details, requestId });
}
