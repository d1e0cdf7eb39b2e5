/** A cluster, or a dump, of which some kinds are read in part or not at all. */
import { type ResourceRef, resourceName } from '@chandler/kube';
import type { ObjectReader } from '../../packages/chandler/src/causes/index.ts';

/** As a dump shows kinds of which it does not have all objects. */
export function partly(reader: ObjectReader, kinds: readonly string[]): ObjectReader {
  const isPartial = (resource: ResourceRef) => kinds.includes(resourceName(resource));
  return {
    ...reader,
    get: async (resource, key) => {
      const looked = await reader.get(resource, key);
      return 'found' in looked || !isPartial(resource) ? looked : { why: 'notInDump' };
    },
    list: async (resource, filter) => {
      const looked = await reader.list(resource, filter);
      return 'found' in looked && isPartial(resource) ? { ...looked, partial: true } : looked;
    },
    async *pages(resource, filter) {
      yield await this.list(resource, filter);
    },
  };
}

/** As credentials that may not read these kinds. */
export function without(reader: ObjectReader, kinds: readonly string[]): ObjectReader {
  const isForbidden = (resource: ResourceRef) => kinds.includes(resourceName(resource));
  return {
    ...reader,
    get: async (resource, key) =>
      isForbidden(resource)
        ? { why: 'forbidden', permission: `get ${resource.plural}` }
        : reader.get(resource, key),
    list: async (resource, filter) =>
      isForbidden(resource)
        ? { why: 'forbidden', permission: `list ${resource.plural}` }
        : reader.list(resource, filter),
    async *pages(resource, filter) {
      yield await this.list(resource, filter);
    },
    log: (pod, container, previous) => reader.log(pod, container, previous),
  };
}
