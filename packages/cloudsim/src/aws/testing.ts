export {
  fleetParams,
  imageNamed,
  ownedTags,
  type RawResult,
  TestAws,
  templateParams,
  testAws,
} from './aws.fixture.ts';
export { INSTANCE_TYPE_ROWS, type InstanceTypeRow } from './catalogue/instance-types.table.ts';
export { EVENT_RULES } from './ec2/events.ts';
export { FAULTS } from './faults/catalogue.table.ts';
export type { Fault, FaultRegister, FaultSpec } from './faults/fault.ts';
export { Faults } from './faults/faults.ts';
export { parseFault } from './faults/parse-fault.ts';
export { type Machines, type MachinesOptions, startMachines } from './guest/machines.ts';
export { readUserData, type System } from './guest/user-data.ts';
export { NoAnswer } from './services/imds.ts';
export { addKey } from './services/kms.ts';
export type { AccessEntryType, ClusterRecord } from './store/cluster-record.ts';
export { addQueue, addRole, CLUSTER_GROUP_ID, NODE_GROUP_ID, subnetIdOf, VPC_ID } from './store/furnish.ts';
export type { InstanceRecord, InstanceState } from './store/records.ts';
export type { Call } from './wire/call-log.ts';
export { EC2_LIMITS } from './wire/throttle.ts';
