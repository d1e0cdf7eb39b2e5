/**
 * ARM resource ids: taken apart, put together, compared. Azure treats them without regard to case, so do we.
 */

export interface ResourceId {
  readonly subscriptionId: string;
  readonly resourceGroup: string;
  /** `Microsoft.Compute`. */
  readonly provider: string;
  /** Type and name pairs, outermost first: `[['virtualNetworks', 'v'], ['subnets', 's']]`. At least one. */
  readonly segments: readonly (readonly [type: string, name: string])[];
}

export type ResourceIdResult = { readonly id: ResourceId } | { readonly problem: string };

/** What an id must look like, as `Microsoft.Compute/diskEncryptionSets` or `Microsoft.Network/virtualNetworks/subnets`. */
export type ResourceType = string;

export function parseResourceId(text: string, wanted?: ResourceType): ResourceIdResult {
  if (!text.startsWith('/')) return { problem: `does not start with /: "${text}"` };
  const parts = text.slice(1).split('/');
  if (parts.some((part) => part.trim() === '')) return { problem: `has an empty part: "${text}"` };
  if (parts[0]?.toLowerCase() !== 'subscriptions' || parts[1] === undefined) {
    return { problem: `does not start with /subscriptions/{id}: "${text}"` };
  }
  if (parts[2]?.toLowerCase() !== 'resourcegroups' || parts[3] === undefined) {
    return { problem: `has no /resourceGroups/{name} after the subscription: "${text}"` };
  }
  if (parts[4]?.toLowerCase() !== 'providers' || parts[5] === undefined) {
    return { problem: `has no /providers/{namespace} after the resource group: "${text}"` };
  }
  const rest = parts.slice(6);
  if (rest.length === 0 || rest.length % 2 !== 0) {
    return { problem: `does not end in pairs of type and name: "${text}"` };
  }
  const segments: [string, string][] = [];
  for (let at = 0; at < rest.length; at += 2) segments.push([rest[at]!, rest[at + 1]!]);
  const id: ResourceId = { subscriptionId: parts[1], resourceGroup: parts[3], provider: parts[5], segments };
  if (wanted !== undefined && resourceType(id).toLowerCase() !== wanted.toLowerCase()) {
    return { problem: `is of type ${resourceType(id)}, not ${wanted}: "${text}"` };
  }
  return { id };
}

/** For ids that Azure itself gave, or that were validated before. Throws on anything else. */
export function resourceId(text: string, wanted?: ResourceType): ResourceId {
  const result = parseResourceId(text, wanted);
  if ('problem' in result) throw new Error(`resource id ${result.problem}`);
  return result.id;
}

export function formatResourceId(id: ResourceId): string {
  const tail = id.segments.map(([type, name]) => `/${type}/${name}`).join('');
  return `/subscriptions/${id.subscriptionId}/resourceGroups/${id.resourceGroup}/providers/${id.provider}${tail}`;
}

/** `Microsoft.Network/virtualNetworks/subnets`. */
export function resourceType(id: ResourceId): string {
  return [id.provider, ...id.segments.map(([type]) => type)].join('/');
}

/** The last name: of the subnet, not of its network. */
export function resourceName(id: ResourceId): string {
  return id.segments.at(-1)![1];
}

/** The id of the resource that this one is part of; undefined at the top. */
export function parentResource(id: ResourceId): ResourceId | undefined {
  return id.segments.length < 2 ? undefined : { ...id, segments: id.segments.slice(0, -1) };
}

/**
 * Whether a role at the scope works on the resource: at it or above it. IDs do not show which management group a
 * subscription is in, so the scope comes from a list of what concerns the resource.
 */
export function coversResource(scope: string, resource: string): boolean {
  const above = scope.replace(/\/+$/, '');
  if (MANAGEMENT_GROUP.test(above)) return true;
  return `${resource}/`.toLowerCase().startsWith(`${above}/`.toLowerCase());
}

export function sameResource(left: string, right: string): boolean {
  return left.replace(/\/+$/, '').toLowerCase() === right.replace(/\/+$/, '').toLowerCase();
}

// ---------------------------------------------------------------------------------------------------

const MANAGEMENT_GROUP = /^\/providers\/Microsoft\.Management\/managementGroups\/[^/]+$/i;
