/**
 * Network resources that only need to be there: load balancers, security groups, virtual networks with their subnets,
 * route tables. They are stored as sent, with the ids of their parts filled in.
 */
import { isObject, type Json, objectAt, requireBody, tagsAt, textAt } from '../store/body.ts';
import { checkPreconditions, idOf, readRoutes, requireResource } from '../store/read-routes.ts';
import type { ArmResource } from '../store/resource.ts';
import { idKey, parseResourceId, sameId } from '../store/resource-id.ts';
import { type ArmAnswer, type ArmRequest, type ArmRoute, ok } from '../wire/arm-request.ts';
import type { ArmContext } from '../wire/context.ts';
import { invalidParameter } from '../wire/errors.ts';
import { parsePrefix } from './addresses.ts';
import { inUseSubnet, locationRequired } from './network-errors.ts';
import { configurationsOf, NIC_TYPE } from './nics.ts';

export const NETWORK_API_VERSIONS = [
  '2022-01-01',
  '2022-07-01',
  '2023-09-01',
  '2024-01-01',
  '2024-05-01',
  '2025-01-01',
  '2025-05-01',
  '2026-01-01',
];

export const SUBNET_TYPE = 'Microsoft.Network/virtualNetworks/subnets';
const VNET_TYPE = 'Microsoft.Network/virtualNetworks';
const BALANCER_TYPE = 'Microsoft.Network/loadBalancers';

/** The lists inside of a type that are named parts with ids of their own. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  [BALANCER_TYPE]: [
    'frontendIPConfigurations',
    'backendAddressPools',
    'loadBalancingRules',
    'probes',
    'outboundRules',
    'inboundNatRules',
  ],
  'Microsoft.Network/networkSecurityGroups': ['securityRules', 'defaultSecurityRules'],
  [VNET_TYPE]: ['subnets'],
  'Microsoft.Network/routeTables': ['routes'],
};

export function plainRoutes(context: ArmContext): readonly ArmRoute[] {
  return [...Object.keys(PARTS).flatMap((type) => routesOf(context, type)), ...subnetRoutes(context)];
}

/** Puts a resource of one of these types, as the seed and the routes do. */
export function putPlain(context: ArmContext, resource: Omit<ArmResource, 'etag'>): ArmResource {
  const { store, world } = context;
  const existing = store.get(resource.id);
  const properties: Record<string, unknown> = {
    ...resource.properties,
    provisioningState: 'Succeeded',
    resourceGuid: existing?.properties['resourceGuid'] ?? world.random.uuid(),
  };
  for (const part of PARTS[resource.type] ?? [])
    properties[part] = withIds(properties[part], `${resource.id}/${part}`, `${resource.type}/${part}`);
  if (resource.type === VNET_TYPE) {
    for (const subnet of properties['subnets'] as readonly ArmResource[])
      putSubnet(context, subnet.id, subnet.properties);
    delete properties['subnets'];
  }
  return store.put({ ...resource, etag: `W/"${world.random.uuid()}"`, properties });
}

export function putSubnet(context: ArmContext, id: string, given: Json): ArmResource {
  const prefix = textAt(given, 'addressPrefix');
  if (prefix === undefined || parsePrefix(prefix) === undefined)
    throw invalidParameter(
      'addressPrefix',
      `The address prefix '${prefix ?? ''}' of subnet ${id} is not valid.`,
    );
  const existing = context.store.get(id);
  if (
    existing !== undefined &&
    existing.properties['addressPrefix'] !== prefix &&
    usersOf(context, id).length > 0
  )
    throw inUseSubnet(parseResourceId(id)!.name, usersOf(context, id)[0]!);
  return context.store.put({
    id,
    name: parseResourceId(id)!.name,
    type: SUBNET_TYPE,
    etag: `W/"${context.world.random.uuid()}"`,
    properties: { ...given, addressPrefix: prefix, provisioningState: 'Succeeded' },
  });
}

// ---------------------------------------------------------------------------------------------------

function routesOf(context: ArmContext, type: string): readonly ArmRoute[] {
  const one = `/subscriptions/{sub}/resourceGroups/{rg}/providers/${type}/{name}`;
  const apiVersions = NETWORK_API_VERSIONS;
  const view = (resource: ArmResource) => shown(context, resource);
  return [
    ...readRoutes(context, { type, apiVersions, view }),
    { method: 'PUT', pattern: one, apiVersions, handle: (request) => putFrom(context, type, request) },
    { method: 'PATCH', pattern: one, apiVersions, handle: (request) => patchTags(context, type, request) },
    { method: 'DELETE', pattern: one, apiVersions, handle: (request) => remove(context, type, request) },
  ];
}

