/**
 * The menu of the room: evidence, causes, the matcher, how findings are shown, and the tables that need no knowledge of
 * one cloud. Other owners bring theirs: a `CauseTable`, given to `findCauses` beside these.
 */
import type { CauseTable } from './cause.ts';
import { BOOT } from './rows/boot.ts';
import { CLOUD_REFUSALS, DISK_ENCRYPTION_REFUSED } from './rows/cloud-api.ts';
import { DISK_ENCRYPTION_CONFIGURATION } from './rows/configuration.ts';
import { CONTAINERS } from './rows/containers.ts';
import { IMAGES } from './rows/images.ts';
import { LEAVING } from './rows/leaving.ts';
import { NODES } from './rows/nodes.ts';
import { PROBES } from './rows/probes.ts';
import { CONFIGURATION } from './rows/readiness-of-classes.ts';
import { REGISTRATION } from './rows/registration.ts';
import { SCHEDULING } from './rows/scheduling.ts';
import { VALUE_LOST } from './rows/value-lost.ts';
import { VOLUMES } from './rows/volumes.ts';

export * from './cause.ts';
export { renderCausesDoc } from './causes-doc.ts';
export * from './evidence.ts';
export * from './evidence-set.ts';
export * from './layers.ts';
export * from './match.ts';
export { badContainers, failingPod, podIsWell, waitingPod } from './pod-state.ts';
export * from './print.ts';
export { firstLoss, type ValueLoss } from './rows/value-lost.ts';

/** In the order of the layers. */
export const COMMON_CAUSES: readonly CauseTable[] = [
  {
    name: 'disk encryption',
    about: 'which disk encryption set is configured, on its way to the machine, and refused.',
    causes: [...DISK_ENCRYPTION_CONFIGURATION, ...VALUE_LOST, ...DISK_ENCRYPTION_REFUSED],
  },
  { name: 'configuration', about: 'controller, options, pools and node classes.', causes: CONFIGURATION },
  { name: 'cloud', about: 'how any cloud says no.', causes: CLOUD_REFUSALS },
  { name: 'boot', about: 'the machine and its kubelet, from the serial log.', causes: BOOT },
  { name: 'registration', about: 'from a running machine to a Node.', causes: REGISTRATION },
  { name: 'nodes', about: 'from a Node to a usable one.', causes: NODES },
  { name: 'scheduling', about: 'why no node takes the pod.', causes: SCHEDULING },
  { name: 'leaving', about: 'nodes and pods that should go and stay.', causes: LEAVING },
  { name: 'volumes and pod network', about: 'between node and container.', causes: VOLUMES },
  { name: 'images', about: 'pulling images.', causes: IMAGES },
  { name: 'containers', about: 'starting, and staying up.', causes: CONTAINERS },
  { name: 'probes', about: 'being ready.', causes: PROBES },
];
export { lastLine } from './rows/log-lines.ts';
