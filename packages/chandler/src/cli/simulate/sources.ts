/** Finds and reads the files that `-f` names: files, folders with everything below them, and standard input. */
import type { Dirent } from 'node:fs';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { Failure } from '../verb.ts';
import type { Source } from './documents.ts';

export const STANDARD_INPUT = '-';

export async function readSources(
  names: readonly string[],
  readStandardInput: () => Promise<string>,
): Promise<Source[]> {
  const sources: Source[] = [];
  for (const name of names) {
    if (name === STANDARD_INPUT) sources.push({ name: 'standard input', text: await readStandardInput() });
    else for (const file of await filesOf(name)) sources.push({ name: file, text: await readText(file) });
  }
  return sources;
}

export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new Failure(`${file} cannot be read (${codeOf(error)})`);
  }
}

// ---------------------------------------------------------------------------------------------------------------

const EXTENSIONS: ReadonlySet<string> = new Set(['.yaml', '.yml', '.json']);

async function filesOf(name: string): Promise<string[]> {
  const found = await stat(name).catch((error: unknown) => {
    const hint = codeOf(error) === 'ENOENT' ? 'there is no such file or folder' : codeOf(error);
    throw new Failure(`${name}: ${hint}; name a file, a folder, or - for standard input`);
  });
  if (!found.isDirectory()) return [name];
  const entries = await readdir(name, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    const { code, path = name } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new Failure(`${path}: the folder cannot be read (${code}); name the files in it with -f`);
  });
  const files = await readable(name, entries);
  if (files.length === 0) throw new Failure(`${name}: no .yaml, .yml or .json file in this folder`);
  return files;
}

/** Files, and links to files; a file with several names once. Folders that are links are not followed, as by kubectl. */
async function readable(folder: string, entries: readonly Dirent[]): Promise<string[]> {
  const names = entries
    .filter((entry) => (entry.isFile() || entry.isSymbolicLink()) && EXTENSIONS.has(extname(entry.name)))
    .map((entry) => join(entry.parentPath, entry.name))
    // Where the kubelet keeps the files of a mounted ConfigMap, to which it links.
    .filter(
      (file) =>
        !relative(folder, file)
          .split(sep)
          .some((part) => part.startsWith('..')),
    )
    .sort();
  const byPath = new Map<string, string>();
  for (const file of names) {
    const path = await realpath(file).catch(() => file);
    const found = await stat(path).catch(() => undefined);
    // A link to nothing is reported when it is read.
    if (found?.isFile() !== false && !byPath.has(path)) byPath.set(path, file);
  }
  return [...byPath.values()];
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
