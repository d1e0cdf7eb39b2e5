/**
 * Checks what is imported lazily in a bundle. esbuild turns a module that is imported dynamically into a chunk, and a chunk
 * of a CommonJS module exports only `default`: `const { Client } = await import('sdk')` is undefined there, although it
 * works from the sources. So sources import a package lazily only through a file of their own that re-exports the names.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

/** A sentence for each dynamic import that would not work, or might stop working when the package changes its form. */
export function lazyImportProblems({ inputs }: Pick<Metafile, 'inputs'>): readonly string[] {
  return Object.entries(inputs).flatMap(([file, { imports }]) =>
    imports
      .filter(({ kind, external }) => kind === 'dynamic-import' && external !== true)
      .filter(({ path }) => inputs[path]?.format !== 'esm' || (isPackage(path) && !isPackage(file)))
      .map(
        ({ path, original = path }) =>
          `${file} imports ${original} lazily (${inputs[path]?.format ?? 'no module'}): ` +
          're-export the names in a file under lazy/ and import that file',
      ),
  );
}

/** A sentence for each chunk that cannot be loaded and each export of a chunk that is undefined. */
export function brokenChunks({ inputs, outputs }: Metafile, folder: string): readonly string[] {
  const lazy = new Set(
    Object.values(inputs).flatMap(({ imports }) =>
      imports.filter(({ kind }) => kind === 'dynamic-import').map(({ path }) => path),
    ),
  );
  const chunks = Object.entries(outputs)
    .filter(([, { entryPoint }]) => entryPoint !== undefined && lazy.has(entryPoint))
    .map(([file, { exports, entryPoint }]) => ({ file: join(folder, file), exports, entryPoint }));
  const answer = execFileSync(process.execPath, ['--input-type=module', '--eval', LOAD_ALL], {
    input: JSON.stringify(chunks),
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  return JSON.parse(answer) as readonly string[];
}

// ---------------------------------------------------------------------------------------------------

const isPackage = (path: string) => path.includes('node_modules/');

/** Run in a process of its own, so that the build does not hold on to what the chunks hold. */
const LOAD_ALL = `
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
const problems = [];
for (const { file, exports, entryPoint } of JSON.parse(readFileSync(0, 'utf8'))) {
  try {
    const loaded = await import(pathToFileURL(file).href);
    for (const name of exports)
      if (loaded[name] === undefined) problems.push(entryPoint + ': the export ' + name + ' is undefined in the bundle');
  } catch (error) {
    problems.push(entryPoint + ': cannot be loaded from the bundle: ' + error);
  }
}
console.log(JSON.stringify(problems));
process.exit(0);
`;
