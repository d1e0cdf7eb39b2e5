/**
 * Empty fields of manifests (`initContainers:` with nothing below it), as an API server reads them: a field is absent, an
 * entry of a map of texts is the empty text, and an entry of a map of amounts is zero.
 */

/** The same value where it has no empty fields. Empty items of lists are kept: an API server rejects nearly all of them. */
export function withoutEmptyFields(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => withoutEmptyFields(item));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value);
  const kept = fields.flatMap(([field, inner]): [string, unknown][] => {
    const read = inner === null ? emptyEntry(name, field) : withoutEmptyFields(inner, field);
    return read === undefined ? [] : [[field, read]];
  });
  const isSame =
    kept.length === fields.length && kept.every(([, inner], index) => inner === fields[index]![1]);
  return isSame ? value : Object.fromEntries(kept);
}

// ---------------------------------------------------------------------------------------------------------------

const TEXTS: ReadonlySet<string> = new Set([
  'annotations',
  'data',
  'labels',
  'matchLabels',
  'nodeSelector',
  'parameters',
  'selector',
  'tags',
]);

const AMOUNTS: ReadonlySet<string> = new Set([
  'allocatable',
  'capacity',
  'default',
  'defaultRequest',
  'limits',
  'max',
  'min',
  'overhead',
  'podFixed',
  'requests',
]);

/** Of a selector that is not a map of labels. */
const SELECTOR_FIELDS: ReadonlySet<string> = new Set(['matchLabels', 'matchExpressions']);

/** Undefined: absent. */
function emptyEntry(map: string, field: string): string | undefined {
  if (AMOUNTS.has(map)) return '0';
  if (!TEXTS.has(map) || (map === 'selector' && SELECTOR_FIELDS.has(field))) return undefined;
  return '';
}
