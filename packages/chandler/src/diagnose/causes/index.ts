/** All tables of causes for one cloud: its own, and the general ones. */
import type { CauseTable } from '../../causes/index.ts';
import type { CloudDiagnosis } from '../../cloud/index.ts';

import { BOOT } from './boot.ts';
import { CLOUD_REFUSALS } from './cloud-api.ts';
import { configuration } from './configuration.ts';
import { CONTAINERS } from './containers.ts';
import { DEAD_NODES } from './dead-nodes.ts';
import { FAILED_PODS } from './failed-pods.ts';
import { IMAGES } from './images.ts';
import { LEAVING } from './leaving.ts';
import { NODES } from './nodes.ts';
import { PLANNING } from './planning.ts';
import { PREEMPTION } from './preemption.ts';
import { PROBES } from './probes.ts';
import { REGISTRATION } from './registration.ts';
import { RESERVATIONS } from './reservations.ts';
import { SCHEDULING } from './scheduling.ts';
import { SILENT_PODS } from './silent-pods.ts';
import { VOLUMES } from './volumes.ts';
import { WORKLOADS } from './workloads.ts';

/** For `findCauses` and for the documentation. */
export function causesOf(cloud: Pick<CloudDiagnosis, 'causes' | 'explained'>): readonly CauseTable[] {
  return [
    ...cloud.causes,
    {
      name: 'configuration',
      about: 'the controller, its options, NodePools and node classes.',
      causes: configuration(cloud.explained),
    },
    { name: 'cloud', about: 'failed launches, on any cloud.', causes: CLOUD_REFUSALS },
    { name: 'boot', about: 'failures of a VM and its kubelet, as the serial log shows them.', causes: BOOT },
    {
      name: 'registration',
      about: 'VMs that run but do not register as Nodes.',
      causes: [...REGISTRATION, ...RESERVATIONS],
    },
    {
      name: 'nodes',
      about: 'Nodes that have registered but are not usable.',
      causes: [...NODES, ...DEAD_NODES],
    },
    {
      name: 'workloads',
      about: 'pods that Deployments, StatefulSets, DaemonSets, Jobs and CronJobs do not create.',
      causes: WORKLOADS,
    },
    { name: 'scheduling', about: 'why the pod is unschedulable.', causes: [...SCHEDULING, PREEMPTION] },
    {
      name: 'planning',
      about: 'pods and NodePools for which the controller plans no node.',
      causes: PLANNING,
    },
    { name: 'deletion', about: 'nodes and pods that do not finish terminating.', causes: LEAVING },
    {
      name: 'volumes and pod network',
      about: 'volumes and networks without which containers do not start.',
      causes: VOLUMES,
    },
    { name: 'images', about: 'images that cannot be pulled.', causes: IMAGES },
    { name: 'containers', about: 'containers that do not start or do not keep running.', causes: CONTAINERS },
    { name: 'failed pods', about: 'pods that failed as a whole.', causes: FAILED_PODS },
    { name: 'probes', about: 'containers that do not become ready.', causes: PROBES },
    {
      name: 'pods without events',
      about: 'pods that are not ready although no event says why.',
      causes: SILENT_PODS,
    },
  ];
}
