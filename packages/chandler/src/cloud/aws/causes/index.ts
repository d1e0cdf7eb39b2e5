/** Every table of causes that knows AWS, in the order of the layers. */
import type { CauseTable } from '../../../causes/index.ts';

import { BOOTSTRAP } from './bootstrap.ts';
import { CONTROLLER } from './controller.ts';
import { DENIED_CALLS, DENIED_CLASSES, DENIED_LAUNCHES, DENIED_STARTS } from './denied.ts';
import { INSTANCES } from './instances.ts';
import { JOIN } from './join.ts';
import { LAUNCH_FAILURES } from './launch-failures.ts';
import { LEAVING } from './leaving.ts';
import { NETWORK } from './network.ts';
import { NODE_CLASS } from './node-class.ts';
import { NODES } from './nodes.ts';
import { PODS } from './pods.ts';
import { ZONAL_SHIFT } from './zonal-shift.ts';

export const AWS_CAUSES: readonly CauseTable[] = [
  {
    name: 'controller on EKS',
    about: 'why the controller does not start on EKS.',
    causes: [...CONTROLLER, ...DENIED_STARTS],
  },
  {
    name: 'EC2NodeClass',
    about: 'why an EC2NodeClass is not Ready.',
    causes: [...NODE_CLASS, ...DENIED_CLASSES, ...DENIED_CALLS],
  },
  {
    name: 'AWS errors',
    about: 'why AWS refuses a launch: permissions, capacity, quotas, and what the EC2NodeClass names.',
    causes: [...LAUNCH_FAILURES, ...DENIED_LAUNCHES, ...ZONAL_SHIFT],
  },
  {
    name: 'EC2 instances',
    about: 'instances that EC2 terminated, or whose status checks fail.',
    causes: INSTANCES,
  },
  {
    name: 'bootstrap on EKS',
    about: 'what nodeadm, bootstrap.sh, cloud-init and Bottlerocket write to the console.',
    causes: BOOTSTRAP,
  },
  {
    name: 'joining EKS',
    about: 'instances that run and do not become nodes: access entries, roles, metadata, endpoint and CA.',
    causes: JOIN,
  },
  { name: 'network of EKS nodes', about: 'routes, addresses and security groups.', causes: NETWORK },
  {
    name: 'EKS nodes',
    about: 'nodes that registered and cannot be used, or cannot be terminated.',
    causes: [...NODES, ...LEAVING],
  },
  { name: 'pods on EKS', about: 'addresses, volumes, Windows and credentials of pods.', causes: PODS },
];