function subnetRoutes(context: ArmContext): readonly ArmRoute[] {
  const list = `/subscriptions/{sub}/resourceGroups/{rg}/providers/${VNET_TYPE}/{parent}/subnets`;
  const apiVersions = NETWORK_API_VERSIONS;
  return [
    {
      method: 'GET',
      pattern: list,
      apiVersions,
      handle: (request) => {
        const { parent, ...params } = request.params;
        const network = requireResource(
          context,
          idOf(context, VNET_TYPE, { ...request, params: { ...params, name: parent! } }),
        );
        return ok({ value: subnetsOf(context, network) });
      },
    },
    {
      method: 'GET',
      pattern: `${list}/{name}`,
      apiVersions,
      handle: (request) => ok(requireResource(context, idOf(context, SUBNET_TYPE, request))),
    },
    {
      method: 'PUT',
      pattern: `${list}/{name}`,
      apiVersions,
      handle: (request) => {
        const id = idOf(context, SUBNET_TYPE, request);
        requireResource(context, id.split('/').slice(0, -2).join('/'));
        const existed = context.store.has(id);
        const made = putSubnet(context, id, objectAt(requireBody(request.body), 'properties') ?? {});
        return { status: existed ? 200 : 201, body: made };
      },
    },
    {
      method: 'DELETE',
      pattern: `${list}/{name}`,
      apiVersions,
      handle: (request) => {
        const id = idOf(context, SUBNET_TYPE, request);
        const user = usersOf(context, id)[0];
        if (user !== undefined) throw inUseSubnet(parseResourceId(id)!.name, user);
        return { status: context.store.delete(id) ? 200 : 204 };
      },
    },
  ];
}

function putFrom(context: ArmContext, type: string, request: ArmRequest): ArmAnswer {
  const id = idOf(context, type, request);
  const body = requireBody(request.body);
  const location = textAt(body, 'location');
  if (location === undefined) throw locationRequired();
  const existing = context.store.get(id);
  checkPreconditions(request, existing);
  const tags = tagsAt(body);
  const made = putPlain(context, {
    id,
    name: request.params['name']!,
    type,
    location,
    ...(tags === undefined ? {} : { tags }),
    ...(isObject(body['sku']) ? { sku: body['sku'] } : {}),
    properties: objectAt(body, 'properties') ?? {},
  });
  return { status: existing === undefined ? 201 : 200, body: shown(context, made) };
}

function patchTags(context: ArmContext, type: string, request: ArmRequest): ArmAnswer {
  const resource = requireResource(context, idOf(context, type, request));
  const tags = tagsAt(requireBody(request.body));
  return ok(shown(context, context.store.put({ ...resource, ...(tags === undefined ? {} : { tags }) })));
}

function remove(context: ArmContext, type: string, request: ArmRequest): ArmAnswer {
  const id = idOf(context, type, request);
  const resource = context.store.get(id);
  if (resource === undefined) return { status: 204 };
  if (type === VNET_TYPE)
    for (const subnet of subnetsOf(context, resource)) {
      const user = usersOf(context, subnet.id)[0];
      if (user !== undefined) throw inUseSubnet(subnet.name, user);
      context.store.delete(subnet.id);
    }
  context.store.delete(id);
  return { status: 200 };
}

/** What other resources add to this one. */
function shown(context: ArmContext, resource: ArmResource): ArmResource {
  if (resource.type === VNET_TYPE)
    return {
      ...resource,
      properties: { ...resource.properties, subnets: subnetsOf(context, resource) },
    };
  if (resource.type !== BALANCER_TYPE) return resource;
  const members = poolMembers(context);
  const pools = (resource.properties['backendAddressPools'] ?? []) as readonly ArmResource[];
  const backendAddressPools = pools.map((pool) => {
    const backendIPConfigurations = members.get(idKey(pool.id));
    if (backendIPConfigurations === undefined) return pool;
    return { ...pool, properties: { ...pool.properties, backendIPConfigurations } };
  });
  return { ...resource, properties: { ...resource.properties, backendAddressPools } };
}

function poolMembers({ store, settings: { subscriptionId } }: ArmContext): Map<string, { id: string }[]> {
  const members = new Map<string, { id: string }[]>();
  for (const nic of store.list(NIC_TYPE, { subscriptionId }))
    for (const { id, properties } of configurationsOf(nic))
      for (const pool of properties.loadBalancerBackendAddressPools ?? []) {
        const key = idKey(pool.id);
        const known = members.get(key);
        if (known === undefined) members.set(key, [{ id }]);
        else known.push({ id });
      }
  return members;
}

function subnetsOf({ store }: ArmContext, network: ArmResource): readonly ArmResource[] {
  const { subscriptionId, resourceGroup } = parseResourceId(network.id)!;
  const prefix = `${idKey(network.id)}/subnets/`;
  return store
    .list(SUBNET_TYPE, { subscriptionId, resourceGroup })
    .filter((subnet) => idKey(subnet.id).startsWith(prefix));
}

function usersOf({ store, settings: { subscriptionId } }: ArmContext, subnetId: string): readonly string[] {
  return store
    .list(NIC_TYPE, { subscriptionId })
    .flatMap(configurationsOf)
    .filter((one) => sameId(one.properties.subnet.id, subnetId))
    .map((one) => one.id);
}

function withIds(parts: unknown, path: string, type: string): readonly ArmResource[] {
  if (parts === undefined) return [];
  if (!Array.isArray(parts) || !parts.every((part) => isObject(part) && typeof part['name'] === 'string'))
    throw invalidParameter(path, `Every item of '${path}' needs a name.`);
  return (parts as readonly (Json & { name: string })[]).map((part) => ({
    ...part,
    id: `${path}/${part.name}`,
    name: part.name,
    type,
    properties: {
      ...(isObject(part['properties']) ? part['properties'] : {}),
      provisioningState: 'Succeeded',
    },
  }));
}
