/** Entry point: which image an EC2 instance starts from. */
export * from './alias.ts';
export * from './bottlerocket-version.ts';
export * from './choose-images.ts';
export {
  blockDeviceMappings,
  IMAGE_FAMILIES,
  type ImageFamilyRow,
  type ImageRequirement,
  type ImageVariant,
  type PublishedImage,
  VARIANT_REQUIREMENTS,
} from './image-families.table.ts';
export * from './image-queries.ts';
export * from './image-reader.ts';
