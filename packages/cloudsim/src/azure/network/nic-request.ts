/**
 * What a PUT of a network interface asks for, checked the way the network provider checks it: names, references,
 * exactly one primary configuration. Addresses are given out elsewhere.
 */
import {
  booleanAt,
  type Json,
  missing,
  objectAt,
  objectsAt,
  requireText,
  tagsAt,
  textAt,
} from '../store/body.ts';
import { parseResourceId } from '../store/resource-id.ts';
import type { ResourceStore } from '../store/resource-store.ts';
import { type ArmError, invalidParameter } from '../wire/errors.ts';
import { invalidName, invalidResourceReference, locationRequired } from './network-errors.ts';

export interface DesiredNic {
  readonly location: string;
  readonly tags: Readonly<Record<string, string>> | undefined;
  readonly configurations: readonly DesiredIpConfiguration[];
  readonly acceleratedNetworking: boolean;
  readonly ipForwarding: boolean;
  readonly networkSecurityGroup: string | undefined;
}

export interface DesiredIpConfiguration {
  readonly name: string;
  readonly primary: boolean;
  readonly subnetId: string;
  /** Undefined: any. */
  readonly staticAddress: string | undefined;
  readonly poolIds: readonly string[];
}

export function readNic(body: Json, nicId: string): DesiredNic {
  const name = parseResourceId(nicId)!.name;
  if (!/^\w(?:[\w.-]{0,78}\w)?$/.test(name)) throw invalidName(name);
  const location = textAt(body, 'location');
  if (!location) throw locationRequired();
  const properties = objectAt(body, 'properties');
  const given = objectsAt(properties, 'ipConfigurations', 'properties.ipConfigurations') ?? [];
  if (given.length === 0)
    throw invalidParameter(
      'ipConfigurations',
      `Network interface ${nicId} must have one or more IP configurations.`,
    );
  if (given.length > MAX_CONFIGURATIONS)
    throw invalidParameter(
      'ipConfigurations',
      `Network interface ${nicId} has ${given.length} IP configurations; the maximum is ${MAX_CONFIGURATIONS}.`,
    );
  const group = objectAt(properties, 'networkSecurityGroup');
  return {
    location,
    tags: tagsAt(body),
    configurations: withPrimary(given.map(readConfiguration), nicId),
    acceleratedNetworking: booleanAt(properties, 'enableAcceleratedNetworking') ?? false,
    ipForwarding: booleanAt(properties, 'enableIPForwarding') ?? false,
    networkSecurityGroup: group && requireText(group, 'id', 'properties.networkSecurityGroup.id'),
  };
}

/** The first reference that leads nowhere. */
export function brokenReference(
  desired: DesiredNic,
  nicId: string,
  store: ResourceStore,
): ArmError | undefined {
  const references = [
    ...desired.configurations.map((one) => one.subnetId),
    ...desired.configurations.flatMap((one) => one.poolIds),
    ...(desired.networkSecurityGroup === undefined ? [] : [desired.networkSecurityGroup]),
  ];
  const broken = references.find((id) => !exists(id, store));
  return broken === undefined ? undefined : invalidResourceReference(broken, nicId);
}

/** What the interface joins, with the action that this needs. */
export function joins({
  configurations,
  networkSecurityGroup,
}: DesiredNic): readonly (readonly [string, string])[] {
  const join = (type: string, ids: readonly string[]) =>
    [...new Set(ids)].map((id) => [`Microsoft.Network/${type}/join/action`, id] as const);
  return [
    ...join(
      'virtualNetworks/subnets',
      configurations.map(({ subnetId }) => subnetId),
    ),
    ...join(
      'loadBalancers/backendAddressPools',
      configurations.flatMap(({ poolIds }) => poolIds),
    ),
    ...join('networkSecurityGroups', networkSecurityGroup === undefined ? [] : [networkSecurityGroup]),
  ];
}

// ---------------------------------------------------------------------------------------------------

const MAX_CONFIGURATIONS = 256;

function readConfiguration(given: Json, at: number): DesiredIpConfiguration {
  const path = `properties.ipConfigurations[${at}]`;
  const properties = objectAt(given, 'properties', `${path}.properties`);
  const subnet = objectAt(properties, 'subnet', `${path}.properties.subnet`);
  if (subnet === undefined) throw missing(`${path}.properties.subnet`);
  const method = textAt(properties, 'privateIPAllocationMethod') ?? 'Dynamic';
  if (method !== 'Dynamic' && method !== 'Static')
    throw invalidParameter('privateIPAllocationMethod', `The value '${method}' is not Dynamic or Static.`);
  const pools = objectsAt(properties, 'loadBalancerBackendAddressPools') ?? [];
  return {
    name: requireText(given, 'name', `${path}.name`),
    primary: booleanAt(properties, 'primary') ?? false,
    subnetId: requireText(subnet, 'id', `${path}.properties.subnet.id`),
    staticAddress:
      method === 'Static'
        ? requireText(properties, 'privateIPAddress', `${path}.properties.privateIPAddress`)
        : undefined,
    poolIds: pools.map((pool, index) =>
      requireText(pool, 'id', `${path}.properties.loadBalancerBackendAddressPools[${index}].id`),
    ),
  };
}

/** With one configuration it is the primary one, said or not. */
function withPrimary(
  desired: readonly DesiredIpConfiguration[],
  nicId: string,
): readonly DesiredIpConfiguration[] {
  const names = new Set(desired.map((desired) => desired.name.toLowerCase()));
  if (names.size !== desired.length)
    throw invalidParameter('ipConfigurations', `Two IP configurations of ${nicId} have the same name.`);
  const primaries = desired.filter((desired) => desired.primary).length;
  if (primaries === 1) return desired;
  if (desired.length === 1) return [{ ...desired[0]!, primary: true }];
  throw invalidParameter(
    'ipConfigurations',
    `Exactly one of the ${desired.length} IP configurations of ${nicId} must be primary; there are ${primaries}.`,
  );
}

/** A backend pool is a part of its load balancer. */
function exists(id: string, store: ResourceStore): boolean {
  const parsed = parseResourceId(id);
  if (parsed === undefined) return false;
  if (parsed.type.toLowerCase() !== 'microsoft.network/loadbalancers/backendaddresspools')
    return store.has(id);
  const balancer = store.get(id.split('/').slice(0, -2).join('/'));
  const pools = (balancer?.properties['backendAddressPools'] ?? []) as readonly { readonly name: string }[];
  return pools.some((pool) => pool.name.toLowerCase() === parsed.name.toLowerCase());
}
