/**
 * What is read of a live cluster, and nothing else: one row for each permission. The reader follows it, `check --rbac` prints it,
 * and a check whose kind could not be read names its row.
 */
import {
  CONFIG_MAPS,
  CRON_JOBS,
  CUSTOM_RESOURCE_DEFINITIONS,
  DAEMON_SETS,
  DEPLOYMENTS,
  EVENTS,
  NODES,
  PERSISTENT_VOLUMES,
  POD_DISRUPTION_BUDGETS,
  PODS,
  type ResourceRef,
  resourceRef,
  SERVICE_ACCOUNTS,
  STATEFUL_SETS,
  STORAGE_CLASSES,
} from '@chandler/kube';
import { AKS_NODE_CLASSES, EC2_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../../api/index.ts';

export interface ClusterRead {
  readonly resource: ResourceRef;
  readonly verb: 'list' | 'get';
  /** Of a `get` whose object is known: the role names it. */
  readonly key?: { readonly namespace: string; readonly name: string };
  /** Of a list: only objects with these fields. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Of a list that may be long: not more than this. That there are more is remembered. */
  readonly atMost?: number;
  /** Read for objects that another row found, not by itself. */
  readonly follows?: true;
  /** What it is for. */
  readonly use: string;
}

export const AWS_AUTH = { namespace: 'kube-system', name: 'aws-auth' } as const;
export const CNI_SETTINGS = { namespace: 'kube-system', name: 'amazon-vpc-cni' } as const;

export const FLOW_SCHEMAS = resourceRef(
  'flowcontrol.apiserver.k8s.io',
  'v1',
  'flowschemas',
  'FlowSchema',
  false,
);
export const APPLICATIONS = resourceRef('argoproj.io', 'v1alpha1', 'applications', 'Application', true);

export const CLUSTER_READS: readonly ClusterRead[] = [
  { resource: NODE_POOLS, verb: 'list', use: 'NodePools and their conditions' },
  { resource: NODE_CLAIMS, verb: 'list', use: 'NodeClaims that do not become nodes' },
  { resource: EC2_NODE_CLASSES, verb: 'list', use: 'node classes of EKS and their conditions' },
  { resource: AKS_NODE_CLASSES, verb: 'list', use: 'node classes of AKS and their conditions' },
  { resource: CUSTOM_RESOURCE_DEFINITIONS, verb: 'list', use: 'versions of the CRDs' },
  { resource: NODES, verb: 'list', use: 'nodes for the controller, and versions of kubelets' },
  { resource: DEPLOYMENTS, verb: 'list', use: 'the controller and workloads' },
  { resource: STATEFUL_SETS, verb: 'list', use: 'workloads' },
  { resource: DAEMON_SETS, verb: 'list', use: 'agents of nodes, such as the CNI' },
  { resource: CRON_JOBS, verb: 'list', use: 'workloads' },
  { resource: POD_DISRUPTION_BUDGETS, verb: 'list', use: 'what blocks evictions' },
  { resource: STORAGE_CLASSES, verb: 'list', use: 'provisioners of volumes' },
  { resource: PERSISTENT_VOLUMES, verb: 'list', use: 'zones of volumes' },
  { resource: FLOW_SCHEMAS, verb: 'list', use: 'the priority of requests of the controller' },
  { resource: APPLICATIONS, verb: 'list', use: 'Applications of Argo CD' },
  {
    resource: EVENTS,
    verb: 'list',
    fields: { type: 'Warning' },
    atMost: 5_000,
    use: 'permissions that the controller lacks',
  },
  { resource: CONFIG_MAPS, verb: 'get', key: AWS_AUTH, use: 'roles that may join the cluster' },
  { resource: CONFIG_MAPS, verb: 'get', key: CNI_SETTINGS, use: 'whether the CNI serves Windows nodes' },
  { resource: PODS, verb: 'list', follows: true, use: 'pods of the controller and of the cluster DNS' },
  {
    resource: SERVICE_ACCOUNTS,
    verb: 'get',
    follows: true,
    use: 'the role of the controller, of the CNI and of workloads that call AWS',
  },
];

/** As checks name what they need: `DaemonSet`, and `ConfigMap/aws-auth` where one object is read. */
export function readName({ resource, key }: ClusterRead): string {
  return key === undefined ? resource.kind : `${resource.kind}/${key.name}`;
}

/** The row of a kind. */
export function readOfKind(kind: string): ClusterRead | undefined {
  return CLUSTER_READS.find(({ resource }) => resource.kind === kind);
}
