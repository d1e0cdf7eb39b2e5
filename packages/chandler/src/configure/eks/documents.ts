/** Policies and other JSON of AWS as fields: the same, whether one value is a list or not, and in whatever order. */
import type { FieldValue } from '../resource.ts';

/** @param document as text, or as an object. A text that is no JSON stays one. */
export function documentField(document: string | object | undefined): FieldValue {
  if (document === undefined) return '';
  return typeof document === 'string' ? parsed(document) : normal(document);
}

/** IAM encodes them as parts of a URL. */
export function decodedDocument(text: string | undefined): FieldValue {
  return documentField(text === undefined ? undefined : decodeURIComponent(text));
}

// ---------------------------------------------------------------------------------------------------------------

function parsed(text: string): FieldValue {
  try {
    return normal(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

function normal(value: unknown): FieldValue {
  if (Array.isArray(value)) {
    const items = value.map(normal);
    if (items.length === 1) return items[0]!;
    return items.every((each) => typeof each === 'string') ? [...items].sort() : items;
  }
  if (typeof value !== 'object' || value === null) return value as FieldValue;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, normal(each)]));
}
