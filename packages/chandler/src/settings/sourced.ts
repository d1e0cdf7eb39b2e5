/** A value with its source, so that its origin can be explained. */

export type Source =
  | 'hardcoded'
  | 'flag'
  | 'env'
  | 'settings'
  | 'NodePool'
  | 'NodeClass'
  | 'cluster'
  | 'computed';

export interface Sourced<T> {
  readonly value: T;
  readonly source: Source;
  /** The flag, variable or field path that held it; empty for what is hardcoded. */
  readonly path: string;
}

/** A text, or the file that holds it, in the order in which they count. */
export interface FoundText {
  readonly source: Source;
  readonly path: string;
  readonly texts: readonly string[];
  readonly inFile: boolean;
}

export function hardcoded<T>(value: T): Sourced<T> {
  return { value, source: 'hardcoded', path: '' };
}
