/**
 * Disk encryption sets over ARM: read, list, create, change, delete. What a set is good for is in disk-encryption-set.ts.
 */
import { formatResourceId } from '../store/resource-id.ts';
import { type ArmAnswer, type ArmRequest, type ArmRoute, ok } from '../wire/arm-request.ts';
import type { ArmContext } from '../wire/context.ts';
import { invalidParameter, invalidRequestContent, resourceNotFound } from '../wire/errors.ts';
import {
  type DiskEncryption,
  type DiskEncryptionSet,
  type DiskEncryptionSetProperties,
  SET_TYPE,
} from './disk-encryption-set.ts';

const VERSIONS = ['2022-07-02', '2023-10-02', '2024-03-02', '2025-01-02', '2026-03-02'];

export function setRoutes(context: ArmContext, encryption: DiskEncryption): readonly ArmRoute[] {
  const group = '/subscriptions/{sub}/resourceGroups/{rg}/providers/Microsoft.Compute/diskEncryptionSets';
  const version = { apiVersions: VERSIONS } as const;
  const found = (request: ArmRequest): DiskEncryptionSet => {
    const { sub, rg, name } = paramsOf(request);
    context.store.requireResourceGroup(sub, rg);
    const set = encryption.set(setId(sub, rg, name));
    if (set === undefined) throw resourceNotFound(SET_TYPE, name, rg);
    return set;
  };
  return [
    { ...version, method: 'GET', pattern: `${group}/{name}`, handle: (request) => ok(found(request)) },
    {
      ...version,
      method: 'GET',
      pattern: group,
      handle(request) {
        const { sub, rg } = paramsOf(request);
        context.store.requireResourceGroup(sub, rg);
        return ok({ value: context.store.list(SET_TYPE, { subscriptionId: sub, resourceGroup: rg }) });
      },
    },
    {
      ...version,
      method: 'GET',
      pattern: '/subscriptions/{sub}/providers/Microsoft.Compute/diskEncryptionSets',
      handle(request) {
        context.store.requireSubscription(request.params['sub']!);
        return ok({ value: context.store.list(SET_TYPE, { subscriptionId: request.params['sub']! }) });
      },
    },
    {
      ...version,
      method: 'PUT',
      pattern: `${group}/{name}`,
      handle: (request) => putSet(context, encryption, request),
    },
    {
      ...version,
      method: 'DELETE',
      pattern: `${group}/{name}`,
      handle(request) {
        const { sub, rg, name } = paramsOf(request);
        return context.store.delete(setId(sub, rg, name)) ? { status: 200 } : { status: 204 };
      },
    },
  ];
}

/** A set with everything that Azure would fill in. */
export function newSet(
  at: {
    readonly subscriptionId: string;
    readonly resourceGroup: string;
    readonly name: string;
    readonly location: string;
  },
  identity: DiskEncryptionSet['identity'],
  properties: Pick<DiskEncryptionSetProperties, 'activeKey'> & Partial<DiskEncryptionSetProperties>,
): DiskEncryptionSet {
  return {
    id: setId(at.subscriptionId, at.resourceGroup, at.name),
    name: at.name,
    type: SET_TYPE,
    location: at.location,
    tags: {},
    ...(identity === undefined ? {} : { identity }),
    properties: {
      encryptionType: 'EncryptionAtRestWithCustomerKey',
      rotationToLatestKeyVersionEnabled: false,
      provisioningState: 'Succeeded',
      ...properties,
    },
  };
}

// ---------------------------------------------------------------------------------------------------

function paramsOf(request: ArmRequest): { sub: string; rg: string; name: string } {
  return request.params as { sub: string; rg: string; name: string };
}

function setId(subscriptionId: string, resourceGroup: string, name: string): string {
  return formatResourceId({ subscriptionId, resourceGroup, type: SET_TYPE, names: [name] });
}

interface SetBody {
  readonly location?: string;
  readonly tags?: Record<string, string>;
  readonly identity?: DiskEncryptionSet['identity'];
  readonly properties?: Partial<DiskEncryptionSetProperties>;
}

const ENCRYPTION_TYPES = [
  'EncryptionAtRestWithCustomerKey',
  'EncryptionAtRestWithPlatformAndCustomerKeys',
  'ConfidentialVmEncryptedWithCustomerKey',
];

function putSet(context: ArmContext, encryption: DiskEncryption, request: ArmRequest): ArmAnswer {
  const { sub, rg, name } = paramsOf(request);
  context.store.requireResourceGroup(sub, rg);
  const body = request.body as SetBody | undefined;
  if (!body?.location) throw invalidRequestContent('location is required');
  const known = encryption.set(setId(sub, rg, name));
  const activeKey = body.properties?.activeKey ?? known?.properties.activeKey;
  if (!URL.canParse(activeKey?.keyUrl ?? ''))
    throw invalidParameter(
      'diskEncryptionSet.properties.activeKey.keyUrl',
      'The key URL is missing or malformed.',
    );
  const type = body.properties?.encryptionType;
  if (type !== undefined && !ENCRYPTION_TYPES.includes(type))
    throw invalidParameter(
      'diskEncryptionSet.properties.encryptionType',
      `The encryption type '${type}' is invalid.`,
    );
  const { provisioningState: _state, ...properties } = { ...known?.properties, ...body.properties };
  const at = { subscriptionId: sub, resourceGroup: rg, name, location: body.location };
  const set = newSet(at, identityOf(context, body.identity, known), { ...properties, activeKey: activeKey! });
  return ok(encryption.put(body.tags === undefined ? set : { ...set, tags: body.tags }));
}

/** A system-assigned identity is made with the set and stays with it. */
function identityOf(
  context: ArmContext,
  wanted: DiskEncryptionSet['identity'],
  known: DiskEncryptionSet | undefined,
): DiskEncryptionSet['identity'] {
  const identity = wanted ?? known?.identity;
  if (identity === undefined || !identity.type.includes('SystemAssigned')) return identity;
  return {
    ...identity,
    principalId: known?.identity?.principalId ?? context.world.random.uuid(),
    tenantId: context.settings.tenantId,
  };
}
