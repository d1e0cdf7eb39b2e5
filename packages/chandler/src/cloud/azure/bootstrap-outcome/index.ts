/** Entry point: the bootstrap results of VMs on Azure. */

export { type ExtensionState, extensionStateOf, readExtension } from './extension.ts';
export { type BootstrapReport, failureOf } from './failure.ts';
export {
  type AzureBootstrapReader,
  type BootstrapReaderOptions,
  bootstrapReader,
  type FailureEvidence,
} from './reader.ts';
export { SERIAL_TAIL_BYTES, type SerialLog, SerialLogs, tailOf } from './serial-log.ts';
