/**
 * Removes from a value what its structure does not know, and says what was removed in the server's own path notation.
 * It changes nothing else: types are not checked, defaults not applied.
 */
import type { Structure } from '../structure.ts';

/** Prunes in place; the paths (`spec.foo`, `spec.containers[0].bar`) come in the order of the fields. */
export function prune(value: unknown, structure: Structure): string[] {
  const removed: string[] = [];
  visit(value, structure, '', removed);
  return removed;
}

// ---------------------------------------------------------------------------------------------------

/** Every whole object has these, whether its schema says so or not. */
const OBJECT_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

function visit(value: unknown, structure: Structure, path: string, removed: string[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    const { items } = structure;
    if (items === undefined) return;
    for (let index = 0; index < value.length; index++) {
      visit(value[index], items, `${path}[${index}]`, removed);
    }
    return;
  }
  if (structure.type !== 'object' && structure.properties === undefined) return;
  visitFields(value as Record<string, unknown>, structure, path, removed);
}

function visitFields(
  fields: Record<string, unknown>,
  structure: Structure,
  path: string,
  removed: string[],
): void {
  const { properties, additional } = structure;
  for (const key of Object.keys(fields)) {
    const known = properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : additional;
    if (known !== undefined) {
      visit(fields[key], known, path === '' ? key : `${path}.${key}`, removed);
    } else if (!structure.preserveUnknown && !(structure.embedded && OBJECT_FIELDS.has(key))) {
      delete fields[key];
      removed.push(path === '' ? key : `${path}.${key}`);
    }
  }
}
