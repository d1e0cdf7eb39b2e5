/**
 * Managed disks: they are created with VMs, are kept or deleted with them, and can be listed and deleted.
 */
import { requireBody, tagsAt } from '../store/body.ts';
import { idOf, readRoutes, requireResource } from '../store/read-routes.ts';
import type { ArmResource } from '../store/resource.ts';
import { formatResourceId, parseResourceId } from '../store/resource-id.ts';
import { type ArmAnswer, type ArmRequest, type ArmRoute, ok } from '../wire/arm-request.ts';
import type { ArmContext } from '../wire/context.ts';
import { started } from '../wire/operations.ts';
import { diskAttached } from './compute-errors.ts';
import type { DesiredVm } from './vm-request.ts';

export const DISK_TYPE = 'Microsoft.Compute/disks';
export const DISK_API_VERSIONS = ['2023-10-02', '2024-03-02', '2025-01-02', '2026-03-02'];

export function diskRoutes(context: ArmContext): readonly ArmRoute[] {
  const pattern = `/subscriptions/{sub}/resourceGroups/{rg}/providers/${DISK_TYPE}/{name}`;
  const apiVersions = DISK_API_VERSIONS;
  return [
    ...readRoutes(context, { type: DISK_TYPE, apiVersions }),
    { method: 'PATCH', pattern, apiVersions, handle: (request) => patchDisk(context, request) },
    { method: 'DELETE', pattern, apiVersions, handle: (request) => deleteDisk(context, request) },
  ];
}

export function osDiskId(vmId: string, diskName: string): string {
  const { subscriptionId, resourceGroup } = parseResourceId(vmId)!;
  return formatResourceId({ subscriptionId, resourceGroup, type: DISK_TYPE, names: [diskName] });
}

/** The OS disk of a VM that has been allocated. Ephemeral disks are not resources. */
export function createOsDisk(
  context: ArmContext,
  vm: ArmResource,
  desired: DesiredVm,
  diskName: string,
  sizeGB: number,
): void {
  if (desired.osDisk.ephemeral !== undefined) return;
  const { world, store } = context;
  const { diskEncryptionSetId } = desired.osDisk;
  const id = osDiskId(vm.id, diskName);
  if (store.has(id)) return;
  store.put({
    id,
    name: diskName,
    type: DISK_TYPE,
    location: desired.location,
    ...(desired.tags === undefined ? {} : { tags: desired.tags }),
    ...(desired.zone === undefined ? {} : { zones: [desired.zone] }),
    managedBy: vm.id,
    sku: { name: desired.osDisk.storageAccountType, tier: desired.osDisk.storageAccountType.split('_')[0] },
    properties: {
      osType: 'Linux',
      hyperVGeneration: 'V2',
      creationData: { createOption: 'FromImage', imageReference: desired.image },
      diskSizeGB: sizeGB,
      diskSizeBytes: sizeGB * 2 ** 30,
      encryption:
        diskEncryptionSetId === undefined
          ? { type: 'EncryptionAtRestWithPlatformKey' }
          : { type: 'EncryptionAtRestWithCustomerKey', diskEncryptionSetId },
      networkAccessPolicy: 'AllowAll',
      publicNetworkAccess: 'Enabled',
      timeCreated: new Date(world.clock.now()).toISOString(),
      uniqueId: world.random.uuid(),
      diskState: 'Attached',
      provisioningState: 'Succeeded',
    },
  });
}

/** Called when its VM is deleted and the disk is kept. */
export function detachDisk({ store }: ArmContext, id: string): void {
  const disk = store.get(id);
  if (disk === undefined) return;
  const { managedBy: _gone, ...rest } = disk;
  store.put({ ...rest, properties: { ...disk.properties, diskState: 'Unattached' } });
}

// ---------------------------------------------------------------------------------------------------

function patchDisk(context: ArmContext, request: ArmRequest): ArmAnswer {
  const disk = requireResource(context, idOf(context, DISK_TYPE, request));
  const tags = tagsAt(requireBody(request.body));
  return ok(context.store.put({ ...disk, ...(tags === undefined ? {} : { tags }) }));
}

function deleteDisk(context: ArmContext, request: ArmRequest): ArmAnswer {
  const { store, operations, schedule, latencies, settings } = context;
  const disk = store.get(idOf(context, DISK_TYPE, request));
  if (disk === undefined) return { status: 204 };
  if (disk.managedBy !== undefined) throw diskAttached(disk.name, disk.managedBy);
  const operation = operations.start({
    provider: 'Microsoft.Compute',
    location: settings.region,
    subscriptionId: settings.subscriptionId,
    expectedMs: latencies.otherMs,
  });
  schedule.after(latencies.otherMs, () => {
    store.delete(disk.id);
    operations.succeed(operation.id);
  });
  return started(request, operation, 202);
}
