/** The kinds we read or write, by the name `kubectl api-resources` gives them. */
import type { ResourceRef } from './resource.ts';

export const PODS = row('', 'v1', 'pods', 'Pod', true);
export const NODES = row('', 'v1', 'nodes', 'Node', false);
export const NAMESPACES = row('', 'v1', 'namespaces', 'Namespace', false);
export const SERVICES = row('', 'v1', 'services', 'Service', true);
export const CONFIG_MAPS = row('', 'v1', 'configmaps', 'ConfigMap', true);
export const SECRETS = row('', 'v1', 'secrets', 'Secret', true);
export const SERVICE_ACCOUNTS = row('', 'v1', 'serviceaccounts', 'ServiceAccount', true);
export const PERSISTENT_VOLUMES = row('', 'v1', 'persistentvolumes', 'PersistentVolume', false);
export const PERSISTENT_VOLUME_CLAIMS = row(
  '',
  'v1',
  'persistentvolumeclaims',
  'PersistentVolumeClaim',
  true,
);
export const EVENTS = row('', 'v1', 'events', 'Event', true);
export const POD_TEMPLATES = row('', 'v1', 'podtemplates', 'PodTemplate', true);
export const REPLICATION_CONTROLLERS = row('', 'v1', 'replicationcontrollers', 'ReplicationController', true);
export const LIMIT_RANGES = row('', 'v1', 'limitranges', 'LimitRange', true);
export const RESOURCE_QUOTAS = row('', 'v1', 'resourcequotas', 'ResourceQuota', true);

export const DEPLOYMENTS = row('apps', 'v1', 'deployments', 'Deployment', true);
export const REPLICA_SETS = row('apps', 'v1', 'replicasets', 'ReplicaSet', true);
export const STATEFUL_SETS = row('apps', 'v1', 'statefulsets', 'StatefulSet', true);
export const DAEMON_SETS = row('apps', 'v1', 'daemonsets', 'DaemonSet', true);
export const CONTROLLER_REVISIONS = row('apps', 'v1', 'controllerrevisions', 'ControllerRevision', true);
export const JOBS = row('batch', 'v1', 'jobs', 'Job', true);
export const CRON_JOBS = row('batch', 'v1', 'cronjobs', 'CronJob', true);
export const POD_DISRUPTION_BUDGETS = row(
  'policy',
  'v1',
  'poddisruptionbudgets',
  'PodDisruptionBudget',
  true,
);

export const STORAGE_CLASSES = row('storage.k8s.io', 'v1', 'storageclasses', 'StorageClass', false);
export const CSI_NODES = row('storage.k8s.io', 'v1', 'csinodes', 'CSINode', false);
export const CSI_DRIVERS = row('storage.k8s.io', 'v1', 'csidrivers', 'CSIDriver', false);
export const VOLUME_ATTACHMENTS = row('storage.k8s.io', 'v1', 'volumeattachments', 'VolumeAttachment', false);

export const LEASES = row('coordination.k8s.io', 'v1', 'leases', 'Lease', true);
export const PRIORITY_CLASSES = row('scheduling.k8s.io', 'v1', 'priorityclasses', 'PriorityClass', false);
export const RUNTIME_CLASSES = row('node.k8s.io', 'v1', 'runtimeclasses', 'RuntimeClass', false);
export const ENDPOINT_SLICES = row('discovery.k8s.io', 'v1', 'endpointslices', 'EndpointSlice', true);
export const CERTIFICATE_SIGNING_REQUESTS = row(
  'certificates.k8s.io',
  'v1',
  'certificatesigningrequests',
  'CertificateSigningRequest',
  false,
);
export const ROLES = row('rbac.authorization.k8s.io', 'v1', 'roles', 'Role', true);
export const ROLE_BINDINGS = row('rbac.authorization.k8s.io', 'v1', 'rolebindings', 'RoleBinding', true);
export const CLUSTER_ROLES = row('rbac.authorization.k8s.io', 'v1', 'clusterroles', 'ClusterRole', false);
export const CLUSTER_ROLE_BINDINGS = row(
  'rbac.authorization.k8s.io',
  'v1',
  'clusterrolebindings',
  'ClusterRoleBinding',
  false,
);
export const TOKEN_REVIEWS = row('authentication.k8s.io', 'v1', 'tokenreviews', 'TokenReview', false);
export const SELF_SUBJECT_ACCESS_REVIEWS = row(
  'authorization.k8s.io',
  'v1',
  'selfsubjectaccessreviews',
  'SelfSubjectAccessReview',
  false,
);
export const CUSTOM_RESOURCE_DEFINITIONS = row(
  'apiextensions.k8s.io',
  'v1',
  'customresourcedefinitions',
  'CustomResourceDefinition',
  false,
);
export const RESOURCE_CLAIMS = row('resource.k8s.io', 'v1', 'resourceclaims', 'ResourceClaim', true);
export const RESOURCE_SLICES = row('resource.k8s.io', 'v1', 'resourceslices', 'ResourceSlice', false);
export const DEVICE_CLASSES = row('resource.k8s.io', 'v1', 'deviceclasses', 'DeviceClass', false);

export const NODE_POOLS = row('karpenter.sh', 'v1', 'nodepools', 'NodePool', false);
export const NODE_CLAIMS = row('karpenter.sh', 'v1', 'nodeclaims', 'NodeClaim', false);
export const NODE_OVERLAYS = row('karpenter.sh', 'v1alpha1', 'nodeoverlays', 'NodeOverlay', false);
export const CAPACITY_BUFFERS = row(
  'autoscaling.x-k8s.io',
  'v1beta1',
  'capacitybuffers',
  'CapacityBuffer',
  true,
);
export const AKS_NODE_CLASSES = row(
  'karpenter.azure.com',
  'v1beta1',
  'aksnodeclasses',
  'AKSNodeClass',
  false,
);
export const EC2_NODE_CLASSES = row('karpenter.k8s.aws', 'v1', 'ec2nodeclasses', 'EC2NodeClass', false);

function row(group: string, version: string, plural: string, kind: string, namespaced: boolean): ResourceRef {
  return { group, version, plural, kind, namespaced };
}
