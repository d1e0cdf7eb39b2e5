/**
 * Network interfaces: created, updated, deleted, and attached to VMs. The NIC of a rejected VM stays reserved for it for
 * some time, as in Azure.
 */
import { requireBody, tagsAt } from '../store/body.ts';
import { checkPreconditions, idOf, requireResource } from '../store/read-routes.ts';
import type { ArmResource } from '../store/resource.ts';
import { idKey, parseResourceId, sameId } from '../store/resource-id.ts';
import { type ArmAnswer, type ArmRequest, ok } from '../wire/arm-request.ts';
import type { ArmContext } from '../wire/context.ts';
import { type ArmErrorBody, anotherOperationInProgress } from '../wire/errors.ts';
import { started } from '../wire/operations.ts';
import { AddressPool, parsePrefix } from './addresses.ts';
import {
  addressInUse,
  addressNotInSubnet,
  invalidResourceReference,
  locationNotAvailable,
  nicInUse,
  nicReserved,
  subnetIsFull,
  wrongLocation,
} from './network-errors.ts';
import { failureOfOperation, nicFault } from './nic-faults.ts';
import {
  brokenReference,
  type DesiredIpConfiguration,
  type DesiredNic,
  joins,
  readNic,
} from './nic-request.ts';

export const NIC_TYPE = 'Microsoft.Network/networkInterfaces';

export class Nics {
  readonly #context: ArmContext;
  readonly #pools = new Map<string, AddressPool>();
  readonly #reserved = new Map<string, { readonly vmId: string; readonly untilMs: number }>();

  constructor(context: ArmContext) {
    this.#context = context;
  }

