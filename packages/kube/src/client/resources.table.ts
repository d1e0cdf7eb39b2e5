/** The built-in kinds that controllers read or write, by the name `kubectl api-resources` gives them. */
import type {
  ConfigMap,
  CoreEvent,
  CSINode,
  DaemonSet,
  Deployment,
  Job,
  Lease,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  PriorityClass,
  ReplicaSet,
  Secret,
  Service,
  StatefulSet,
  StorageClass,
  VolumeAttachment,
} from '../kinds/index.ts';
import type { KubeObject, NamespacedObject } from '../object.ts';
import type { ResourceRef } from './resource.ts';

export const PODS = resourceRef<Pod>('', 'v1', 'pods', 'Pod', true);
export const NODES = resourceRef<Node>('', 'v1', 'nodes', 'Node', false);
export const NAMESPACES = resourceRef('', 'v1', 'namespaces', 'Namespace', false);
export const SERVICES = resourceRef<Service>('', 'v1', 'services', 'Service', true);
export const CONFIG_MAPS = resourceRef<ConfigMap>('', 'v1', 'configmaps', 'ConfigMap', true);
export const SECRETS = resourceRef<Secret>('', 'v1', 'secrets', 'Secret', true);
export const SERVICE_ACCOUNTS = resourceRef<NamespacedObject>(
  '',
  'v1',
  'serviceaccounts',
  'ServiceAccount',
  true,
);
export const PERSISTENT_VOLUMES = resourceRef<PersistentVolume>(
  '',
  'v1',
  'persistentvolumes',
  'PersistentVolume',
  false,
);
export const PERSISTENT_VOLUME_CLAIMS = resourceRef<PersistentVolumeClaim>(
  '',
  'v1',
  'persistentvolumeclaims',
  'PersistentVolumeClaim',
  true,
);
export const EVENTS = resourceRef<CoreEvent>('', 'v1', 'events', 'Event', true);
export const POD_TEMPLATES = resourceRef<NamespacedObject>('', 'v1', 'podtemplates', 'PodTemplate', true);
export const REPLICATION_CONTROLLERS = resourceRef<NamespacedObject>(
  '',
  'v1',
  'replicationcontrollers',
  'ReplicationController',
  true,
);
export const LIMIT_RANGES = resourceRef<NamespacedObject>('', 'v1', 'limitranges', 'LimitRange', true);
export const RESOURCE_QUOTAS = resourceRef<NamespacedObject>(
  '',
  'v1',
  'resourcequotas',
  'ResourceQuota',
  true,
);

export const DEPLOYMENTS = resourceRef<Deployment>('apps', 'v1', 'deployments', 'Deployment', true);
export const REPLICA_SETS = resourceRef<ReplicaSet>('apps', 'v1', 'replicasets', 'ReplicaSet', true);
export const STATEFUL_SETS = resourceRef<StatefulSet>('apps', 'v1', 'statefulsets', 'StatefulSet', true);
export const DAEMON_SETS = resourceRef<DaemonSet>('apps', 'v1', 'daemonsets', 'DaemonSet', true);
export const CONTROLLER_REVISIONS = resourceRef<NamespacedObject>(
  'apps',
  'v1',
  'controllerrevisions',
  'ControllerRevision',
  true,
);
export const JOBS = resourceRef<Job>('batch', 'v1', 'jobs', 'Job', true);
export const CRON_JOBS = resourceRef<NamespacedObject>('batch', 'v1', 'cronjobs', 'CronJob', true);
export const POD_DISRUPTION_BUDGETS = resourceRef<PodDisruptionBudget>(
  'policy',
  'v1',
  'poddisruptionbudgets',
  'PodDisruptionBudget',
  true,
);

export const STORAGE_CLASSES = resourceRef<StorageClass>(
  'storage.k8s.io',
  'v1',
  'storageclasses',
  'StorageClass',
  false,
);
export const CSI_NODES = resourceRef<CSINode>('storage.k8s.io', 'v1', 'csinodes', 'CSINode', false);
export const CSI_DRIVERS = resourceRef('storage.k8s.io', 'v1', 'csidrivers', 'CSIDriver', false);
export const VOLUME_ATTACHMENTS = resourceRef<VolumeAttachment>(
  'storage.k8s.io',
  'v1',
  'volumeattachments',
  'VolumeAttachment',
  false,
);

export const LEASES = resourceRef<Lease>('coordination.k8s.io', 'v1', 'leases', 'Lease', true);
export const PRIORITY_CLASSES = resourceRef<PriorityClass>(
  'scheduling.k8s.io',
  'v1',
  'priorityclasses',
  'PriorityClass',
  false,
);
export const RUNTIME_CLASSES = resourceRef('node.k8s.io', 'v1', 'runtimeclasses', 'RuntimeClass', false);
export const ENDPOINT_SLICES = resourceRef<NamespacedObject>(
  'discovery.k8s.io',
  'v1',
  'endpointslices',
  'EndpointSlice',
  true,
);
export const CERTIFICATE_SIGNING_REQUESTS = resourceRef(
  'certificates.k8s.io',
  'v1',
  'certificatesigningrequests',
  'CertificateSigningRequest',
  false,
);
export const ROLES = resourceRef<NamespacedObject>('rbac.authorization.k8s.io', 'v1', 'roles', 'Role', true);
export const ROLE_BINDINGS = resourceRef<NamespacedObject>(
  'rbac.authorization.k8s.io',
  'v1',
  'rolebindings',
  'RoleBinding',
  true,
);
export const CLUSTER_ROLES = resourceRef(
  'rbac.authorization.k8s.io',
  'v1',
  'clusterroles',
  'ClusterRole',
  false,
);
export const CLUSTER_ROLE_BINDINGS = resourceRef(
  'rbac.authorization.k8s.io',
  'v1',
  'clusterrolebindings',
  'ClusterRoleBinding',
  false,
);
export const TOKEN_REVIEWS = resourceRef('authentication.k8s.io', 'v1', 'tokenreviews', 'TokenReview', false);
export const SELF_SUBJECT_ACCESS_REVIEWS = resourceRef(
  'authorization.k8s.io',
  'v1',
  'selfsubjectaccessreviews',
  'SelfSubjectAccessReview',
  false,
);
export const CUSTOM_RESOURCE_DEFINITIONS = resourceRef(
  'apiextensions.k8s.io',
  'v1',
  'customresourcedefinitions',
  'CustomResourceDefinition',
  false,
);
export const RESOURCE_CLAIMS = resourceRef<NamespacedObject>(
  'resource.k8s.io',
  'v1',
  'resourceclaims',
  'ResourceClaim',
  true,
);
export const RESOURCE_SLICES = resourceRef('resource.k8s.io', 'v1', 'resourceslices', 'ResourceSlice', false);
export const DEVICE_CLASSES = resourceRef('resource.k8s.io', 'v1', 'deviceclasses', 'DeviceClass', false);

/** A kind of this table, or one that a program registers beside it; `T` is how its objects look. */
export function resourceRef<T extends KubeObject = KubeObject>(
  group: string,
  version: string,
  plural: string,
  kind: string,
  namespaced: boolean,
): ResourceRef<T> {
  return { group, version, plural, kind, namespaced };
}
