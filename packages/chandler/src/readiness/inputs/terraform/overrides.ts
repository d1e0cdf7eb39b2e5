/** Files of overrides (`override.tf`, `*_override.tf`): Terraform merges their blocks over those of the same name. */
import { posix } from 'node:path';
import type { HclAttribute, HclBlock, HclBody } from './hcl-syntax.ts';

export function isOverride(file: string): boolean {
  return /(^|_)override\.tf$/.test(posix.basename(file));
}

/** @param file of the block that is merged over the other: its attributes are there. */
export function overridden(under: HclBlock, over: HclBlock, file: string): HclBlock {
  const attributes = new Map<string, HclAttribute>(under.body.attributes);
  for (const [name, attribute] of over.body.attributes) attributes.set(name, { ...attribute, file });
  const replaced = new Set(over.body.blocks.map(({ type }) => type));
  const body: HclBody = {
    attributes,
    blocks: [...under.body.blocks.filter(({ type }) => !replaced.has(type)), ...over.body.blocks],
  };
  return { ...under, body };
}
