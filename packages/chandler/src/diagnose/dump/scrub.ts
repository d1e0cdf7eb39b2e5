/**
 * Removes from objects what must not leave the cluster in a dump: values of ConfigMaps and of environment variables except
 * options of the controller that are not secret, values of annotations except those of Karpenter and a few of Kubernetes,
 * and strings in fields with the name of a secret. In the remaining texts, secrets that can be recognised are redacted.
 * Objects need not say their kind, because items of a list do not.
 */
import type { KubeObject } from '@chandler/kube';
import { HIDDEN, isSecretName, withoutSecrets } from '@chandler/kube';
import { withoutContainerSecrets } from '../../causes/index.ts';
import { CLOUD_FLAG, CLOUD_VARIABLE } from '../../cloud/registry.ts';
import { envNames, OBSERVE_FLAG, type OptionRow, type OptionTable } from '../../settings/index.ts';

import { hasOutput } from '../evidence/events.ts';
import { readKept } from '../kept-journeys.ts';

/** Returns a copy without secrets. */
export type Scrub = <T extends KubeObject>(object: T) => T;

/** Makes copies that may be shown to others. @param options of the controller: those that are no secrets are kept. */
export function scrubber(options: OptionTable): Scrub {
  const open = openInputs(options);
  return (object) => scrubbed(object, open);
}

// ---------------------------------------------------------------------------------------------------

/** Variables, keys of its ConfigMap and flags that name options of the controller and hold no secret. */
interface OpenInputs {
  readonly variables: ReadonlySet<string>;
  readonly settings: ReadonlySet<string>;
  readonly flags: ReadonlySet<string>;
}

function openInputs(options: OptionTable): OpenInputs {
  const rows = (Object.values(options) as readonly OptionRow[]).filter(({ secret }) => secret !== true);
  return {
    variables: new Set([CLOUD_VARIABLE, ...rows.flatMap((row) => envNames(row))]),
    settings: new Set(rows.flatMap(({ settingsKey = [] }) => settingsKey)),
    flags: new Set([`--${CLOUD_FLAG}`, OBSERVE_FLAG, ...rows.map(({ flag }) => `--${flag}`)]),
  };
}

function scrubbed<T extends KubeObject>(object: T, open: OpenInputs): T {
  const { managedFields, ...metadata } = object.metadata;
  const { data, binaryData, ...rest } = withoutOutput(withoutImages(object));
  return {
    ...(cleaned({ ...rest, metadata: { ...metadata, ...changesOf(object, managedFields) } }, '', open) as T),
    ...(data === undefined ? {} : { data: openData(data, open) }),
    ...(binaryData === undefined ? {} : { binaryData: openData(binaryData, open) }),
  };
}

/** When the data of a ConfigMap was changed, and nothing else of who changed what: settings take effect without a rollout. */
function changesOf(
  object: KubeObject,
  managedFields: KubeObject['metadata']['managedFields'] = [],
): Pick<KubeObject['metadata'], 'managedFields'> {
  if (object['data'] === undefined) return {};
  const changes = managedFields.filter(({ fieldsV1 }) => fieldsV1 !== undefined && 'f:data' in fieldsV1);
  if (changes.length === 0) return {};
  return {
    managedFields: changes.map(({ operation, time }) => ({
      ...(operation === undefined ? {} : { operation }),
      ...(time === undefined ? {} : { time }),
      fieldsV1: { 'f:data': {} },
    })),
  };
}

/** Every image on a node, with all its names: most of the size of a Node, and no cause reads it. */
function withoutImages(object: KubeObject): KubeObject {
  const status = object['status'];
  if (typeof status !== 'object' || status === null || !('images' in status)) return object;
  const { images: _, ...rest } = status;
  return { ...object, status: rest };
}

/** The message of an event about a probe or a hook quotes what its command printed. */
function withoutOutput(object: KubeObject): KubeObject {
  const { involvedObject, reason, message } = object as Readonly<Record<string, unknown>>;
  if (involvedObject === undefined || typeof message !== 'string' || !hasOutput(String(reason)))
    return object;
  return { ...object, message: withoutContainerSecrets(message) };
}

