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
  ...SMOKE_OPTIONS,
} as const;
