export { AzureSizes } from './catalogue/size-catalogue.ts';
export { Byok } from './cluster/byok.ts';
export { AKS_STORAGE_CLASSES, DISK_DRIVER, FILE_DRIVER } from './cluster/storage-classes.table.ts';
export {
  type ControllerEnvironment,
  type ControllerFiles,
  controllerEnvironment,
  filesIn,
  removeControllerFiles,
  writeControllerFiles,
} from './controller-files.ts';
export { FAULTS } from './faults/catalogue.table.ts';
export { dropsValueAt } from './faults/dropped-values.ts';
export { readFaultFlags } from './faults/fault-flags.ts';
export { AKS_AGENT_TAINTS } from './guest/agent-taints.table.ts';
export {
  type AzureEnvironment,
  type AzureOptions,
  KUBELET_CLIENT_ID,
  type RunningAzure,
  startAzure,
} from './simulated-azure.ts';
