/**
 * Finds a key that a map has twice. The parser itself compares every key with all before it, which takes seconds for a map of ten
 * thousand keys; here each is looked up once.
 */
import { type Document, isMap, isScalar, isSeq } from 'yaml';

export interface DuplicateKey {
  readonly key: string;
  /** In the text. */
  readonly offset: number;
}

/** The first one in the text. Not recursive: texts may be nested deeply. */
export function duplicateKey({ contents }: Pick<Document, 'contents'>): DuplicateKey | undefined {
  let first: DuplicateKey | undefined;
  const left: unknown[] = [contents];
  while (left.length > 0) {
    const node = left.pop();
    if (isSeq(node)) for (const item of node.items) left.push(item);
    if (!isMap(node)) continue;
    const keys = new Set<unknown>();
    for (const { key, value } of node.items) {
      left.push(value, key);
      if (!isScalar(key) || isMergeKey(key.value)) continue;
      const offset = key.range?.[0] ?? 0;
      if (keys.has(key.value) && offset < (first?.offset ?? Number.POSITIVE_INFINITY))
        first = { key: String(key.value), offset };
      keys.add(key.value);
    }
  }
  return first;
}

// ---------------------------------------------------------------------------------------------------------------

/** `<<` takes in other maps, and may stand in a map more than once. */
function isMergeKey(value: unknown): boolean {
  return value === '<<' || typeof value === 'symbol';
}
