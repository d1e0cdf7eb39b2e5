/** Entry point: what VM creation needs to know about a VM. */
export * from './bootstrap-input.ts';
export { nodeCloud } from './cloud-name.ts';
export * from './launch-failure.ts';
export * from './launch-template.ts';
