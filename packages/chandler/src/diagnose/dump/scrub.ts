/**
 * What leaves the cluster in a dump, and what does not: no Secret, no ConfigMap but the controller's own, no value
 * of an environment variable but those of the controller's options that are no secrets, no applied configuration, and
 * in every text that is left the secrets that can be recognised are taken out.
 */
import type { KubeObject } from '@chandler/kube';
import { HIDDEN, withoutSecrets } from '@chandler/kube';
import { AZURE_CONTROLLER_OPTIONS } from '../../cloud/azure/options/index.ts';
import { envNames, type OptionRow } from '../../settings/index.ts';

/** A copy that may be shown to others. */
export function scrubbed(object: KubeObject): KubeObject {
  const { managedFields: _, annotations, ...metadata } = object.metadata;
  const kept = {
    ...object,
    metadata: {
      ...metadata,
      ...(annotations === undefined ? {} : { annotations: keptAnnotations(annotations) }),
    },
  };
  return cleaned(withoutImages(kept), '') as KubeObject;
}

// ---------------------------------------------------------------------------------------------------

/** Every image that a node holds, with all its names: most of a node's size, and no question asks for it. */
function withoutImages(object: KubeObject): KubeObject {
  if (object.kind !== 'Node' || typeof object['status'] !== 'object' || object['status'] === null)
    return object;
  const { images: _, ...status } = object['status'] as Readonly<Record<string, unknown>>;
  return { ...object, status };
}

/** Hold a copy of the object as it was written, with everything in it. */
const DROPPED_ANNOTATIONS: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'deployment.kubernetes.io/desired-replicas',
]);

function keptAnnotations(annotations: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => !DROPPED_ANNOTATIONS.has(name)));
}

/** Variables that name options of the controller and hold no secret. */
const OPEN_VARIABLES: ReadonlySet<string> = new Set(
  (Object.values(AZURE_CONTROLLER_OPTIONS) as readonly OptionRow[])
    .filter(({ secret }) => secret !== true)
    .flatMap((row) => envNames(row)),
);

/** Fields whose texts are commands of the user and may hold anything. */
const HIDDEN_FIELDS: ReadonlySet<string> = new Set(['command', 'lifecycle', 'exec', 'httpHeaders']);

function cleaned(value: unknown, field: string): unknown {
  if (typeof value === 'string') return withoutSecrets(value);
  if (typeof value !== 'object' || value === null) return value;
  if (field === 'args' && Array.isArray(value)) return openArguments(value);
  if (HIDDEN_FIELDS.has(field)) return Array.isArray(value) ? [HIDDEN] : {};
  if (Array.isArray(value))
    return value.map((each) => (field === 'env' ? variable(each) : cleaned(each, '')));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cleaned(each, name)]));
}

function variable(each: unknown): unknown {
  const { name, value, ...rest } = each as { name?: string; value?: string };
  if (value === undefined) return cleaned(each, '');
  const open = OPEN_VARIABLES.has(name ?? '');
  return { name, ...rest, value: open ? withoutSecrets(value) : value === '' ? '' : HIDDEN };
}

/** Flags that name options of the controller and hold no secret. */
const OPEN_FLAGS: ReadonlySet<string> = new Set(
  (Object.values(AZURE_CONTROLLER_OPTIONS) as readonly OptionRow[])
    .filter(({ secret }) => secret !== true)
    .map(({ flag }) => `--${flag}`),
);

function openArguments(args: readonly unknown[]): readonly string[] {
  return args.map((each, index) => {
    const text = String(each);
    const flag = text.split('=')[0]!;
    if (OPEN_FLAGS.has(flag)) return withoutSecrets(text);
    if (text.startsWith('--')) return text.includes('=') ? `${flag}=${HIDDEN}` : flag;
    const before = String(args[index - 1] ?? '');
    return OPEN_FLAGS.has(before) ? withoutSecrets(text) : HIDDEN;
  });
}
