/** AWS: images, instance types, offerings and prices, from what EC2's API describes. */
export * from './images/index.ts';
export * from './instance-types/index.ts';
export * from './node-class/index.ts';
export * from './offerings/index.ts';
export * from './prices/index.ts';