  put(request: ArmRequest): ArmAnswer {
    const { store, faults } = this.#context;
    const id = idOf(this.#context, NIC_TYPE, request);
    const desired = readNic(requireBody(request.body), id);
    const existing = store.get(id);
    checkPreconditions(request, existing);
    this.#checkPlace(desired, existing, id);
    const fault = faults.trigger('nic', {
      method: 'PUT',
      type: NIC_TYPE,
      name: request.params['name']!,
      ...(desired.tags?.['karpenter.sh_nodepool'] === undefined
        ? {}
        : { nodepool: desired.tags['karpenter.sh_nodepool'] }),
    });
    const failure = fault === undefined ? undefined : failureOfOperation(fault);
    if (fault !== undefined && failure === undefined) throw nicFault(fault, desired, id, store);
    const broken = brokenReference(desired, id, store);
    if (broken !== undefined) throw broken;
    for (const [action, id] of joins(desired))
      this.#context.access.requireLinked(request, `${NIC_TYPE}/write`, action, id);
    const made = this.#build(existing, id, desired);
    return this.#start(request, made, existing === undefined ? 201 : 200, failure);
  }

  patch(request: ArmRequest): ArmAnswer {
    const nic = requireResource(this.#context, idOf(this.#context, NIC_TYPE, request));
    const tags = tagsAt(requireBody(request.body));
    const next = { ...nic, etag: this.#etag(), ...(tags === undefined ? {} : { tags }) };
    return ok(this.#context.store.put(next));
  }

  delete(request: ArmRequest): ArmAnswer {
    const { store, operations, schedule, latencies, world } = this.#context;
    const nic = store.get(idOf(this.#context, NIC_TYPE, request));
    if (nic === undefined) return { status: 204 };
    const user = attachedTo(nic);
    if (user !== undefined) throw nicInUse(nic.id, user);
    const reserved = this.reservation(nic.id);
    if (reserved !== undefined)
      throw nicReserved(Math.ceil((reserved.untilMs - world.clock.monotonic()) / 1000), reserved.vmId);
    const operation = operations.start(this.#operation(latencies.nicDeleteMs));
    this.#state(nic, 'Deleting');
    schedule.after(latencies.nicDeleteMs, () => {
      this.remove(nic.id);
      operations.succeed(operation.id);
    });
    return started(request, operation, 202);
  }

  get(id: string): ArmResource | undefined {
    return this.#context.store.get(id);
  }

  attach(nicId: string, vmId: string): void {
    const nic = this.get(nicId);
    if (nic === undefined) return;
    this.#reserved.delete(idKey(nicId));
    this.#context.store.put({ ...nic, properties: { ...nic.properties, virtualMachine: { id: vmId } } });
  }

  detach(nicId: string): void {
    const nic = this.get(nicId);
    if (nic === undefined) return;
    const { virtualMachine: _gone, ...properties } = nic.properties as Record<string, unknown>;
    this.#context.store.put({ ...nic, properties });
  }

  /** No other VM may have it and it cannot be deleted, for a while. */
  reserve(nicId: string, vmId: string): void {
    const untilMs = this.#context.world.clock.monotonic() + this.#context.latencies.nicReservedMs;
    this.#reserved.set(idKey(nicId), { vmId, untilMs });
  }

  /** Undefined when it is not, or no longer. */
  reservation(nicId: string): { readonly vmId: string; readonly untilMs: number } | undefined {
    const reserved = this.#reserved.get(idKey(nicId));
    if (reserved === undefined || reserved.untilMs > this.#context.world.clock.monotonic()) return reserved;
    this.#reserved.delete(idKey(nicId));
    return undefined;
  }

  /** At once, with its addresses. */
  remove(nicId: string): void {
    const nic = this.get(nicId);
    if (nic === undefined) return;
    for (const one of configurationsOf(nic))
      this.#poolOf(one.properties.subnet.id)?.release(one.properties.privateIPAddress);
    this.#reserved.delete(idKey(nicId));
    this.#context.store.delete(nicId);
  }

  /** How many addresses of a subnet are left; undefined when there is no such subnet. */
  freeAddresses(subnetId: string): number | undefined {
    return this.#poolOf(subnetId)?.free;
  }

  #checkPlace(desired: DesiredNic, existing: ArmResource | undefined, id: string): void {
    const { region } = this.#context.settings;
    if (plain(desired.location) !== region) throw locationNotAvailable(desired.location, NIC_TYPE, region);
    if (existing === undefined) return;
    const { name, resourceGroup } = parseResourceId(id)!;
    if (plain(existing.location ?? '') !== plain(desired.location))
      throw wrongLocation(name, existing.location!, resourceGroup, desired.location);
    if (existing.properties.provisioningState === 'Deleting')
      throw anotherOperationInProgress(
        'Another operation on this or dependent resource is in progress. To retrieve status of the operation use uri: ' +
          `${id}.`,
      );
  }

  #build(existing: ArmResource | undefined, id: string, desired: DesiredNic): ArmResource {
    const { random } = this.#context.world;
    const addresses = this.#allocate(existing, desired);
    const etag = this.#etag();
    const virtualMachine = existing && attachedTo(existing);
    return {
      id,
      name: parseResourceId(id)!.name,
      type: NIC_TYPE,
      location: plain(desired.location),
      ...(desired.tags === undefined ? {} : { tags: desired.tags }),
      etag,
      kind: 'Regular',
      properties: {
        provisioningState: 'Succeeded',
        resourceGuid: existing?.properties['resourceGuid'] ?? random.uuid(),
        ipConfigurations: desired.configurations.map((one, at) =>
          configurationBody(id, etag, one, addresses[at]!),
        ),
        dnsSettings: { dnsServers: [], appliedDnsServers: [] },
        macAddress: existing?.properties['macAddress'] ?? '',
        enableAcceleratedNetworking: desired.acceleratedNetworking,
        enableIPForwarding: desired.ipForwarding,
        ...(desired.networkSecurityGroup === undefined
          ? {}
          : { networkSecurityGroup: { id: desired.networkSecurityGroup } }),
        ...(virtualMachine === undefined ? {} : { virtualMachine: { id: virtualMachine } }),
        hostedWorkloads: [],
        tapConfigurations: [],
        nicType: 'Standard',
        primary: true,
      },
    };
  }

  /** One address for each configuration; existing ones keep theirs. Nothing is allocated unless all are available. */
  #allocate(existing: ArmResource | undefined, desired: DesiredNic): readonly string[] {
    const before = existing === undefined ? [] : configurationsOf(existing);
    const keeps = desired.configurations.map((one) => {
      const old = before.find(
        (other) => other.name === one.name && sameId(other.properties.subnet.id, one.subnetId),
      );
      const address = old?.properties.privateIPAddress;
      return one.staticAddress === undefined || one.staticAddress === address ? address : undefined;
    });
    this.#checkRoom(desired.configurations.filter((_, at) => keeps[at] === undefined));
    const addresses = desired.configurations.map((one, at) => keeps[at] ?? this.#take(one));
    for (const old of before)
      if (!keeps.includes(old.properties.privateIPAddress))
        this.#poolOf(old.properties.subnet.id)?.release(old.properties.privateIPAddress);
    return addresses;
  }

  #checkRoom(wanted: readonly DesiredIpConfiguration[]): void {
    const bySubnet = Map.groupBy(wanted, (one) => idKey(one.subnetId));
    for (const desired of bySubnet.values()) {
      const { subnetId } = desired[0]!;
      const pool = this.#poolOf(subnetId);
      if (pool === undefined) throw invalidResourceReference(subnetId, 'the network interface');
      if (pool.free < desired.length)
        throw subnetIsFull(parseResourceId(subnetId)!.name, pool.prefix.text, desired.length);
    }
  }

  #take(desired: DesiredIpConfiguration): string {
    const pool = this.#poolOf(desired.subnetId)!;
    if (desired.staticAddress === undefined) return pool.take();
    const name = parseResourceId(desired.subnetId)!.name;
    const result = pool.takeThis(desired.staticAddress);
    if (result === 'in-use') throw addressInUse(desired.staticAddress, name);
    if (result === 'outside') throw addressNotInSubnet(desired.staticAddress, name);
    return desired.staticAddress;
  }

  #poolOf(subnetId: string): AddressPool | undefined {
    const key = idKey(subnetId);
    const known = this.#pools.get(key);
    if (known !== undefined) return known;
    const prefix = parsePrefix(String(this.#context.store.get(subnetId)?.properties['addressPrefix'] ?? ''));
    if (prefix === undefined) return undefined;
    const pool = new AddressPool(prefix);
    this.#pools.set(key, pool);
    return pool;
  }

  #start(request: ArmRequest, nic: ArmResource, status: 200 | 201, failure?: ArmErrorBody): ArmAnswer {
    const { store, operations, schedule, latencies } = this.#context;
    const pending = store.put({ ...nic, properties: { ...nic.properties, provisioningState: 'Updating' } });
    const operation = operations.start(this.#operation(latencies.nicPutMs));
    schedule.after(latencies.nicPutMs, () => {
      const now = store.get(nic.id);
      const end = failure === undefined ? 'Succeeded' : 'Failed';
      if (now?.properties.provisioningState === 'Updating') this.#state(now, end);
      if (failure === undefined) operations.succeed(operation.id);
      else operations.fail(operation.id, failure);
    });
    return started(request, operation, status, pending);
  }

  #state(nic: ArmResource, provisioningState: string): void {
    this.#context.store.put({ ...nic, properties: { ...nic.properties, provisioningState } });
  }

  #operation(expectedMs: number) {
    const { region: location, subscriptionId } = this.#context.settings;
    return { provider: 'Microsoft.Network', location, subscriptionId, expectedMs };
  }

  #etag(): string {
    return `W/"${this.#context.world.random.uuid()}"`;
  }
}

export function attachedTo(nic: ArmResource): string | undefined {
  return (nic.properties['virtualMachine'] as { readonly id: string } | undefined)?.id;
}

export interface IpConfiguration {
  readonly name: string;
  readonly id: string;
  readonly properties: {
    readonly primary: boolean;
    readonly privateIPAddress: string;
    readonly subnet: { readonly id: string };
    readonly loadBalancerBackendAddressPools?: readonly { readonly id: string }[];
  };
}

export function configurationsOf(nic: ArmResource): readonly IpConfiguration[] {
  return (nic.properties['ipConfigurations'] ?? []) as readonly IpConfiguration[];
}

// ---------------------------------------------------------------------------------------------------

/** `East US` is `eastus`. */
function plain(location: string): string {
  return location.toLowerCase().replaceAll(' ', '');
}

function configurationBody(
  nicId: string,
  etag: string,
  desired: DesiredIpConfiguration,
  address: string,
): IpConfiguration {
  const body = {
    name: desired.name,
    id: `${nicId}/ipConfigurations/${desired.name}`,
    etag,
    type: `${NIC_TYPE}/ipConfigurations`,
    properties: {
      provisioningState: 'Succeeded',
      privateIPAddress: address,
      privateIPAllocationMethod: desired.staticAddress === undefined ? 'Dynamic' : 'Static',
      privateIPAddressVersion: 'IPv4',
      subnet: { id: desired.subnetId },
      primary: desired.primary,
      ...(desired.poolIds.length === 0
        ? {}
        : { loadBalancerBackendAddressPools: desired.poolIds.map((id) => ({ id })) }),
    },
  };
  return body;
}
