/**
 * Removes from objects what must not leave the cluster in a dump: Secrets, ConfigMaps except the one of the controller,
 * values of environment variables except options of the controller that are not secret, and applied configurations. In
 * the remaining texts, secrets that can be recognised are redacted.
 */
import type { KubeObject } from '@chandler/kube';
import { HIDDEN, withoutSecrets } from '@chandler/kube';
import { envNames, type OptionRow, type OptionTable } from '../../settings/index.ts';

/** Returns a copy without secrets. */
export type Scrub = <T extends KubeObject>(object: T) => T;

/** Makes copies that may be shown to others. @param options of the controller: those that are no secrets are kept. */
export function scrubber(options: OptionTable): Scrub {
  const open = openInputs(options);
  return (object) => scrubbed(object, open);
}

// ---------------------------------------------------------------------------------------------------

/** Variables and flags that name options of the controller and hold no secret. */
interface OpenInputs {
  readonly variables: ReadonlySet<string>;
  readonly flags: ReadonlySet<string>;
}

function openInputs(options: OptionTable): OpenInputs {
  const rows = (Object.values(options) as readonly OptionRow[]).filter(({ secret }) => secret !== true);
  return {
    variables: new Set(rows.flatMap((row) => envNames(row))),
    flags: new Set(rows.map(({ flag }) => `--${flag}`)),
  };
}

function scrubbed<T extends KubeObject>(object: T, open: OpenInputs): T {
  const { managedFields: _, annotations, ...metadata } = object.metadata;
  const kept = {
    ...object,
    metadata: {
      ...metadata,
      ...(annotations === undefined ? {} : { annotations: keptAnnotations(annotations) }),
    },
  };
  return cleaned(withoutImages(kept), '', open) as T;
}

/** Every image on a node, with all its names: most of the size of a Node, and no cause reads it. */
function withoutImages(object: KubeObject): KubeObject {
  if (object.kind !== 'Node' || typeof object['status'] !== 'object' || object['status'] === null)
    return object;
  const { images: _, ...status } = object['status'] as Readonly<Record<string, unknown>>;
  return { ...object, status };
}

/** Annotations with a copy of the whole object as it was applied. */
const DROPPED_ANNOTATIONS: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'deployment.kubernetes.io/desired-replicas',
]);

function keptAnnotations(annotations: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => !DROPPED_ANNOTATIONS.has(name)));
}

/** Fields with commands of the user, which may contain secrets. */
const HIDDEN_FIELDS: ReadonlySet<string> = new Set(['command', 'lifecycle', 'exec', 'httpHeaders']);

function cleaned(value: unknown, field: string, open: OpenInputs): unknown {
  if (typeof value === 'string') return withoutSecrets(value);
  if (typeof value !== 'object' || value === null) return value;
  if (field === 'args' && Array.isArray(value)) return openArguments(value, open);
  if (HIDDEN_FIELDS.has(field)) return Array.isArray(value) ? [HIDDEN] : {};
  if (Array.isArray(value))
    return value.map((each) => (field === 'env' ? variable(each, open) : cleaned(each, '', open)));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cleaned(each, name, open)]));
}

function variable(each: unknown, open: OpenInputs): unknown {
  const { name, value, ...rest } = each as { name?: string; value?: string };
  if (value === undefined) return cleaned(each, '', open);
  const isOpen = open.variables.has(name ?? '');
  return { name, ...rest, value: isOpen ? withoutSecrets(value) : value === '' ? '' : HIDDEN };
}

function openArguments(args: readonly unknown[], open: OpenInputs): readonly string[] {
  return args.map((each, index) => {
    const text = String(each);
    const flag = text.split('=')[0]!;
    if (open.flags.has(flag)) return withoutSecrets(text);
    if (text.startsWith('--')) return text.includes('=') ? `${flag}=${HIDDEN}` : flag;
    const before = String(args[index - 1] ?? '');
    return open.flags.has(before) ? withoutSecrets(text) : HIDDEN;
  });
}
