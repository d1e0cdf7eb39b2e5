/** AWS: images, from what SSM and EC2's API describe. */
export * from './images/index.ts';
