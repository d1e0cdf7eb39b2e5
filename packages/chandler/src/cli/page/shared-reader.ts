/**
 * Reads for several explanations of one answer: whole lists are read once for all of them. Lists are read page by page, also where
 * only so many objects are wanted, and kept without what no explanation reads and what is most of them: the managed fields, and the
 * names of the images of nodes.
 */
import { NODES, resourceName } from '@chandler/kube';
import { isFound, type LookupResult, type ObjectReader, type ReadObject } from '../../causes/index.ts';

export function sharedReader(reader: ObjectReader): ObjectReader {
  const lists = new Map<string, Promise<LookupResult<readonly ReadObject[]>>>();
  return {
    ...reader,
    list(resource, filter = {}) {
      const { atMost, ...rest } = filter;
      // A part of them is small, and another for every object.
      const isWhole = Object.keys(rest).length === 0;
      const list = () => listed(reader, resource, filter);
      if (!isWhole && (resource !== NODES || atMost !== undefined)) return list();
      const key = `${resourceName(resource)} ${JSON.stringify(filter)}`;
      const listing = lists.get(key) ?? list();
      lists.set(key, listing);
      return listing;
    },
  };
}

// ---------------------------------------------------------------------------------------------------

async function listed(
  reader: ObjectReader,
  ...[resource, filter]: Parameters<ObjectReader['pages']>
): Promise<LookupResult<readonly ReadObject[]>> {
  const objects: ReadObject[] = [];
  let isPart = false;
  const shortened = resource === NODES ? withoutImages : withoutManagedFields;
  for await (const page of reader.pages(resource, filter)) {
    if (!isFound(page)) return page;
    isPart ||= page.partial === true;
    for (const object of page.found) objects.push(shortened(object));
  }
  return isPart ? { found: objects, partial: true } : { found: objects };
}

function withoutImages(node: ReadObject): ReadObject {
  const { images: _, ...status } = (node['status'] ?? {}) as Readonly<Record<string, unknown>>;
  return { ...withoutManagedFields(node), status } as ReadObject;
}

function withoutManagedFields(object: ReadObject): ReadObject {
  const { managedFields: _, ...metadata } = object.metadata as ReadObject['metadata'] & {
    readonly managedFields?: unknown;
  };
  return { ...object, metadata };
}
