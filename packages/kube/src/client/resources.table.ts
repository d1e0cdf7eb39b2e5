/** The built-in kinds that controllers read or write, by the name `kubectl api-resources` gives them. */
import type { ResourceRef } from './resource.ts';

export const PODS = resourceRef('', 'v1', 'pods', 'Pod', true);
export const NODES = resourceRef('', 'v1', 'nodes', 'Node', false);
export const NAMESPACES = resourceRef('', 'v1', 'namespaces', 'Namespace', false);
export const SERVICES = resourceRef('', 'v1', 'services', 'Service', true);
export const CONFIG_MAPS = resourceRef('', 'v1', 'configmaps', 'ConfigMap', true);
export const SECRETS = resourceRef('', 'v1', 'secrets', 'Secret', true);
export const SERVICE_ACCOUNTS = resourceRef('', 'v1', 'serviceaccounts', 'ServiceAccount', true);
export const PERSISTENT_VOLUMES = resourceRef('', 'v1', 'persistentvolumes', 'PersistentVolume', false);
export const PERSISTENT_VOLUME_CLAIMS = resourceRef(
  '',
  'v1',
  'persistentvolumeclaims',
  'PersistentVolumeClaim',
  true,
);
export const EVENTS = resourceRef('', 'v1', 'events', 'Event', true);
export const POD_TEMPLATES = resourceRef('', 'v1', 'podtemplates', 'PodTemplate', true);
export const REPLICATION_CONTROLLERS = resourceRef(
  '',
  'v1',
  'replicationcontrollers',
  'ReplicationController',
  true,
);
export const LIMIT_RANGES = resourceRef('', 'v1', 'limitranges', 'LimitRange', true);
export const RESOURCE_QUOTAS = resourceRef('', 'v1', 'resourcequotas', 'ResourceQuota', true);

export const DEPLOYMENTS = resourceRef('apps', 'v1', 'deployments', 'Deployment', true);
export const REPLICA_SETS = resourceRef('apps', 'v1', 'replicasets', 'ReplicaSet', true);
export const STATEFUL_SETS = resourceRef('apps', 'v1', 'statefulsets', 'StatefulSet', true);
export const DAEMON_SETS = resourceRef('apps', 'v1', 'daemonsets', 'DaemonSet', true);
export const CONTROLLER_REVISIONS = resourceRef(
  'apps',
  'v1',
  'controllerrevisions',
  'ControllerRevision',
  true,
);
export const JOBS = resourceRef('batch', 'v1', 'jobs', 'Job', true);
export const CRON_JOBS = resourceRef('batch', 'v1', 'cronjobs', 'CronJob', true);
export const POD_DISRUPTION_BUDGETS = resourceRef(
  'policy',
  'v1',
  'poddisruptionbudgets',
  'PodDisruptionBudget',
  true,
);

export const STORAGE_CLASSES = resourceRef('storage.k8s.io', 'v1', 'storageclasses', 'StorageClass', false);
export const CSI_NODES = resourceRef('storage.k8s.io', 'v1', 'csinodes', 'CSINode', false);
export const CSI_DRIVERS = resourceRef('storage.k8s.io', 'v1', 'csidrivers', 'CSIDriver', false);
export const VOLUME_ATTACHMENTS = resourceRef(
  'storage.k8s.io',
  'v1',
  'volumeattachments',
  'VolumeAttachment',
  false,
);

export const LEASES = resourceRef('coordination.k8s.io', 'v1', 'leases', 'Lease', true);
export const PRIORITY_CLASSES = resourceRef(
  'scheduling.k8s.io',
  'v1',
  'priorityclasses',
  'PriorityClass',
  false,
);
export const RUNTIME_CLASSES = resourceRef('node.k8s.io', 'v1', 'runtimeclasses', 'RuntimeClass', false);
export const ENDPOINT_SLICES = resourceRef('discovery.k8s.io', 'v1', 'endpointslices', 'EndpointSlice', true);
export const CERTIFICATE_SIGNING_REQUESTS = resourceRef(
  'certificates.k8s.io',
  'v1',
  'certificatesigningrequests',
  'CertificateSigningRequest',
  false,
);
export const ROLES = resourceRef('rbac.authorization.k8s.io', 'v1', 'roles', 'Role', true);
export const ROLE_BINDINGS = resourceRef(
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
export const RESOURCE_CLAIMS = resourceRef('resource.k8s.io', 'v1', 'resourceclaims', 'ResourceClaim', true);
export const RESOURCE_SLICES = resourceRef('resource.k8s.io', 'v1', 'resourceslices', 'ResourceSlice', false);
export const DEVICE_CLASSES = resourceRef('resource.k8s.io', 'v1', 'deviceclasses', 'DeviceClass', false);

/** A kind of this table, or one that a program registers beside it. */
export function resourceRef(
  group: string,
  version: string,
  plural: string,
  kind: string,
  namespaced: boolean,
): ResourceRef {
  return { group, version, plural, kind, namespaced };
}
