/**
 * YAML as Kubernetes, kubectl and Helm read it: version 1.1 (so `yes` is true and 0755 is 493), but timestamps stay text and
 * there are no base-60 numbers. Options for the parser, and for writing what Kubernetes reads (`"yes"` in quotes).
 */
import type { CollectionTag, ParseOptions, ScalarTag, SchemaOptions, Tags } from 'yaml';

export const KUBE_YAML = {
  version: '1.1',
  merge: true,
  customTags: (tags: Tags): Tags => tags.filter((tag) => typeof tag === 'string' || isRead(tag)),
} as const satisfies ParseOptions & SchemaOptions & { readonly version: '1.1' };

// ---------------------------------------------------------------------------------------------------

function isRead({ tag, format }: (CollectionTag | ScalarTag) & { format?: string }): boolean {
  return tag !== 'tag:yaml.org,2002:timestamp' && format !== 'TIME';
}
