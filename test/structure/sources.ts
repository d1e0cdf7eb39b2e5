/** Reads the tree's own source files, for tests about the tree. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..');

export interface SourceFile {
  /** From the root of the tree, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

export function sourceFiles(folder: string, endings: readonly string[] = ['.ts', '.tsx']): SourceFile[] {
  const found: SourceFile[] = [];
  // The root holds dependencies and build results too; of it only its own files are looked at.
  const recursive = folder !== '.';
  for (const entry of readdirSync(join(ROOT, folder), { recursive, withFileTypes: true })) {
    if (entry.parentPath.includes('node_modules')) continue;
    if (!entry.isFile() || !endings.some((ending) => entry.name.endsWith(ending))) continue;
    const path = join(entry.parentPath, entry.name);
    found.push({ path: relative(ROOT, path).split(sep).join('/'), text: readFileSync(path, 'utf8') });
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

export const isTest = (path: string) =>
  /\.(test|fixture|suite)\.ts$/.test(path) ||
  /\/testing(\/|\.ts$)/.test(path) ||
  !path.startsWith('packages/');
export const isGenerated = (path: string) => path.endsWith('.gen.ts') || path.endsWith('.table.ts');

/** The code with comments, and unless they are kept the contents of strings, blanked out; line breaks stay. */
export function codeOnly(text: string, strings: 'blank strings' | 'keep strings' = 'blank strings'): string {
  const token = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g;
  return text.replace(token, (match) =>
    strings === 'keep strings' && !match.startsWith('/') ? match : match.replace(/[^\n]/g, ' '),
  );
}

/** Module specifiers: static, re-exported and, unless only the static ones are asked for, dynamic. */
export function importsOf(text: string, kind: 'all' | 'static' = 'all'): string[] {
  const found = [
    ...text.matchAll(/^(?:import|export)\s(?:[^;'"`]*?\bfrom\s*)?['"]([^'"]+)['"]/gm),
    ...(kind === 'static' ? [] : text.matchAll(/\bimport\s*\(\s*['"]([^'"]+)['"]/g)),
  ];
  return found.map((match) => match[1]!);
}
