/** The menu: what the serial log of a VM says about an operating system that does not start. */
export { BOOT_COMPLETED, BOOT_LINES, type BootLineKind, type BootLineRow } from './boot-lines.table.ts';
export * from './decisive-boot-line.ts';
export { isOfNode, ownDisks } from './own-disks.ts';
