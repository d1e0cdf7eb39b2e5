/** The menu: what machines on Azure say about becoming nodes. */
export { type BootstrapReaderOptions, bootstrapReader } from './reader.ts';
export { type ExtensionSaid, extensionSaid, readExtension } from './extension.ts';
export { failureOf, type Told } from './failure.ts';
export { type SerialLog, SerialLogs, SERIAL_TAIL_BYTES } from './serial-log.ts';
