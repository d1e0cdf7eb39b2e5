/** What the scenario needs of a simulated cloud: how the chart is told of it, and what is running in it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KUBE_YAML, type KubeObject } from '@chandler/kube';
import { parse } from 'yaml';
import { chartOf } from './images.ts';

export type Values = Readonly<Record<string, unknown>>;

export interface InstallCloud {
  readonly name: 'azure' | 'aws';
  /** For `helm install`. */
  readonly values: Values;
  /** Objects that exist before: Secrets and ConfigMaps. */
  readonly objects: readonly KubeObject[];
  readonly nodeClass: KubeObject;
  readonly nodePool: KubeObject;
  /** IDs of the VMs or instances that are there, as in the provider ID of their NodeClaim. */
  instances(): readonly string[];
  stop(): Promise<void>;
}

/** The values of these variables of the controller, by the table of the chart; variables without a value are left out. */
export function valuesOf(cloud: 'azure' | 'aws', variables: Readonly<Record<string, string>>): Values {
  const table = parse(
    readFileSync(join(chartOf('own'), 'files', 'options.yaml'), 'utf8'),
    KUBE_YAML,
  ) as Readonly<
    Record<
      string,
      readonly { readonly path: string; readonly env: readonly string[]; readonly type: string }[]
    >
  >;
  const settings: Record<string, unknown> = {};
  for (const { path, env, type } of table[cloud]!) {
    const text = env.map((name) => variables[name]).find((value) => value !== undefined);
    const [group, key] = path.split('.');
    if (text === undefined || group !== 'settings' || key === undefined) continue;
    settings[key] = type === 'boolean' ? text === 'true' : text;
  }
  return settings;
}

/** The files of a ConfigMap as files of the controller. */
export function mounted(name: string, folder: string) {
  return {
    volume: { name, configMap: { name } },
    mount: { name, mountPath: folder, readOnly: true },
  };
}

/** The token of the ServiceAccount for the cloud, which a webhook of the cloud mounts in its own clusters. */
export function identityToken(audience: string, folder: string) {
  const name = 'identity-token';
  const sources = [{ serviceAccountToken: { audience, expirationSeconds: 3600, path: 'token' } }];
  return {
    file: `${folder}/token`,
    volume: { name, projected: { sources } },
    mount: { name, mountPath: folder, readOnly: true },
  };
}
