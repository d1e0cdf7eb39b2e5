/**
 * Names of ARM resources. Ids are always compared case-insensitively; they are shown in the spelling of the request that
 * created the resource.
 */

export interface ResourceId {
  readonly subscriptionId: string;
  readonly resourceGroup: string;
  /** `Microsoft.Compute/virtualMachines/extensions`. */
  readonly type: string;
  /** Names from the outermost resource to this one. */
  readonly names: readonly string[];
  /** The last of `names`. */
  readonly name: string;
}

/** Undefined when the text is not the id of a resource in a resource group. */
export function parseResourceId(text: unknown): ResourceId | undefined {
  if (typeof text !== 'string' || !text.startsWith('/')) return undefined;
  const parts = text.slice(1).split('/');
  const [subscriptions, subscriptionId, groups, resourceGroup, providers, namespace, ...rest] = parts;
  const isForm =
    lower(subscriptions) === 'subscriptions' &&
    lower(groups) === 'resourcegroups' &&
    lower(providers) === 'providers';
  if (!isForm || !subscriptionId || !resourceGroup || !namespace) return undefined;
  if (rest.length === 0 || rest.length % 2 !== 0 || rest.includes('')) return undefined;
  const types = rest.filter((_, at) => at % 2 === 0);
  const names = rest.filter((_, at) => at % 2 === 1);
  return {
    subscriptionId,
    resourceGroup,
    type: [namespace, ...types].join('/'),
    names,
    name: names[names.length - 1]!,
  };
}

export function formatResourceId(id: Omit<ResourceId, 'name'>): string {
  const [namespace, ...types] = id.type.split('/');
  const tail = types.map((type, at) => `${type}/${id.names[at]}`).join('/');
  return `/subscriptions/${id.subscriptionId}/resourceGroups/${id.resourceGroup}/providers/${namespace}/${tail}`;
}

/** What ids are compared and kept by. */
export function idKey(id: string): string {
  return id.toLowerCase();
}

export function sameId(one: string, other: string): boolean {
  return one.length === other.length && idKey(one) === idKey(other);
}

// ---------------------------------------------------------------------------------------------------

function lower(text: string | undefined): string {
  return text?.toLowerCase() ?? '';
}
