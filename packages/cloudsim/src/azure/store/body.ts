/**
 * Reading what a caller sent: JSON of unknown shape, looked at field by field. What is wrong is rejected the way ARM
 * does, with the path of the field.
 */
import { invalidParameter, invalidRequestContent } from '../wire/errors.ts';

export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The body itself; throws `InvalidRequestContent`. */
export function requireBody(body: unknown): Json {
  if (isObject(body)) return body;
  throw invalidRequestContent(body === undefined ? 'the request has no body' : 'the body is not an object');
}

/** An object at this path, undefined when absent; throws when it is something else. */
export function objectAt(from: Json | undefined, key: string, path = key): Json | undefined {
  const value = from?.[key];
  if (value === undefined || value === null) return undefined;
  if (isObject(value)) return value;
  throw wrongType(path, 'object');
}

export function requireObject(from: Json | undefined, key: string, path = key): Json {
  const value = objectAt(from, key, path);
  if (value === undefined) throw missing(path);
  return value;
}

export function textAt(from: Json | undefined, key: string, path = key): string | undefined {
  const value = from?.[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw wrongType(path, 'string');
}

export function requireText(from: Json | undefined, key: string, path = key): string {
  const value = textAt(from, key, path);
  if (value === undefined || value === '') throw missing(path);
  return value;
}

export function numberAt(from: Json | undefined, key: string, path = key): number | undefined {
  const value = from?.[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number') return value;
  throw wrongType(path, 'number');
}

export function booleanAt(from: Json | undefined, key: string, path = key): boolean | undefined {
  const value = from?.[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'boolean') return value;
  throw wrongType(path, 'boolean');
}

export function listAt(from: Json | undefined, key: string, path = key): readonly unknown[] | undefined {
  const value = from?.[key];
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) return value;
  throw wrongType(path, 'array');
}

/** Objects only. */
export function objectsAt(from: Json | undefined, key: string, path = key): readonly Json[] | undefined {
  const list = listAt(from, key, path);
  list?.forEach((item, at) => {
    if (!isObject(item)) throw wrongType(`${path}[${at}]`, 'object');
  });
  return list as readonly Json[] | undefined;
}

/** `tags`, at most 50 with names up to 512 and values up to 256 characters. */
export function tagsAt(body: Json): Readonly<Record<string, string>> | undefined {
  const tags = objectAt(body, 'tags');
  if (tags === undefined) return undefined;
  const entries = Object.entries(tags);
  if (entries.length > 50)
    throw invalidParameter('tags', `The number of tags '${entries.length}' exceeds the limit of '50'.`);
  for (const [name, value] of entries) {
    if (typeof value !== 'string') throw wrongType(`tags.${name}`, 'string');
    if (name === '' || name.length > 512 || /[<>%&\\?/]/.test(name))
      throw invalidParameter(
        'tags',
        `The tag name '${name}' contains reserved characters '<,>,%,&,\\,?,/' or control characters, or is too long.`,
      );
    if (value.length > 256)
      throw invalidParameter('tags', `The value of tag '${name}' exceeds 256 characters.`);
  }
  return tags as Readonly<Record<string, string>>;
}

export function missing(path: string): Error {
  return invalidParameter(path, `Required parameter '${path}' is missing (null).`);
}

// ---------------------------------------------------------------------------------------------------

function wrongType(path: string, wanted: string): Error {
  return invalidRequestContent(`the value at '${path}' is not of type ${wanted}`);
}
