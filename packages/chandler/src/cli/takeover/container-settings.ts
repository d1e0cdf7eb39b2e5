/**
 * The options that the container of a Deployment sets, by its arguments and variables, as far as they can be known without reading a
 * Secret: values of secrets are never read, compared or printed.
 */
import { CONFIG_MAPS, type Container, type Deployment, type KubeClient, type Stored } from '@chandler/kube';
import type { CloudOptions } from '../../cloud/index.ts';
import {
  type Environment,
  envNames,
  GLOBAL_SETTINGS_NAME,
  OPERATOR_OPTIONS,
  type OptionTable,
  type ResolvedOptions,
  resolveOptions,
  type SettingsData,
} from '../../settings/index.ts';

export interface ContainerSettings {
  readonly resolved: ResolvedOptions;
  /** Names of options whose value comes from a Secret, a file or the pod itself. */
  readonly hidden: ReadonlySet<string>;
}

export interface SettingsRequest {
  readonly client: KubeClient;
  readonly deployment: Stored<Deployment>;
  readonly cloud: CloudOptions;
  /** The ConfigMap with settings counts: Chandler reads it, today's Karpenter does not. */
  readonly withConfigMap: boolean;
  readonly signal: AbortSignal;
}

export async function containerSettings(request: SettingsRequest): Promise<ContainerSettings> {
  const { client, deployment, cloud, signal } = request;
  const { namespace } = deployment.metadata;
  const [container] = deployment.spec.template.spec.containers;
  const table: OptionTable = { ...OPERATOR_OPTIONS, ...cloud.table };
  const known = container === undefined ? NOTHING : await environmentOf(client, namespace, container, signal);
  const configMap = request.withConfigMap
    ? await dataOf(client, namespace, GLOBAL_SETTINGS_NAME, signal)
    : undefined;
  const inputs = { args: container?.args ?? [], env: known.env, configMap, readFile: noFile };
  const resolved = resolveOptions(table, inputs, cloud.rules);
  const hidden = Object.entries(table).filter(
    ([name, row]) =>
      row.secret === true ||
      envNames(row).some((variable) => known.hidden.has(variable)) ||
      (known.hidesAny && resolved.values[name]?.source === 'hardcoded'),
  );
  return { resolved, hidden: new Set(hidden.map(([name]) => name)) };
}

// ---------------------------------------------------------------------------------------------------

interface KnownEnvironment {
  readonly env: Environment;
  readonly hidden: ReadonlySet<string>;
  /** Variables of a whole Secret: which ones is not known. */
  readonly hidesAny: boolean;
}

const NOTHING: KnownEnvironment = { env: {}, hidden: new Set(), hidesAny: false };

function noFile(): string {
  throw new Error('files of a container are not read');
}

interface SourceRef {
  readonly prefix?: string;
  readonly configMapRef?: { readonly name?: string };
  readonly secretRef?: object;
}

async function environmentOf(
  client: KubeClient,
  namespace: string,
  { env = [], envFrom = [] }: Container,
  signal: AbortSignal,
): Promise<KnownEnvironment> {
  const values: Record<string, string> = {};
  const hidden = new Set<string>();
  let hidesAny = false;
  for (const { prefix = '', configMapRef, secretRef } of envFrom as readonly SourceRef[]) {
    if (secretRef !== undefined) hidesAny = true;
    const data = await dataOf(client, namespace, configMapRef?.name, signal);
    for (const [key, value] of Object.entries(data ?? {})) values[`${prefix}${key}`] = value;
  }
  for (const { name, value, valueFrom } of env) {
    const { configMapKeyRef, fieldRef } = (valueFrom ?? {}) as {
      readonly configMapKeyRef?: { readonly name?: string; readonly key?: string };
      readonly fieldRef?: { readonly fieldPath?: string };
    };
    if (valueFrom === undefined) values[name] = value ?? '';
    else if (fieldRef?.fieldPath === 'metadata.namespace') values[name] = namespace;
    else if (configMapKeyRef !== undefined) {
      const data = await dataOf(client, namespace, configMapKeyRef.name, signal);
      const found = data?.[configMapKeyRef.key ?? ''];
      if (found !== undefined) values[name] = found;
    } else hidden.add(name);
  }
  return { env: values, hidden, hidesAny };
}

async function dataOf(
  client: KubeClient,
  namespace: string,
  name: string | undefined,
  signal: AbortSignal,
): Promise<SettingsData | undefined> {
  if (name === undefined) return undefined;
  const found = await client.find(CONFIG_MAPS, { namespace, name }, { signal });
  return found === undefined ? undefined : ((found['data'] ?? {}) as SettingsData);
}
