/** JSON patches (RFC 6902) on trees: add, replace and remove. An operation that does not fit makes the value unknown. */
import { find, type ListTree, type Tree, textAt } from '../../model/tree.ts';

/** @param operations as they are written, with their places. */
export function applyJsonPatch(tree: Tree, operations: readonly Tree[]): Tree {
  return operations.reduce((current, operation) => {
    const path = textAt(operation, 'path');
    const name = textAt(operation, 'op');
    if (path === undefined || !path.startsWith('/')) return current;
    const steps = path.slice(1).split('/').map(unescaped);
    if (name === 'remove') return changed(current, steps, undefined, false);
    const value = find(operation, 'value') ?? { kind: 'scalar', value: null, at: operation.at };
    if (name === 'add' || name === 'replace') return changed(current, steps, value, name === 'add');
    if (name === 'test') return current;
    const unknown: Tree = {
      kind: 'unknown',
      why: `is set by the operation ${name} of a patch`,
      at: operation.at,
    };
    return changed(current, steps, unknown, false);
  }, tree);
}

// ---------------------------------------------------------------------------------------------------------------

function unescaped(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** @param insert into a list: the items from there on move. */
function changed(tree: Tree, steps: readonly string[], value: Tree | undefined, insert: boolean): Tree {
  const [step, ...rest] = steps;
  if (step === undefined) return value ?? tree;
  if (tree.kind === 'list') return changedList(tree, step, rest, value, insert);
  if (tree.kind !== 'map') return misfit(tree);
  const entries = new Map(tree.entries);
  const own = entries.get(step);
  if (rest.length > 0)
    entries.set(step, own === undefined ? misfit(tree) : changed(own, rest, value, insert));
  else if (value === undefined) entries.delete(step);
  else entries.set(step, value);
  return { ...tree, entries };
}

function changedList(
  tree: ListTree,
  step: string,
  rest: readonly string[],
  value: Tree | undefined,
  insert: boolean,
): Tree {
  const index = step === '-' ? tree.items.length : /^\d+$/.test(step) ? Number(step) : -1;
  const own = tree.items[index];
  const fits = own !== undefined || (index === tree.items.length && insert && rest.length === 0);
  if (!fits) return misfit(tree);
  const items = [...tree.items];
  if (rest.length > 0) items[index] = changed(own!, rest, value, insert);
  else items.splice(index, insert ? 0 : 1, ...(value === undefined ? [] : [value]));
  return { ...tree, items };
}

/** Kustomize refuses to build it. */
function misfit({ at }: Tree): Tree {
  return { kind: 'unknown', why: 'is changed by an operation of a patch that does not fit', at };
}
