/** All tables of causes for one cloud: its own, and the general ones. */
import type { CauseTable } from '../../causes/index.ts';
import type { CloudDiagnosis } from '../../cloud/index.ts';

import { BOOT } from './boot.ts';
import { CLOUD_REFUSALS } from './cloud-api.ts';
import { configuration } from './configuration.ts';
import { CONTAINERS } from './containers.ts';
import { IMAGES } from './images.ts';
import { LEAVING } from './leaving.ts';
import { NODES } from './nodes.ts';
import { PLANNING } from './planning.ts';
import { PROBES } from './probes.ts';
import { REGISTRATION } from './registration.ts';
import { SCHEDULING } from './scheduling.ts';
import { SILENT_PODS } from './silent-pods.ts';
import { VOLUMES } from './volumes.ts';

/** For `findCauses` and for the documentation. */
export function causesOf(cloud: Pick<CloudDiagnosis, 'causes' | 'explained'>): readonly CauseTable[] {
  return [
    ...cloud.causes,
    {
      name: 'configuration',
      about: 'the controller, its options, NodePools and node classes.',
      causes: configuration(cloud.explained),
    },
    { name: 'cloud', about: 'how any cloud refuses a launch.', causes: CLOUD_REFUSALS },
    { name: 'boot', about: 'the VM and its kubelet, from the serial log.', causes: BOOT },
    { name: 'registration', about: 'from a running VM to a Node.', causes: REGISTRATION },
    { name: 'nodes', about: 'from a registered Node to a usable one.', causes: NODES },
    { name: 'scheduling', about: 'why the pod is unschedulable.', causes: SCHEDULING },
    { name: 'planning', about: 'what the controller refuses before it plans.', causes: PLANNING },
    { name: 'deletion', about: 'nodes and pods that do not finish terminating.', causes: LEAVING },
    { name: 'volumes and pod network', about: 'between node and container.', causes: VOLUMES },
    { name: 'images', about: 'pulling images.', causes: IMAGES },
    { name: 'containers', about: 'containers that do not start or do not keep running.', causes: CONTAINERS },
    { name: 'probes', about: 'containers that do not become ready.', causes: PROBES },
    {
      name: 'pods without events',
      about: 'pods that are not ready, and no event says why.',
      causes: SILENT_PODS,
    },
  ];
}
