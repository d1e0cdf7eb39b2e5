/**
 * YAML as Kubernetes, kubectl and Helm read it: version 1.1 (so `yes` is true and 0755 is 493), but timestamps stay text,
 * there are no base-60 numbers, what is a number is decided as in Go (`yaml-number.ts`), and binary is text. Options for the
 * parser, and for writing what Kubernetes reads (`"yes"` in quotes).
 */
import type { CollectionTag, ParseOptions, ScalarTag, SchemaOptions, Tags } from 'yaml';
import { MAYBE_NUMBER, yamlNumber } from './yaml-number.ts';

export const KUBE_YAML = {
  version: '1.1',
  merge: true,
  customTags: (tags: Tags): Tags =>
    tags.flatMap((tag): Tags => (typeof tag === 'string' ? [tag] : asInGo(tag))),
} as const satisfies ParseOptions & SchemaOptions & { readonly version: '1.1' };

// ---------------------------------------------------------------------------------------------------

type Tag = CollectionTag | ScalarTag;

const NUMBERS = ['tag:yaml.org,2002:int', 'tag:yaml.org,2002:float'];

function asInGo(tag: Tag & { format?: string }): Tag[] {
  if (tag.tag === 'tag:yaml.org,2002:timestamp') return [];
  if (tag.tag === 'tag:yaml.org,2002:binary') return [{ ...(tag as ScalarTag), resolve: binaryText }];
  if (!NUMBERS.includes(tag.tag) || isInfinityOrNaN(tag)) return [tag];
  // One tag reads all forms.
  if (tag.format !== undefined) return [];
  return [{ ...(tag as ScalarTag), test: MAYBE_NUMBER, resolve: (text) => yamlNumber(text) ?? text }];
}

function isInfinityOrNaN({ test }: { readonly test?: RegExp }): boolean {
  return test?.test('.nan') === true;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function binaryText(text: string, onError: (message: string) => void): string {
  if (!BASE64.test(text.replace(/[\r\n]/g, ''))) onError('!!binary value contains invalid base64 data');
  return Buffer.from(text, 'base64').toString('utf8');
}
