export { AzureSizes } from './catalogue/size-catalogue.ts';
export { Byok } from './cluster/byok.ts';
export { dropsValueAt } from './faults/dropped-values.ts';
export {
  type AzureOptions,
  type AzureSurroundings,
  KUBELET_CLIENT_ID,
  type RunningAzure,
  startAzure,
} from './machines/azure-playground.ts';
export {
  type ControllerFiles,
  type ControllerSurroundings,
  controllerEnvironment,
  filesIn,
  removeControllerFiles,
  writeControllerFiles,
} from './machines/controller-files.ts';
export { readFaultFlags } from './machines/fault-flags.ts';
