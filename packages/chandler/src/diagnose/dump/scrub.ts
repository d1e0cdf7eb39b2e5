/**
 * Removes from objects what must not leave the cluster in a dump: Secrets, ConfigMaps except the one of the controller,
 * values of environment variables except options of the controller that are not secret, and values of annotations except
 * those of Karpenter and a few of Kubernetes. In the remaining texts, secrets that can be recognised are redacted.
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
  const { managedFields: _, ...metadata } = object.metadata;
  return cleaned(withoutImages({ ...object, metadata }), '', open) as T;
}

/** Every image on a node, with all its names: most of the size of a Node, and no cause reads it. */
function withoutImages(object: KubeObject): KubeObject {
  if (object.kind !== 'Node' || typeof object['status'] !== 'object' || object['status'] === null)
    return object;
  const { images: _, ...status } = object['status'] as Readonly<Record<string, unknown>>;
  return { ...object, status };
}

/**
 * Annotations of which the values are kept, by the part before the slash. Values of all others are hidden: tools keep copies
 * of whole objects in them, as JSON or compressed (kubectl, kapp, Rancher, Helm), with environment variables and arguments.
 */
const OPEN_ANNOTATIONS: ReadonlySet<string> = new Set([
  'chandler.sh',
  'cluster-autoscaler.kubernetes.io',
  'compatibility.karpenter.sh',
  'node.alpha.kubernetes.io',
  'node.kubernetes.io',
  'pv.kubernetes.io',
  'scheduler.alpha.kubernetes.io',
  'storageclass.kubernetes.io',
  'volume.beta.kubernetes.io',
  'volume.kubernetes.io',
]);

function keptAnnotations(annotations: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(annotations).map(([name, value]) => {
      const domain = name.includes('/') ? name.slice(0, name.indexOf('/')) : '';
      // `karpenter.sh`, and the domains of its providers.
      const isOpen = OPEN_ANNOTATIONS.has(domain) || domain.startsWith('karpenter.');
      return [name, isOpen && typeof value === 'string' ? withoutSecrets(value) : HIDDEN];
    }),
  );
}

/** Fields with commands of the user, which may contain secrets. */
const HIDDEN_FIELDS: ReadonlySet<string> = new Set(['command', 'lifecycle', 'exec', 'httpHeaders']);

/** Names and UIDs tell objects apart. The name of an event can look like a bootstrap token: `worker.17f3c21ab9d0e5f2`. */
const IDENTITY: readonly string[] = ['name', 'namespace', 'uid', 'resourceVersion'];

function metadataCleaned(metadata: object, open: OpenInputs): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(metadata).map(([name, each]) => [
      name,
      IDENTITY.includes(name) ? each : cleaned(each, name, open),
    ]),
  );
}

function cleaned(value: unknown, field: string, open: OpenInputs): unknown {
  if (typeof value === 'string') return withoutSecrets(value);
  if (typeof value !== 'object' || value === null) return value;
  if (field === 'metadata' && !Array.isArray(value)) return metadataCleaned(value, open);
  // Also those of pod templates.
  if (field === 'annotations' && !Array.isArray(value)) return keptAnnotations(value);
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
