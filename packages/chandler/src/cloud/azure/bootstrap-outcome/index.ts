/** The menu: what machines on Azure say about becoming nodes. */

export { type ExtensionSaid, extensionSaid, readExtension } from './extension.ts';
export { failureOf, type Told } from './failure.ts';
export { type BootstrapReaderOptions, bootstrapReader } from './reader.ts';
export { SERIAL_TAIL_BYTES, type SerialLog, SerialLogs, tailOf } from './serial-log.ts';
