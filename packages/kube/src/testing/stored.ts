/** Objects for tests as a server would hold them. */
import type { KubeObject, NamedObject, Stored } from '../object.ts';

/** The object, with a UID made from its name and a resourceVersion where it has none. */
export function stored<T extends KubeObject>(object: T & NamedObject): Stored<T> {
  const uid = `uid-${object.metadata.name}`;
  return { ...object, metadata: { uid, resourceVersion: '1', ...object.metadata } };
}
