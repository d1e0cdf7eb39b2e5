/** Entry point: what VMs on Azure say about becoming nodes. */

export { type ExtensionState, extensionStateOf, readExtension } from './extension.ts';
export { type BootstrapReport, failureOf } from './failure.ts';
export { type BootstrapReaderOptions, bootstrapReader } from './reader.ts';
export { SERIAL_TAIL_BYTES, type SerialLog, SerialLogs, tailOf } from './serial-log.ts';
