/** The options of `chandler check` that read a live cluster. */
import { SMOKE_OPTIONS } from './smoke-options.ts';

export const CHECK_CLUSTER_OPTIONS = {
  liveCluster: {
    flag: 'live-cluster',
    type: 'boolean',
    default: false,
    doc: 'Also read the cluster of the kubeconfig, and compare it with the files. It only reads; --rbac prints what',
  },
  rbac: {
    flag: 'rbac',
    type: 'boolean',
    default: false,
    doc: 'Print the ClusterRole that --live-cluster needs, and nothing else',
  },
  watch: {
    flag: 'watch',
    short: 'w',
    type: 'boolean',
    default: false,
    doc: 'Check the cluster again and again until it is stopped, and write each result to the ConfigMap of --config-map',
  },
  watchInterval: {
    flag: 'watch-interval',
    type: 'duration',
    default: 10 * 60_000,
    minimum: 60_000,
    doc: 'With --watch: the time between two checks',
  },
  configMap: {
    flag: 'config-map',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'NAMESPACE/NAME',
    doc: 'With --live-cluster or --watch: write the result to this ConfigMap in the cluster',
  },
  ...SMOKE_OPTIONS,
} as const;
