/** Field selectors (`metadata.name=x,spec.nodeName!=y`): their syntax, and which fields a resource lets one name. */
import type { KubeObject } from '@chandler/kube';
import { badRequest } from '../errors.ts';
import type { Resource } from '../resource.ts';

export interface FieldRequirement {
  readonly path: string;
  readonly equal: boolean;
  readonly value: string;
}

export type FieldSelector = readonly FieldRequirement[];

export function parseFieldSelector(text: string): FieldSelector {
  const requirements: FieldRequirement[] = [];
  for (const term of split(text)) {
    if (term === '') continue;
    requirements.push(requirementOf(term, text));
  }
  return requirements;
}

/** Refuses a field that the resource has no selector for. */
export function checkFieldSelector(selector: FieldSelector, resource: Resource): void {
  for (const { path } of selector) {
    if (path === 'metadata.name' || path === 'metadata.namespace') continue;
    if (resource.selectableFields.some((field) => field.path === path)) continue;
    throw badRequest(unknownField(path, resource));
  }
}

export function selectsFields(selector: FieldSelector, object: KubeObject, resource: Resource): boolean {
  return selector.every(({ path, equal, value }) => (fieldOf(path, object, resource) === value) === equal);
}

/** The name that the selector asks for, when it asks for exactly one. */
export function selectedName(selector: FieldSelector): string | undefined {
  return selector.find(({ path, equal }) => equal && path === 'metadata.name')?.value;
}

// ---------------------------------------------------------------------------------------------------

function requirementOf(term: string, whole: string): FieldRequirement {
  for (let index = 0; index < term.length; index++) {
    const rest = term.slice(index);
    const operator = rest.startsWith('!=')
      ? '!='
      : rest.startsWith('==')
        ? '=='
        : rest.startsWith('=')
          ? '='
          : undefined;
    if (operator === undefined) continue;
    const value = unescaped(term.slice(index + operator.length));
    return { path: term.slice(0, index), equal: operator !== '!=', value };
  }
  throw badRequest(`invalid selector: '${whole}'; can't understand '${term}'`);
}

/** Terms are parted by commas that no backslash protects. */
function split(text: string): string[] {
  const terms: string[] = [];
  let term = '';
  for (let index = 0; index < text.length; index++) {
    const char = text[index]!;
    if (char === '\\' && index + 1 < text.length) {
      term += char + text[++index]!;
    } else if (char === ',') {
      terms.push(term);
      term = '';
    } else {
      term += char;
    }
  }
  terms.push(term);
  return terms;
}

function unescaped(value: string): string {
  if (!/[\\,=]/.test(value)) return value;
  let plain = '';
  for (let index = 0; index < value.length; index++) {
    const char = value[index]!;
    if (char === '\\') {
      const next = value[++index] ?? '';
      if (next !== '\\' && next !== ',' && next !== '=') {
        throw badRequest(`invalid field selector: invalid escape sequence: \\${next}`);
      }
      plain += next;
    } else if (char === ',' || char === '=') {
      throw badRequest(`invalid field selector: unescaped character in value: ${char}`);
    } else {
      plain += char;
    }
  }
  return plain;
}

function fieldOf(path: string, object: KubeObject, resource: Resource): string {
  if (path === 'metadata.name') return object.metadata.name ?? '';
  if (path === 'metadata.namespace') return object.metadata.namespace ?? '';
  return resource.selectableFields.find((field) => field.path === path)?.read(object) ?? '';
}

/** Kinds with selectable fields of their own, and custom resources, complain in other words than the rest. */
function unknownField(path: string, resource: Resource): string {
  const named = NAMED_IN_REFUSAL[`${resource.group}/${resource.kind}`];
  if (named !== undefined) return `field label ${JSON.stringify(path)} not supported for ${named}`;
  const builtIn = resource.structure.name !== undefined;
  if (builtIn && resource.selectableFields.length === 0) {
    return `${JSON.stringify(path)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
  }
  return `field label not supported: ${path}`;
}

const NAMED_IN_REFUSAL: Readonly<Record<string, string>> = {
  'batch/Job': 'Job',
};