/** Of a ConfigMap: options that are no secrets, and the failed claims that the controller keeps. */
function openData(data: unknown, open: OpenInputs): unknown {
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => {
      if (typeof value !== 'string') return [key, HIDDEN];
      if (open.settings.has(key)) return [key, withoutSecrets(value)];
      const isClaim = readKept(value) !== undefined;
      return [key, isClaim ? JSON.stringify(cleaned(JSON.parse(value), '', open)) : HIDDEN];
    }),
  );
}

/**
 * Annotations of which the values are kept, by the part before the slash. Values of all others are hidden: tools keep copies
 * of whole objects in them, as JSON or compressed (kubectl, kapp, Rancher, Helm), with environment variables and arguments.
 */
const OPEN_ANNOTATIONS: ReadonlySet<string> = new Set([
  'chandler.sh',
  'cluster-autoscaler.kubernetes.io',
  'compatibility.karpenter.sh',
  // Of Deployments and ReplicaSets: numbers.
  'deployment.kubernetes.io',
  'node.alpha.kubernetes.io',
  'node.kubernetes.io',
  'pv.kubernetes.io',
  'scheduler.alpha.kubernetes.io',
  'storageclass.beta.kubernetes.io',
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
      return [name, isOpen && typeof value === 'string' ? cleanedText(value, name) : HIDDEN];
    }),
  );
}

const PRINTED: ReadonlySet<string> = new Set(['terminated', 'waiting']);

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

/** Maps whose names are labels or resources: selectors match by them, and quantities are compared. */
const OPEN_MAPS: ReadonlySet<string> = new Set([
  'allocatable',
  'allocatedResources',
  'capacity',
  'labels',
  'limits',
  'matchLabels',
  'nodeSelector',
  'overhead',
  'requests',
  'selector',
]);

/** The `key` of taints, requirements and references names something. */
function cleanedText(text: string, field: string): string {
  return field.toLowerCase() !== 'key' && isSecretName(field) ? HIDDEN : withoutSecrets(text);
}

function cleaned(value: unknown, field: string, open: OpenInputs): unknown {
  if (typeof value === 'string') return cleanedText(value, field);
  if (typeof value !== 'object' || value === null) return value;
  if (field === 'metadata' && !Array.isArray(value)) return metadataCleaned(value, open);
  // Also those of pod templates.
  if (field === 'annotations' && !Array.isArray(value)) return keptAnnotations(value);
  if (field === 'args' && Array.isArray(value)) return openArguments(value, open);
  if (HIDDEN_FIELDS.has(field)) return Array.isArray(value) ? [HIDDEN] : {};
  if (Array.isArray(value))
    return value.map((each) => {
      if (typeof each === 'string') return cleanedText(each, field);
      return field === 'env' ? variable(each, open) : cleaned(each, '', open);
    });
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      if (typeof each === 'string' && OPEN_MAPS.has(field)) return [name, withoutSecrets(each)];
      // Of a container that ended, it may be the end of its log; of one that cannot be started, it quotes its command.
      const isPrinted = typeof each === 'string' && PRINTED.has(field) && name === 'message';
      return [name, isPrinted ? withoutContainerSecrets(each) : cleaned(each, name, open)];
    }),
  );
}

function variable(each: unknown, open: OpenInputs): unknown {
  // Of a custom resource it may be anything.
  if (typeof each !== 'object' || each === null) return each;
  const { name, value, ...rest } = each as { name?: string; value?: string };
  if (value === undefined) return cleaned(each, '', open);
  const isOpen = open.variables.has(name ?? '');
  return { name, ...rest, value: isOpen ? withoutSecrets(value) : value === '' ? '' : HIDDEN };
}

function openArguments(args: readonly unknown[], open: OpenInputs): readonly string[] {
  return args.map((each, index) => {
    const text = String(each);
    const [flag] = /^--[\w.-]+/.exec(text) ?? [];
    if (flag !== undefined) {
      if (text === flag) return flag;
      const isOpen = open.flags.has(flag) && text[flag.length] === '=';
      return isOpen ? withoutSecrets(text) : `${flag}=${HIDDEN}`;
    }
    const before = String(args[index - 1] ?? '');
    return open.flags.has(before) ? withoutSecrets(text) : HIDDEN;
  });
}
