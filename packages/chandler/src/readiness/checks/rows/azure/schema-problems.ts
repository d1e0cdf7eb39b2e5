/** What a structural schema says against a tree: unknown fields, wrong types, values that are not allowed. Unknown values pass. */
import { fieldText } from '@chandler/kube';
import type { JsonSchema } from '../../../../api/index.ts';
import type { Path, Tree } from '../../../model/tree.ts';

export interface SchemaProblem {
  readonly path: Path;
  readonly message: string;
}

export function schemaProblems(schema: JsonSchema, tree: Tree, path: Path): readonly SchemaProblem[] {
  if (tree.kind === 'unknown' || (tree.kind === 'scalar' && tree.value === null)) return [];
  const at = fieldText(path);
  const problem = (message: string): readonly SchemaProblem[] => [{ path, message: `${at} ${message}.` }];
  if (schema.type === 'object') {
    if (tree.kind !== 'map') return problem('must be a map');
    return [...tree.entries].flatMap(([name, value]) => {
      const below = schema.properties?.[name] ?? schema.additionalProperties;
      if (below !== undefined) return schemaProblems(below, value, [...path, name]);
      if (schema['x-kubernetes-preserve-unknown-fields'] === true) return [];
      const own = [...path, name];
      return [{ path: own, message: `${fieldText(own)} is not a field.` }];
    });
  }
  if (schema.type === 'array') {
    if (tree.kind !== 'list') return problem('must be a list');
    return tree.items.flatMap((item, index) =>
      schema.items === undefined ? [] : schemaProblems(schema.items, item, [...path, index]),
    );
  }
  if (tree.kind !== 'scalar') return problem('must be a single value');
  const wrong = valueProblem(schema, tree.value);
  return wrong === undefined ? [] : problem(wrong);
}

// ---------------------------------------------------------------------------------------------------------------

function valueProblem(schema: JsonSchema, value: string | number | boolean | null): string | undefined {
  if (schema['x-kubernetes-int-or-string'] === true || schema.type === undefined) return undefined;
  const type = schema.type === 'integer' ? 'number' : schema.type;
  if (typeof value !== type || (schema.type === 'integer' && !Number.isInteger(value)))
    return `must be ${schema.type === 'integer' ? 'a whole number' : `a ${schema.type}`}`;
  if (schema.enum !== undefined && !schema.enum.includes(String(value)))
    return `must be one of ${schema.enum.join(', ')}`;
  if (schema.minimum !== undefined && Number(value) < schema.minimum)
    return `must be at least ${schema.minimum}`;
  if (schema.maximum !== undefined && Number(value) > schema.maximum)
    return `must be at most ${schema.maximum}`;
  if (schema.pattern !== undefined && !patternOf(schema.pattern).test(String(value)))
    return 'is not of the form that is allowed';
  return undefined;
}

/** JavaScript has no inline flags, Kubernetes has nothing else. */
function patternOf(pattern: string): RegExp {
  return new RegExp(pattern.replace(/^\(\?i\)/, ''), pattern.startsWith('(?i)') ? 'i' : '');
}
