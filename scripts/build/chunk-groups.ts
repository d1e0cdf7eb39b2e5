/**
 * Which source files are one chunk of the bundle. esbuild makes a chunk of the files that the same entry points load, and
 * every lazy import is an entry point: `chandler why` would load 140 files, and spend most of its time on finding them. Here,
 * only the lazy imports of a start count. Files that the same steps of it load are a group, and whatever loads one file of a
 * group loads all of them.
 */
import { join, relative, resolve as resolvePath } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';

/** By name: the files that a step of a start loads, and with them what they import. */
export type Steps = Readonly<Record<string, readonly string[]>>;

/** @param options of the bundle without groups. */
export async function chunkGroups(
  options: BuildOptions & { readonly absWorkingDir: string },
  steps: Steps,
): Promise<Plugin> {
  const { metafile } = await build({ ...options, write: false, metafile: true, logLevel: 'silent' });
  return groupsOf(metafile, options.absWorkingDir, steps);
}

/** @throws {Error} if a step names a file that is not loaded lazily. */
export function groupsOf({ outputs }: Pick<Metafile, 'outputs'>, folder: string, steps: Steps): Plugin {
  const chunks = new Chunks(outputs);
  const closures = Object.values(steps).map((files) =>
    chunks.loadedWith(files.map((file) => chunks.of(file))),
  );
  const groups = new Map<string, string>();
  for (const chunk of new Set(closures.flatMap((closure) => [...closure])))
    groups.set(chunk, closures.map((closure) => (closure.has(chunk) ? '1' : '0')).join(''));
  const byGroup = Map.groupBy(groups.keys(), (chunk) => groups.get(chunk)!);
  const members = new Map(
    [...byGroup].map(([group, all]) => [group, all.flatMap((chunk) => chunks.sourcesOf(chunk))] as const),
  );
  const loads = new Map(
    [...chunks.entries].map(
      ([entry, chunk]) => [entry, groupsLoadedWith(chunk, chunks, groups, byGroup)] as const,
    ),
  );
  const withDefault = new Set(
    [...chunks.entries]
      .filter(([, chunk]) => outputs[chunk]!.exports.includes('default'))
      .map(([entry]) => entry),
  );
  return pluginOf({ members, loads, withDefault, folder });
}

// ---------------------------------------------------------------------------------------------------

/** Files that import all files of a group. */
const GROUP = 'chunk-group';
/** Files that load a file and whole groups: a file that imported its group itself would be part of a circle. */
const ENTRY = 'chunk-entry';

/** Of a bundle without groups: only what is used is in them. */
class Chunks {
  readonly #outputs: Metafile['outputs'];
  /** By source file that is loaded lazily. */
  readonly entries: ReadonlyMap<string, string>;

  constructor(outputs: Metafile['outputs']) {
    this.#outputs = outputs;
    this.entries = new Map(
      Object.entries(outputs).flatMap(([chunk, { entryPoint = '' }]) =>
        isSource(entryPoint) ? [[entryPoint, chunk] as const] : [],
      ),
    );
  }

  of(file: string): string {
    const chunk = this.entries.get(file);
    if (chunk === undefined) throw new Error(`chunk groups: ${file} is not loaded lazily`);
    return chunk;
  }

  loadedWith(chunks: readonly string[]): ReadonlySet<string> {
    const loaded = new Set<string>();
    const open = [...chunks];
    for (let chunk = open.pop(); chunk !== undefined; chunk = open.pop()) {
      if (loaded.has(chunk)) continue;
      loaded.add(chunk);
      for (const { path, kind, external } of this.#outputs[chunk]!.imports)
        if (kind === 'import-statement' && external !== true) open.push(path);
    }
    return loaded;
  }

  /** Without packages: one that is loaded for nothing could do something. */
  sourcesOf(chunk: string): readonly string[] {
    // An index file has nothing of its own, and would load everything behind it.
    const files = Object.keys(this.#outputs[chunk]!.inputs);
    return files.filter((file) => isSource(file) && !file.endsWith('/index.ts'));
  }
}

function isSource(file: string): boolean {
  return file.startsWith('packages/') && file.endsWith('.ts');
}

/** All of those that it loads a chunk of, and of those that these load a chunk of. */
function groupsLoadedWith(
  entry: string,
  chunks: Chunks,
  groups: ReadonlyMap<string, string>,
  byGroup: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const names = new Set<string>();
  for (;;) {
    const known = [...names].flatMap((group) => byGroup.get(group) ?? []);
    const found = [...chunks.loadedWith([entry, ...known])].flatMap((chunk) => groups.get(chunk) ?? []);
    const before = names.size;
    for (const group of found) names.add(group);
    if (names.size === before) return [...names].sort();
  }
}

/** Marks what this asks esbuild itself. */
const RESOLVED = 'resolved';

interface Groups {
  /** By name. */
  readonly members: ReadonlyMap<string, readonly string[]>;
  /** By file that is loaded lazily. */
  readonly loads: ReadonlyMap<string, readonly string[]>;
  /** Of these, those with a default export, which `export *` leaves out. */
  readonly withDefault: ReadonlySet<string>;
  readonly folder: string;
}

function pluginOf({ members, loads, withDefault, folder }: Groups): Plugin {
  const grouped = new Set([...members.values()].flat().map((file) => join(folder, file)));
  return {
    name: 'chunk-groups',
    setup({ onResolve, onLoad, resolve }) {
      onResolve({ filter: new RegExp(`^${GROUP}:`) }, ({ path }) => ({
        path: path.slice(GROUP.length + 1),
        namespace: GROUP,
        sideEffects: true,
      }));
      onResolve({ filter: /\.ts$|^@chandler\// }, async ({ path, resolveDir, kind, pluginData }) => {
        if (pluginData === RESOLVED) return undefined;
        const options = { resolveDir, kind, pluginData: RESOLVED };
        const file = path.endsWith('.ts')
          ? resolvePath(resolveDir, path)
          : (await resolve(path, options)).path;
        // Names of chunks depend on it: the same in every folder.
        const entry = relative(folder, file).replaceAll('\\', '/');
        if (kind === 'dynamic-import' && (loads.get(entry) ?? []).length > 0)
          return { path: entry, namespace: ENTRY };
        // An import of no name counts only where a file may do something by being loaded.
        return grouped.has(file) ? { path: file, sideEffects: true } : undefined;
      });
      onLoad({ filter: /./, namespace: GROUP }, ({ path }) => {
        const imports = (members.get(path) ?? []).map(
          (file) => `import ${JSON.stringify(join(folder, file))};`,
        );
        return { contents: imports.join('\n'), resolveDir: folder };
      });
      onLoad({ filter: /./, namespace: ENTRY }, ({ path }) => {
        const imports = (loads.get(path) ?? []).map((group) => `import '${GROUP}:${group}';`);
        const names = withDefault.has(path) ? ['*', '{ default }'] : ['*'];
        const exports = names.map((each) => `export ${each} from ${JSON.stringify(join(folder, path))};`);
        return { contents: [...imports, ...exports].join('\n'), resolveDir: folder };
      });
    },
  };
}
