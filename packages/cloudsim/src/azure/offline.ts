/** Azure as data, without its servers: for commands that read no cloud. */
export { AzureSizes } from './catalogue/size-catalogue.ts';
export { AKS_STORAGE_CLASSES } from './cluster/storage-classes.table.ts';
