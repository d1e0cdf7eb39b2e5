/** A folder as a list of lines, one per file, directory and link, so that two of them can be compared and the difference read. */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface TreeOptions {
  /** Paths (of the machine) that are left out with all below them. */
  readonly without?: readonly string[];
}

/** What a run keeps for itself, and what the kernel shows. */
export const OWN_STATE: readonly string[] = ['/var/lib/chandler-flexnode', '/run/chandler-flexnode', '/proc'];

export function treeOf(root: string, options: TreeOptions = {}): string[] {
  const lines: string[] = [];
  walk(root, '', new Set(options.without ?? []), lines);
  return lines;
}

/** Every plain file with its content as text. */
export function filesOf(root: string): { readonly path: string; readonly content: string }[] {
  return treeOf(root)
    .map((line) => / file \d+ [0-9a-f]+$/.exec(line))
    .filter((match) => match !== null)
    .map((match) => match.input.slice(0, match.index))
    .map((path) => ({ path, content: readFileSync(root + path, 'latin1') }));
}

// ---------------------------------------------------------------------------------------------------

function walk(root: string, path: string, without: ReadonlySet<string>, lines: string[]): void {
  if (without.has(path)) return;
  const real = `${root}${path}`;
  const info = lstatSync(real);
  const mode = (info.mode & 0o7777).toString(8);
  if (info.isSymbolicLink()) lines.push(`${path} -> ${readlinkSync(real)}`);
  else if (info.isFile()) lines.push(`${path} file ${mode} ${hash(real)}`);
  else if (info.isDirectory()) {
    lines.push(`${path}/ directory ${mode}`);
    for (const name of readdirSync(real).sort()) walk(root, `${path}/${name}`, without, lines);
  } else lines.push(`${path} other ${mode}`);
}

function hash(real: string): string {
  return createHash('sha256').update(readFileSync(real)).digest('hex').slice(0, 16);
}
