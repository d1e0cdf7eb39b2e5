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
    if (!entry.isFile() || !endings.some((ending) => entry.name.endsWith(ending))) continue;
    const path = join(entry.parentPath, entry.name);
    found.push({ path: relative(ROOT, path).split(sep).join('/'), text: readFileSync(path, 'utf8') });
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

export const isTest = (path: string) => path.endsWith('.test.ts') || path.endsWith('.fixture.ts');
export const isGenerated = (path: string) => path.endsWith('.gen.ts') || path.endsWith('.table.ts');

/** The code with comments and the contents of strings blanked out, line breaks kept. */
export function codeOnly(text: string): string {
  const token = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g;
  return text.replace(token, (match) => match.replace(/[^\n]/g, ' '));
}

/** Relative module specifiers: static, re-exported and dynamic. */
export function relativeImports(text: string): string[] {
  const pattern = /(?:from|import)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g;
  return [...text.matchAll(pattern)].map((match) => match[1]!);
}
