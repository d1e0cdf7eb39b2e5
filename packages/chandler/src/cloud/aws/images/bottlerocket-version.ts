/** Which release of Bottlerocket a node class starts: from its alias, from a name it selects by, or from its images. */
import type { EC2NodeClassSpec } from '../../../api/index.ts';
import type { Sourced } from '../../../settings/index.ts';
import { classAlias } from './alias.ts';

/** Empty when nothing tells. */
export function bottlerocketVersion(
  spec: EC2NodeClassSpec,
  images: readonly { readonly id: string; readonly name?: string }[],
): Sourced<string> {
  const alias = classAlias(spec);
  if (alias !== undefined && 'alias' in alias) {
    return { value: alias.alias.version, source: 'NodeClass', path: alias.path };
  }
  for (const [index, { name }] of spec.amiSelectorTerms.entries()) {
    const value = versionIn(name);
    if (value !== undefined) {
      return { value, source: 'NodeClass', path: `spec.amiSelectorTerms[${index}].name` };
    }
  }
  for (const [index, { name }] of images.entries()) {
    const value = name?.includes('bottlerocket') === true ? versionIn(name) : undefined;
    if (value !== undefined) return { value, source: 'NodeClass', path: `status.amis[${index}].name` };
  }
  return { value: '', source: 'computed', path: 'status.amis' };
}

// ---------------------------------------------------------------------------------------------------

/** `bottlerocket-aws-k8s-1.33-x86_64-v1.46.0-431fe75a`. */
function versionIn(name: string | undefined): string | undefined {
  return name?.split('-').find((part) => /^v.*\./.test(part));
}
