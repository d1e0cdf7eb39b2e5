/**
 * Reads for several explanations of one answer: whole lists are read once for all of them, that of nodes page by page, and without the names of their
 * images, which are most of them and which no explanation reads.
 */
import { NODES, resourceName } from '@chandler/kube';
import { isFound, type LookupResult, type ObjectReader, type ReadObject } from '../../causes/index.ts';

export function sharedReader(reader: ObjectReader): ObjectReader {
  const lists = new Map<string, Promise<LookupResult<readonly ReadObject[]>>>();
  return {
    ...reader,
    list(resource, filter = {}) {
      // A part of them is small, and another for every object.
      const isWhole = Object.keys(filter).length === 0;
      if (!isWhole && (resource !== NODES || filter.atMost !== undefined))
        return reader.list(resource, filter);
      const key = `${resourceName(resource)} ${JSON.stringify(filter)}`;
      const listing =
        lists.get(key) ?? (resource === NODES ? listNodes(reader, filter) : reader.list(resource, filter));
      lists.set(key, listing);
      return listing;
    },
  };
}

// ---------------------------------------------------------------------------------------------------

async function listNodes(
  reader: ObjectReader,
  filter: Parameters<ObjectReader['list']>[1],
): Promise<LookupResult<readonly ReadObject[]>> {
  const nodes: ReadObject[] = [];
  for await (const page of reader.pages(NODES, filter)) {
    if (!isFound(page)) return page;
    for (const node of page.found) nodes.push(withoutImages(node));
  }
  return { found: nodes };
}

function withoutImages(node: ReadObject): ReadObject {
  const { images: _, ...status } = (node['status'] ?? {}) as Readonly<Record<string, unknown>>;
  const { managedFields: _fields, ...metadata } = node.metadata as ReadObject['metadata'] & {
    readonly managedFields?: unknown;
  };
  return { ...node, metadata, status } as ReadObject;
}
