/**
 * Finds the files below a folder that a check can read. Each real folder is visited once, so links in a circle end; links
 * that leave the folder are not followed. What is left out because of a limit is reported.
 */
import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, extname, join, normalize, sep } from 'node:path';
import type { InputProblem } from '../inputs.ts';

export interface FoundFile {
  /** For messages: the argument and the path below it. */
  readonly name: string;
  /** Without links: the same for a file that is named in two ways. */
  readonly path: string;
  readonly sizeBytes: number;
}

export interface DiscoverLimits {
  readonly maxFiles: number;
  readonly maxFolders: number;
}

export const DISCOVER_LIMITS: DiscoverLimits = { maxFiles: 50_000, maxFolders: 50_000 };

/** Folders of other people's code and of tools. */
const SKIPPED_FOLDERS: ReadonlySet<string> = new Set([
  '.git',
  '.terraform',
  'node_modules',
  '.venv',
  'vendor',
]);

const READABLE = /\.(ya?ml|json|tf|tfvars|tfstate)$|^\.terraform\.lock\.hcl$/i;

/** @param argument a folder or a file, as the user named it. */
export async function discover(
  argument: string,
  limits: DiscoverLimits = DISCOVER_LIMITS,
): Promise<{ readonly files: readonly FoundFile[]; readonly problems: readonly InputProblem[] }> {
  const found = await stat(argument).catch((error: unknown) => codeOf(error));
  if (typeof found === 'string') {
    const message = found === 'ENOENT' ? 'there is no such file or folder' : `cannot be read (${found})`;
    return { files: [], problems: [{ at: { file: argument }, message, level: 'error' }] };
  }
  if (!found.isDirectory())
    return {
      files: [{ name: display(argument), path: await realpath(argument), sizeBytes: found.size }],
      problems: [],
    };
  return new Walk(argument, await realpath(argument), limits).run();
}

// ---------------------------------------------------------------------------------------------------------------

class Walk {
  readonly #argument: string;
  readonly #root: string;
  readonly #limits: DiscoverLimits;
  readonly #files = new Map<string, FoundFile>();
  readonly #problems: InputProblem[] = [];
  readonly #visited = new Set<string>();

  constructor(argument: string, root: string, limits: DiscoverLimits) {
    this.#argument = argument;
    this.#root = root;
    this.#limits = limits;
  }

  async run(): Promise<{ files: readonly FoundFile[]; problems: readonly InputProblem[] }> {
    const pending = [{ name: this.#argument, real: this.#root }];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (this.#visited.has(next.real)) continue;
      if (this.#isFull(next.name)) break;
      this.#visited.add(next.real);
      for (const folder of await this.#folder(next.name, next.real)) pending.push(folder);
    }
    const files = [...this.#files.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    return { files, problems: this.#problems };
  }

  #isFull(name: string): boolean {
    const { maxFiles, maxFolders } = this.#limits;
    if (this.#files.size < maxFiles && this.#visited.size < maxFolders) return false;
    const limit = this.#files.size < maxFiles ? `${maxFolders} folders` : `${maxFiles} files`;
    this.#report(
      name,
      `more than ${limit}: this folder and those after it were not read; name a smaller one`,
    );
    return true;
  }

  /** The folders in it, in reverse order, because the last one is visited next. */
  async #folder(name: string, real: string): Promise<{ name: string; real: string }[]> {
    const entries = await readdir(real, { withFileTypes: true }).catch((error: unknown) => {
      this.#report(name, `the folder cannot be read (${codeOf(error)})`);
      return [] as Dirent[];
    });
    const folders: { name: string; real: string }[] = [];
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const own = join(name, entry.name);
      const target = entry.isSymbolicLink() ? await this.#target(own, join(real, entry.name)) : undefined;
      if (entry.isSymbolicLink() && target === undefined) continue;
      const path = target ?? join(real, entry.name);
      const info = await stat(path).catch(() => undefined);
      if (info === undefined) continue;
      if (info.isDirectory() && !SKIPPED_FOLDERS.has(entry.name)) folders.push({ name: own, real: path });
      else if (info.isFile() && READABLE.test(entry.name) && !this.#files.has(path))
        this.#files.set(path, { name: display(own), path, sizeBytes: info.size });
    }
    return folders.reverse();
  }

  /** Where a link leads, unless it leaves the folder or leads nowhere. */
  async #target(name: string, link: string): Promise<string | undefined> {
    const target = await realpath(link).catch((error: unknown) => {
      const isMeant = READABLE.test(basename(name)) || extname(name) === '';
      this.#report(name, `the link leads nowhere (${codeOf(error)})`, isMeant ? 'error' : 'note');
      return undefined;
    });
    if (target === undefined || target === this.#root || target.startsWith(`${this.#root}${sep}`))
      return target;
    this.#report(name, 'the link leaves the folder and was not followed', 'note');
    return undefined;
  }

  /** @param level `error` for what may hold inputs. */
  #report(name: string, message: string, level: InputProblem['level'] = 'error'): void {
    this.#problems.push({ at: { file: display(name) }, message, level });
  }
}

function display(name: string): string {
  return normalize(name).split(sep).join('/');
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
