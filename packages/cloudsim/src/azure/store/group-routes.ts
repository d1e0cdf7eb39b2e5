/**
 * Subscriptions and resource groups themselves.
 */
import { type ArmAnswer, type ArmRequest, type ArmRoute, ok } from '../wire/arm-request.ts';
import type { ArmContext } from '../wire/context.ts';
import { invalidParameter, resourceGroupNotFound } from '../wire/errors.ts';
import type { ResourceGroup } from './resource-store.ts';

export function groupRoutes(context: ArmContext): readonly ArmRoute[] {
  const { store } = context;
  const route = (
    method: ArmRoute['method'],
    pattern: string,
    handle: (request: ArmRequest) => ArmAnswer,
  ): ArmRoute => ({ method, pattern, apiVersions: API_VERSIONS, handle });
  const group = '/subscriptions/{sub}/resourceGroups/{rg}';
  return [
    route('GET', '/subscriptions/{sub}', ({ params }) => ok(subscriptionBody(context, params['sub']!))),
    route('GET', '/subscriptions/{sub}/resourceGroups', ({ params }) =>
      ok({ value: store.resourceGroups(params['sub']!).map(groupBody) }),
    ),
    route('GET', group, ({ params }) =>
      ok(groupBody(store.requireResourceGroup(params['sub']!, params['rg']!))),
    ),
    route('HEAD', group, ({ params }) => {
      if (store.resourceGroup(params['sub']!, params['rg']!) === undefined)
        throw resourceGroupNotFound(params['rg']!);
      return { status: 204 };
    }),
    route('PUT', group, (request) => putGroup(context, request)),
  ];
}

// ---------------------------------------------------------------------------------------------------

const API_VERSIONS = [
  '2020-06-01',
  '2021-04-01',
  '2022-09-01',
  '2022-12-01',
  '2023-07-01',
  '2024-03-01',
  '2024-11-01',
  '2025-03-01',
  '2025-04-01',
];

function subscriptionBody({ store, settings }: ArmContext, subscriptionId: string): unknown {
  const { displayName } = store
    .subscriptions()
    .find((one) => one.subscriptionId === subscriptionId.toLowerCase())!;
  return {
    id: `/subscriptions/${subscriptionId}`,
    subscriptionId,
    displayName,
    tenantId: settings.tenantId,
    state: 'Enabled',
  };
}

function putGroup({ store }: ArmContext, request: ArmRequest): ArmAnswer {
  const { sub, rg } = request.params as { sub: string; rg: string };
  const body = (request.body ?? {}) as { location?: unknown; tags?: Record<string, string> };
  if (typeof body.location !== 'string' || body.location === '')
    throw invalidParameter('location', 'The location property is required for this definition.');
  const existed = store.resourceGroup(sub, rg) !== undefined;
  const made: ResourceGroup = {
    subscriptionId: sub,
    name: rg,
    location: body.location,
    ...(body.tags === undefined ? {} : { tags: body.tags }),
  };
  store.addResourceGroup(made);
  return { status: existed ? 200 : 201, body: groupBody(made) };
}

function groupBody(group: ResourceGroup): unknown {
  return {
    id: `/subscriptions/${group.subscriptionId}/resourceGroups/${group.name}`,
    name: group.name,
    type: 'Microsoft.Resources/resourceGroups',
    location: group.location,
    ...(group.tags === undefined ? {} : { tags: group.tags }),
    properties: { provisioningState: 'Succeeded' },
  };
}
