/** The rows of `mapRoles` of the ConfigMap aws-auth: which roles of IAM are which groups of Kubernetes. */
import { KUBE_YAML } from '@chandler/kube';
import { parse } from 'yaml';

export interface MappedRole {
  readonly arn: string;
  readonly groups: readonly string[];
}

/** A text that is not the YAML of a list maps nothing. */
export function mappedRoles(text: string | undefined): readonly MappedRole[] {
  let list: unknown;
  try {
    list = parse(text ?? '', KUBE_YAML);
  } catch {
    return [];
  }
  return (Array.isArray(list) ? list : []).flatMap((each: unknown) => {
    const { rolearn, groups } = (each ?? {}) as { readonly rolearn?: unknown; readonly groups?: unknown };
    return typeof rolearn === 'string'
      ? [{ arn: rolearn, groups: Array.isArray(groups) ? groups.map(String) : [] }]
      : [];
  });
}
