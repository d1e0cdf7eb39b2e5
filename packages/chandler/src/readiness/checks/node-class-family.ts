/** AMI families of EC2NodeClasses, and their root devices. */
import type { Manifest } from '../inputs/inputs.ts';
import { itemsAt, textAt } from '../model/tree.ts';

export const ROOT_DEVICES: Readonly<Record<string, readonly string[]>> = {
  AL2: ['/dev/xvda'],
  AL2023: ['/dev/xvda'],
  Bottlerocket: ['/dev/xvda', '/dev/xvdb'],
  Windows2019: ['/dev/sda1'],
  Windows2022: ['/dev/sda1'],
  Windows2025: ['/dev/sda1'],
};

/** The family that the class names, else that of its alias; undefined without either. */
export function familyOf({ tree }: Manifest): string | undefined {
  const family = textAt(tree, 'spec', 'amiFamily');
  if (family !== undefined) return family;
  const alias = aliasOf(tree);
  if (alias === undefined) return undefined;
  const name = alias.split('@')[0]!;
  return FAMILIES.find((known) => known.toLowerCase() === name);
}

/** Its images are those that AWS publishes, and no user data adds to them. */
export function isAsPublished({ tree }: Manifest): boolean {
  return aliasOf(tree) !== undefined && textAt(tree, 'spec', 'userData') === undefined;
}

// ---------------------------------------------------------------------------------------------------------------

function aliasOf(tree: Manifest['tree']): string | undefined {
  return itemsAt(tree, 'spec', 'amiSelectorTerms')
    .map((term) => textAt(term, 'alias'))
    .find((text) => text !== undefined);
}

const FAMILIES = [...Object.keys(ROOT_DEVICES), 'Custom'];
