/** Finds and reads the files that `-f` names: files, folders with everything below them, and standard input. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
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
  const files = entries
    .filter((entry) => entry.isFile() && EXTENSIONS.has(extname(entry.name)))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  if (files.length === 0) throw new Failure(`${name}: no .yaml, .yml or .json file in this folder`);
  return files;
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
