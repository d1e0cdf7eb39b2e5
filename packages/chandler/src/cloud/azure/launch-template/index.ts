/** The menu of the folder: what VM creation needs to know about a machine. */
export * from './bootstrap-input.ts';
export * from './launch-failure.ts';
export * from './launch-template.ts';
