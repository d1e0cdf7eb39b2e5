/** Config files for tests: the smallest that works, changed key by key, and read with a machine called edge-01. */
import { SAMPLE_SUBSCRIPTION, SAMPLE_TENANT } from './config.fixture.ts';
import { type ConfigReading, readConfig, type Surroundings } from './read.ts';

export const CLUSTER_ID = `/subscriptions/${SAMPLE_SUBSCRIPTION}/resourceGroups/rg-cluster/providers/Microsoft.ContainerService/managedClusters/harbour`;
export const CLIENT_ID = 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee';

/** `{'node.maxPods': 30}` sets, `{'azure.tenantId': undefined}` takes away. Names with dots: `'node.labels|a.b/c'`. */
export type Changes = Readonly<Record<string, unknown>>;

export function minimalFile(changes: Changes = {}): Record<string, unknown> {
  const file: Record<string, unknown> = {
    azure: {
      subscriptionId: SAMPLE_SUBSCRIPTION,
      tenantId: SAMPLE_TENANT,
      targetCluster: { resourceId: CLUSTER_ID, location: 'westus2' },
    },
  };
  for (const [path, value] of Object.entries(changes)) {
    const [way = '', last] = path.split('|');
    const names = [...way.split('.'), ...(last === undefined ? [] : [last])];
    let object = file;
    for (const name of names.slice(0, -1)) {
      object[name] ??= {};
      object = object[name] as Record<string, unknown>;
    }
    if (value === undefined) delete object[names.at(-1)!];
    else object[names.at(-1)!] = value;
  }
  return file;
}

export function reading(
  file: Changes | string = {},
  surroundings: Partial<Surroundings> = {},
  mode = 0o644,
): ConfigReading {
  const text = typeof file === 'string' ? file : JSON.stringify(minimalFile(file), null, 2);
  return readConfig(
    { text, path: '/etc/aks-flex-node/config.json', mode },
    { hostname: 'edge-01', env: {}, readSecretFile: async () => undefined, ...surroundings },
  );
}

/** `line: message → suggestion`, one per problem; `accepted` if there is none. */
export function told(result: ConfigReading): string[] {
  if (result.ok) return ['accepted'];
  return result.problems.map(({ message, suggestion }) =>
    suggestion === undefined ? message : `${message} → ${suggestion}`,
  );
}

export function warned(result: ConfigReading): string[] {
  return result.warnings.map((warning) => warning.message);
}

export const PRINCIPAL = {
  'azure.servicePrincipal.tenantId': SAMPLE_TENANT,
  'azure.servicePrincipal.clientId': CLIENT_ID,
};
