/**
 * Which columns a built-in kind shows in a Table. A kind without a row here shows its name and when it
 * was created, as the real server does.
 */
import type { PrinterColumn } from '../../resource.ts';
import { AUTOSCALER_COLUMNS } from './autoscalers.ts';
import * as cluster from './cluster.ts';
import { DEFAULT_COLUMNS } from './column.ts';
import * as network from './network.ts';
import { POD_COLUMNS } from './pods.ts';
import * as storage from './storage.ts';
import * as workloads from './workloads.ts';

export function builtinColumns(group: string, kind: string): readonly PrinterColumn[] {
  return BY_KIND.get(group === '' ? kind : `${kind}.${group}`) ?? DEFAULT_COLUMNS;
}

// ---------------------------------------------------------------------------------------------------

const BY_KIND: ReadonlyMap<string, readonly PrinterColumn[]> = new Map(
  Object.entries({
    ConfigMap: cluster.CONFIG_MAP_COLUMNS,
    Endpoints: network.ENDPOINTS_COLUMNS,
    Event: cluster.EVENT_COLUMNS,
    Namespace: cluster.NAMESPACE_COLUMNS,
    Node: cluster.NODE_COLUMNS,
    PersistentVolume: storage.PERSISTENT_VOLUME_COLUMNS,
    PersistentVolumeClaim: storage.PERSISTENT_VOLUME_CLAIM_COLUMNS,
    Pod: POD_COLUMNS,
    PodTemplate: workloads.POD_TEMPLATE_COLUMNS,
    ReplicationController: workloads.REPLICATION_CONTROLLER_COLUMNS,
    ResourceQuota: cluster.RESOURCE_QUOTA_COLUMNS,
    Secret: cluster.SECRET_COLUMNS,
    Service: network.SERVICE_COLUMNS,
    ServiceAccount: cluster.NAME_AND_AGE,
    'ControllerRevision.apps': workloads.CONTROLLER_REVISION_COLUMNS,
    'DaemonSet.apps': workloads.DAEMON_SET_COLUMNS,
    'Deployment.apps': workloads.DEPLOYMENT_COLUMNS,
    'ReplicaSet.apps': workloads.REPLICA_SET_COLUMNS,
    'StatefulSet.apps': workloads.STATEFUL_SET_COLUMNS,
    'HorizontalPodAutoscaler.autoscaling': AUTOSCALER_COLUMNS,
    'CronJob.batch': workloads.CRON_JOB_COLUMNS,
    'Job.batch': workloads.JOB_COLUMNS,
    'CertificateSigningRequest.certificates.k8s.io': cluster.CERTIFICATE_REQUEST_COLUMNS,
    'ClusterRoleBinding.rbac.authorization.k8s.io': cluster.ROLE_BINDING_COLUMNS,
    'RoleBinding.rbac.authorization.k8s.io': cluster.ROLE_BINDING_COLUMNS,
    'CSIDriver.storage.k8s.io': storage.CSI_DRIVER_COLUMNS,
    'CSINode.storage.k8s.io': storage.CSI_NODE_COLUMNS,
    'EndpointSlice.discovery.k8s.io': network.ENDPOINT_SLICE_COLUMNS,
    'Event.events.k8s.io': cluster.EVENT_COLUMNS,
    'Ingress.networking.k8s.io': network.INGRESS_COLUMNS,
    'Lease.coordination.k8s.io': cluster.LEASE_COLUMNS,
    'NetworkPolicy.networking.k8s.io': network.NETWORK_POLICY_COLUMNS,
    'PodDisruptionBudget.policy': workloads.DISRUPTION_BUDGET_COLUMNS,
    'PriorityClass.scheduling.k8s.io': cluster.PRIORITY_CLASS_COLUMNS,
    'RuntimeClass.node.k8s.io': cluster.RUNTIME_CLASS_COLUMNS,
    'StorageClass.storage.k8s.io': storage.STORAGE_CLASS_COLUMNS,
    'VolumeAttachment.storage.k8s.io': storage.VOLUME_ATTACHMENT_COLUMNS,
    'VolumeAttributesClass.storage.k8s.io': storage.VOLUME_ATTRIBUTES_CLASS_COLUMNS,
  }),
);
