/**
 * The migration from kubectl's client-side apply, which kept its configuration in an annotation, to server-side apply:
 * kubectl may take over what that annotation shows to be its own, and the annotation stays up to date for its readers.
 */
import type { KubeObject } from '@chandler/kube';
import { compare } from './compare.ts';
import { fieldSetOf } from './extract.ts';
import { difference, type FieldSet } from './field-set.ts';
import type { FieldType } from './field-type.ts';
import { goJson } from './path-element.ts';
import { asMap, type JsonMap } from './typed-value.ts';
import { misfits } from './validate.ts';

export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** All annotations of an object together, names and values. */
const MAX_ANNOTATIONS_BYTES = 256 * 1024;

/** Fields that kubectl set the old way and that are still as it set them; undefined when nothing can be said. */
export function allowedByLastApplied(
  live: KubeObject,
  type: FieldType,
  apiVersion: string,
): FieldSet | undefined {
  const text = live.metadata.annotations?.[LAST_APPLIED];
  if (text === undefined || text === '') return undefined;
  const config = parse(text);
  if (
    config?.['apiVersion'] !== apiVersion ||
    misfits(live, type).length > 0 ||
    misfits(config, type).length > 0
  ) {
    return undefined;
  }
  const { added, modified, removed } = compare(config, live, type);
  return difference(difference(difference(fieldSetOf(config, type), modified), added), removed);
}

/** Brings the annotation, where there is one, up to the configuration that was just applied. */
export function renewLastApplied(object: KubeObject, config: KubeObject): void {
  const annotations = object.metadata.annotations;
  if (!annotations?.[LAST_APPLIED]) return;
  const renewed: Record<string, string> = {
    ...annotations,
    [LAST_APPLIED]: `${goJson(sorted(withoutLastApplied(config)))}\n`,
  };
  if (bytesOf(renewed) > MAX_ANNOTATIONS_BYTES) delete renewed[LAST_APPLIED];
  object.metadata.annotations = renewed;
}

// ---------------------------------------------------------------------------------------------------

function parse(text: string): JsonMap | undefined {
  try {
    return asMap(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function withoutLastApplied(config: KubeObject): KubeObject {
  if (config.metadata.annotations === undefined) return config;
  const { [LAST_APPLIED]: _, ...annotations } = config.metadata.annotations;
  return { ...config, metadata: { ...config.metadata, annotations } };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  const map = asMap(value);
  if (map === undefined) return value;
  return Object.fromEntries(
    Object.keys(map)
      .sort()
      .map((name) => [name, sorted(map[name])]),
  );
}

function bytesOf(annotations: Readonly<Record<string, string>>): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(annotations))
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
  return bytes;
}
