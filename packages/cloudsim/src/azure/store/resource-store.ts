/**
 * All resources of the subscription, by id without regard to case, with subscriptions and resource groups around them.
 * It knows nothing of what the resources mean.
 */
import { resourceGroupNotFound, subscriptionNotFound } from '../wire/errors.ts';
import type { ArmResource } from './resource.ts';
import { idKey, parseResourceId } from './resource-id.ts';

export interface ResourceGroup {
  readonly subscriptionId: string;
  readonly name: string;
  readonly location: string;
  readonly tags?: Readonly<Record<string, string>>;
}

/** `after` is undefined when the resource went. */
export type ChangeListener = (key: string, after: ArmResource | undefined) => void;

export class ResourceStore {
  readonly #resources = new Map<string, ArmResource>();
  /** Ids by type and resource group, both lower-case, in the order of creation. */
  readonly #byTypeAndGroup = new Map<string, Map<string, Set<string>>>();
  readonly #groups = new Map<string, ResourceGroup>();
  readonly #subscriptions = new Map<string, string>();
  readonly #listeners: ChangeListener[] = [];

  addSubscription(subscriptionId: string, displayName = 'Playground'): void {
    this.#subscriptions.set(subscriptionId.toLowerCase(), displayName);
  }

  subscriptions(): readonly { readonly subscriptionId: string; readonly displayName: string }[] {
    return [...this.#subscriptions].map(([subscriptionId, displayName]) => ({ subscriptionId, displayName }));
  }

  addResourceGroup(group: ResourceGroup): void {
    this.#groups.set(groupKey(group.subscriptionId, group.name), group);
  }

  removeResourceGroup(subscriptionId: string, name: string): boolean {
    return this.#groups.delete(groupKey(subscriptionId, name));
  }

  resourceGroup(subscriptionId: string, name: string): ResourceGroup | undefined {
    return this.#groups.get(groupKey(subscriptionId, name));
  }

  resourceGroups(subscriptionId: string): readonly ResourceGroup[] {
    const prefix = `${subscriptionId.toLowerCase()}/`;
    return [...this.#groups].filter(([key]) => key.startsWith(prefix)).map(([, group]) => group);
  }

  /** Throws `SubscriptionNotFound`. */
  requireSubscription(subscriptionId: string): void {
    if (!this.#subscriptions.has(subscriptionId.toLowerCase())) throw subscriptionNotFound(subscriptionId);
  }

  /** Throws `SubscriptionNotFound` or `ResourceGroupNotFound`. */
  requireResourceGroup(subscriptionId: string, name: string): ResourceGroup {
    this.requireSubscription(subscriptionId);
    const group = this.resourceGroup(subscriptionId, name);
    if (group === undefined) throw resourceGroupNotFound(name);
    return group;
  }

  get(id: string): ArmResource | undefined {
    return this.#resources.get(idKey(id));
  }

  has(id: string): boolean {
    return this.#resources.has(idKey(id));
  }

  put(resource: ArmResource): ArmResource {
    const key = idKey(resource.id);
    if (!this.#resources.has(key)) this.#bucketOf(resource.id, true)?.add(key);
    this.#resources.set(key, resource);
    for (const listener of this.#listeners) listener(key, resource);
    return resource;
  }

  /** False when there was none. */
  delete(id: string): boolean {
    const key = idKey(id);
    if (!this.#resources.delete(key)) return false;
    this.#bucketOf(id, false)?.delete(key);
    for (const listener of this.#listeners) listener(key, undefined);
    return true;
  }

  /** Of a type, in one resource group or in all of the subscription. */
  list(
    type: string,
    where: { readonly subscriptionId: string; readonly resourceGroup?: string },
  ): ArmResource[] {
    const groups = this.#byTypeAndGroup.get(type.toLowerCase());
    if (groups === undefined) return [];
    const subscription = where.subscriptionId.toLowerCase();
    const keys =
      where.resourceGroup === undefined
        ? [...groups].filter(([group]) => group.startsWith(`${subscription}/`)).flatMap(([, ids]) => [...ids])
        : [...(groups.get(groupKey(subscription, where.resourceGroup)) ?? [])];
    return keys.map((key) => this.#resources.get(key)!);
  }

  all(): Iterable<ArmResource> {
    return this.#resources.values();
  }

  get size(): number {
    return this.#resources.size;
  }

  onChange(listener: ChangeListener): void {
    this.#listeners.push(listener);
  }

  #bucketOf(id: string, make: boolean): Set<string> | undefined {
    const parsed = parseResourceId(id);
    if (parsed === undefined) throw new Error(`not the id of a resource: ${id}`);
    const type = parsed.type.toLowerCase();
    let groups = this.#byTypeAndGroup.get(type);
    if (groups === undefined) {
      if (!make) return undefined;
      groups = new Map();
      this.#byTypeAndGroup.set(type, groups);
    }
    const group = groupKey(parsed.subscriptionId, parsed.resourceGroup);
    let ids = groups.get(group);
    if (ids === undefined && make) {
      ids = new Set();
      groups.set(group, ids);
    }
    return ids;
  }
}

// ---------------------------------------------------------------------------------------------------

function groupKey(subscriptionId: string, name: string): string {
  return `${subscriptionId.toLowerCase()}/${name.toLowerCase()}`;
}
