export {
  type Called,
  COMPUTE,
  cseBody,
  nicBody,
  type TestArm,
  testArmOf,
  type VmChange,
  vmBody,
} from './arm-server.fixture.ts';
export { type ArmServer, type ArmServerOptions, startArmServer } from './arm-server.ts';
export { SIZE_FAMILIES } from './catalogue/families.table.ts';
export { FIRST_VERSIONS } from './catalogue/image-definitions.table.ts';
export { COMMUNITY_GALLERIES } from './catalogue/image-gallery.ts';
export { type CatalogueOptions, createCatalogue } from './catalogue/index.ts';
export type { SizeFamily } from './catalogue/size-family.ts';
export { anAzure, TestAzure } from './cluster/azure.fixture.ts';
export type { ByokOptions } from './cluster/byok.ts';
export { type PlaygroundAzure, type PlaygroundAzureOptions, playgroundAzure } from './cluster/index.ts';
export { FAULTS } from './faults/catalogue.table.ts';
export type { Fault, FaultRegister, FaultSpec } from './faults/fault.ts';
export { Faults } from './faults/faults.ts';
export { parseFault } from './faults/parse-fault.ts';
export { modifiedByPolicy } from './faults/policy.ts';
export { ensureToken } from './guest/bootstrap-tokens.ts';
export { nodeBootstrappingRoutes } from './guest/node-bootstrapping.ts';
export { readScript } from './guest/shell-script.ts';
export { startVmGuests, type VmGuests, type VmGuestsOptions } from './guest/vm-guests.ts';
export { clusterSubnetId } from './network/cluster-network.ts';
export type { ArmResource } from './store/resource.ts';
export type { Call } from './wire/call-log.ts';
