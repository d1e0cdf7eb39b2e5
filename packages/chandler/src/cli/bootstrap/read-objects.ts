/**
 * Reads the objects of some kinds from files, with defaults filled in. Each keeps its place, so that a later error can name
 * the file and the line.
 */
import { fieldText, parseApiVersion } from '@chandler/kube';
import { type JsonSchema, withDefaults } from '../../api/index.ts';
import { checkShape } from '../simulate/check-shape.ts';
import { type FieldPath, type Found, readDocuments, type Source } from '../simulate/documents.ts';
import { problemText } from '../simulate/problem.ts';
import { Failure } from '../verb.ts';

/** What is needed of the definition of a kind. */
export interface ReadableKind {
  readonly group: string;
  readonly kind: string;
  readonly spec: { readonly json: unknown };
}

export interface ReadObject<O> {
  readonly object: O;
  /** `class.yaml:12: EC2NodeClass/default: spec.userData: message`. */
  problem(path: FieldPath, message: string): string;
}

/**
 * Objects of other kinds are skipped: they are often in the same files.
 * @throws {Failure} for files that cannot be parsed, and for objects that do not have the shape of their kind.
 */
export function readObjects<O>(
  sources: readonly Source[],
  kinds: readonly ReadableKind[],
): readonly ReadObject<O>[] {
  const problems: string[] = [];
  const objects = sources.flatMap((source) => {
    const read = readDocuments(source);
    problems.push(...read.problems.map(problemText));
    return read.found.flatMap((found) => readObject<O>(found, kinds, problems));
  });
  if (problems.length > 0) throw new Failure(problems.join('\n'));
  if (sources.length > 0 && objects.length === 0) {
    const names = kinds.map(({ kind }) => kind);
    throw new Failure(
      `-f: no ${names.slice(0, -1).join(', ')} or ${names.at(-1)} of Karpenter in these files`,
    );
  }
  return objects;
}

// ---------------------------------------------------------------------------------------------------

function readObject<O>(found: Found, kinds: readonly ReadableKind[], problems: string[]): ReadObject<O>[] {
  const { value, origin } = found;
  const { apiVersion, kind, metadata } = value as Readonly<Record<string, unknown>>;
  const group = typeof apiVersion === 'string' ? parseApiVersion(apiVersion).group : '';
  const known = kinds.find((candidate) => candidate.kind === kind && candidate.group === group);
  if (known === undefined) return [];
  const name = (metadata as { name?: unknown } | undefined)?.name;
  const spec = (value as { spec?: unknown }).spec ?? {};
  const mismatches = checkShape(known.spec.json as JsonSchema, spec, ['spec']).filter(
    ({ warning }) => !warning,
  );
  if (typeof name !== 'string') mismatches.push({ path: ['metadata', 'name'], message: 'is missing' });
  const problem = (path: FieldPath, message: string) => {
    const line = origin.lineOf(path);
    return problemText({
      file: origin.file,
      ...(line === undefined ? {} : { line }),
      object: `${known.kind}/${typeof name === 'string' ? name : '(unnamed)'}`,
      field: fieldText(path),
      message,
    });
  };
  problems.push(...mismatches.map(({ path, message }) => problem(path, message)));
  if (mismatches.length > 0) return [];
  const object = { ...(value as O), spec: withDefaults(known.spec as never, spec as never) } as O;
  return [{ object, problem }];
}
