/** What is wrong with an input, and where: file, line, object, field, and what to do about it. */

export interface Problem {
  readonly file: string;
  /** From 1; absent where the text gives none. */
  readonly line?: number;
  /** Which document of the file, from 1; absent when it has only one. */
  readonly document?: number;
  /** `Deployment/shop/web`. */
  readonly object?: string;
  readonly field?: string;
  readonly message: string;
}

/** `shop.yaml:12: Deployment/shop/web: spec.replicas: expected a whole number, got "three"`. */
export function problemText({ file, line, document, object, field, message }: Problem): string {
  const where = line === undefined ? file : `${file}:${line}`;
  const which = document === undefined ? '' : ` (document ${document})`;
  const parts = [object, field].filter((part) => part !== undefined && part !== '');
  return `${[`${where}${which}`, ...parts, message].join(': ')}`;
}
