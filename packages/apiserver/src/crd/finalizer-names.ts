/** Warnings about finalizers without a domain: two writers could pick the same one. */
import { qualifiedName } from '../builtin/validation/names.ts';

/** For finalizers that were not there before. */
export function finalizerWarnings(finalizers: readonly string[], known: readonly string[]): string[] {
  const before = new Set(known);
  const added = [...new Set(finalizers)].filter((name) => !before.has(name)).sort();
  return added.flatMap((name) => {
    const subject = `metadata.finalizers: ${JSON.stringify(name)}`;
    const problems = qualifiedName(name).map((problem) => `${subject}: ${problem}`);
    if (name.includes('/') || STANDARD.has(name)) return problems;
    const better = name.includes('.') ? 'finalizer name including a path (/)' : 'finalizer name';
    return [
      ...problems,
      `${subject}: prefer a domain-qualified ${better} to avoid accidental conflicts with other finalizer writers`,
    ];
  });
}

// ---------------------------------------------------------------------------------------------------

const STANDARD: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);
