/**
 * Texts of Terraform that are known only after apply, as symbols: `{azurerm_subnet.nodes.id}` stands for the ID of that subnet.
 * Two symbols that are the same have the same value, so references can be compared before anything is applied.
 */
import { type Tree, textOf } from '../model/tree.ts';

export type Answer = 'yes' | 'no' | 'unknown';

/** The text with symbols in it; undefined where it is not known at all. */
export function symbolOf(tree: Tree | undefined): string | undefined {
  if (tree === undefined) return undefined;
  if (tree.kind === 'scalar') return textOf(tree);
  if (tree.kind !== 'unknown') return undefined;
  if (tree.parts !== undefined) {
    const texts = tree.parts.map((part) => (typeof part === 'string' ? part : symbolOf(part)));
    return texts.every((text) => text !== undefined) ? texts.join('') : undefined;
  }
  if (tree.reference === undefined) return undefined;
  return `{${[tree.reference, ...(tree.attribute ? [tree.attribute] : [])].join('.')}}`;
}

export function hasSymbol(text: string): boolean {
  return text.includes('{') || text.includes(NOT_KNOWN);
}

/** Stands for any subscription: those of one installation are the same unless both are written. */
export const ANY = '*';
/** A part of an ID that is not known. */
export const NOT_KNOWN = '?';

/** Whether two texts are the same, as far as symbols tell. IDs and names of Azure have no case. */
export function sameText(left: string, right: string): Answer {
  if (left.toLowerCase() === right.toLowerCase()) return 'yes';
  return hasSymbol(left) || hasSymbol(right) ? 'unknown' : 'no';
}

/** Whether two IDs are the same. */
export function sameId(left: string, right: string): Answer {
  const a = partsOf(left);
  const b = partsOf(right);
  if (left.toLowerCase() === right.toLowerCase()) return 'yes';
  if (a.length !== b.length) return isOpaque(left) || isOpaque(right) ? 'unknown' : 'no';
  return all(a.map((part, index) => samePart(part, b[index]!)));
}

/** Whether what is at the scope is also at the ID: the ID itself, or what it is part of. */
export function covers(scope: string, id: string): Answer {
  if (isOpaque(scope) || isOpaque(id)) return scope.toLowerCase() === id.toLowerCase() ? 'yes' : 'unknown';
  // Which subscriptions are below a management group is not known.
  if (/^\/providers\/microsoft\.management\//i.test(scope)) return 'unknown';
  const above = partsOf(scope);
  const below = partsOf(id);
  if (above.length > below.length) return 'no';
  return all(above.map((part, index) => samePart(part, below[index]!)));
}

// ---------------------------------------------------------------------------------------------------------------

function partsOf(id: string): readonly string[] {
  return id.replace(/\/+$/, '').split('/');
}

/** One symbol for the whole ID. */
function isOpaque(id: string): boolean {
  return !id.startsWith('/');
}

function samePart(left: string, right: string): Answer {
  if (left === ANY || right === ANY) return 'yes';
  return sameText(left, right);
}

function all(answers: readonly Answer[]): Answer {
  if (answers.includes('no')) return 'no';
  return answers.includes('unknown') ? 'unknown' : 'yes';
}
