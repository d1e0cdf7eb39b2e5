/** User data of AL2023: a MIME message with the user's parts, then the NodeConfig of the node, which nodeadm merges last. */
import { stringify } from 'yaml';
import type { JsonValue } from '../../api/index.ts';
import type { Sourced } from '../../settings/index.ts';
import type { RenderedVariable } from '../bootstrapper.ts';
import { labelsArgument } from './kubelet-arguments.ts';
import { NODE_CONFIG, partOf, writeMime } from './mime.ts';
import type { NodeSettings } from './node-settings.ts';
import { type FormattedUserData, UserDataError } from './user-data.ts';
import { NODE_CONFIG_KIND, NODE_CONFIG_VERSION, userParts } from './user-parts.ts';

export function nodeadmUserData(settings: NodeSettings): FormattedUserData {
  const own = userParts(settings.userData, 'nodeadm');
  const rows = configRows(settings);
  const spec: Record<string, unknown> = {};
  for (const { path, value } of rows) put(spec, path, value.value);
  const config = { apiVersion: NODE_CONFIG_VERSION, kind: NODE_CONFIG_KIND, spec };
  // nodeadm reads YAML 1.1, where `on`, `y` and `12:30` are no texts. In quotes they are, in every version.
  const yaml = stringify(config, {
    version: '1.1',
    lineWidth: 0,
    defaultStringType: 'QUOTE_DOUBLE',
    defaultKeyType: 'PLAIN',
  });
  const part = partOf(
    NODE_CONFIG,
    `# Generated for this node; it is merged over other NodeConfigs.\n${yaml}`,
  );
  return {
    text: writeMime([...own.parts, part]),
    values: [...own.values, ...rows.map(rendered)],
    warnings: own.warnings,
  };
}

// ---------------------------------------------------------------------------------------------------

interface ConfigRow {
  /** Below `spec`. */
  readonly path: readonly string[];
  readonly group: string;
  readonly value: Sourced<JsonValue>;
}

function configRows(settings: NodeSettings): readonly ConfigRow[] {
  const { clusterName, endpoint, caBundle, serviceCidr, instanceStorePolicy, kubelet, labels, taints } =
    settings;
  if (serviceCidr.value === '') {
    throw new UserDataError(
      'serviceCidrUnknown',
      serviceCidr.path || 'service CIDR of the cluster',
      'nodes of the image family AL2023 need the service CIDR of the cluster; allow the controller eks:DescribeCluster',
    );
  }
  const row = (path: string, group: string, value: Sourced<JsonValue>): ConfigRow => ({
    path: path.split('.'),
    group,
    value,
  });
  const labelList = labelsArgument(labels);
  return [
    row('cluster.name', 'cluster', clusterName),
    row('cluster.apiServerEndpoint', 'cluster', endpoint),
    ...(caBundle.value === '' ? [] : [row('cluster.certificateAuthority', 'cluster', caBundle)]),
    row('cluster.cidr', 'cluster', serviceCidr),
    ...(instanceStorePolicy.value === ''
      ? []
      : [row('instance.localStorage.strategy', 'storage', instanceStorePolicy)]),
    ...[...kubelet].map(([field, value]) => ({
      path: ['kubelet', 'config', field],
      group: 'kubelet',
      value,
    })),
    row('kubelet.config.registerWithTaints', 'node', {
      ...taints,
      value: taints.value.map(({ key, value, effect }) => ({
        key,
        ...(value === undefined || value === '' ? {} : { value }),
        effect,
      })),
    }),
    ...(labelList === '' ? [] : [row('kubelet.flags', 'node', { ...labels, value: [labelList] })]),
  ];
}

function put(target: Record<string, unknown>, path: readonly string[], value: JsonValue): void {
  const [key, ...rest] = path;
  if (rest.length === 0) {
    target[key!] = value;
    return;
  }
  target[key!] ??= {};
  put(target[key!] as Record<string, unknown>, rest, value);
}

function rendered({ path, group, value }: ConfigRow): RenderedVariable {
  return {
    name: `spec.${path.join('.')}`,
    group,
    value: typeof value.value === 'string' ? value.value : JSON.stringify(value.value),
    source: value.source,
    path: value.path,
    default: '',
  };
}
