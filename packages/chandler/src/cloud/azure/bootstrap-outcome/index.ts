/** Entry point: the bootstrap results of VMs on Azure. */

export { type ExtensionState, extensionStateOf, readExtension } from './extension.ts';
export { type BootstrapReport, failureOf } from './failure.ts';
export { type BootstrapReaderOptions, bootstrapReader } from './reader.ts';
export { SERIAL_TAIL_BYTES, type SerialLog, SerialLogs, tailOf } from './serial-log.ts';
