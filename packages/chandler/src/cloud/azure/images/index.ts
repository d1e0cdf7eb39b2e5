/** Entry point: which image a node starts from. */
export * from './families.table.ts';
export * from './family.ts';
export * from './find-images.ts';
export * from './image-catalogue.ts';
export * from './image-id.ts';
export * from './image-selection.ts';
export * from './images-status.ts';
export * from './maintenance-window.ts';
export * from './versions.ts';
