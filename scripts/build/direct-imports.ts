/**
 * Imports of an index file become imports of the files behind it. esbuild splits a bundle by file: whoever imports one name of
 * an index file would load everything that any command imports of it, and `chandler version` most of the product.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Plugin } from 'esbuild';

/** @param packages the folder of the packages. What is not written as the formatter writes it stays as it is. */
export function directImports(packages: string): Plugin {
  return {
    name: 'direct-imports',
    setup(build) {
      const sources = new Sources(packages);
      build.onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) =>
        path.startsWith(packages) ? { contents: sources.rewritten(path), loader: 'ts' } : undefined,
      );
    },
  };
}

// ---------------------------------------------------------------------------------------------------

interface Exported {
  readonly file: string;
  readonly name: string;
}

interface Reexports {
  /** By exported name. */
  readonly named: ReadonlyMap<string, Exported>;
  /** Files whose exports are all exported again. */
  readonly all: readonly string[];
  /** Exported names that are declared in the file. */
  readonly own: ReadonlySet<string>;
  /** It imports nothing for its effects. */
  readonly isPlain: boolean;
}

const IMPORT = /^import \{([^}]*)\} from '([^']+)';$/gm;
const REEXPORT = /^export \{([^}]*)\} from '([^']+)';$/gm;
const REEXPORT_ALL = /^export \* from '([^']+)';$/gm;
const OWN =
  /^export (?:abstract )?(?:async )?(?:function\*?|class|const|let|enum) (\w+)|^export \{([^}]*)\};$/gm;
const FOR_EFFECT = /^import '/m;

class Sources {
  readonly #packages: string;
  readonly #texts = new Map<string, string>();
  readonly #reexports = new Map<string, Reexports>();

  constructor(packages: string) {
    this.#packages = packages;
  }

  rewritten(file: string): string {
    const direct = (keyword: 'import' | 'export') => (statement: string, names: string, from: string) => {
      const index = this.#resolve(file, from);
      if (index === undefined || !this.#isIndex(index)) return statement;
      return namesIn(names)
        .map(({ name, as }) => {
          const { file: origin, name: known } = this.#origin(index, name) ?? { file: index, name };
          return `${keyword} { ${known} as ${as} } from ${JSON.stringify(pathFrom(file, origin))};`;
        })
        .join(' ');
    };
    return this.#text(file).replaceAll(IMPORT, direct('import')).replaceAll(REEXPORT, direct('export'));
  }

  #isIndex(file: string): boolean {
    return file.endsWith('/index.ts') && this.#read(file).isPlain;
  }

  /** Where a name is declared; undefined: nowhere that this can see. */
  #origin(file: string, name: string): Exported | undefined {
    const { named, all, own } = this.#read(file);
    if (own.has(name)) return { file, name };
    const found = named.get(name);
    if (found !== undefined) return this.#origin(found.file, found.name) ?? found;
    for (const each of all) {
      const origin = this.#origin(each, name);
      if (origin !== undefined) return origin;
    }
    return undefined;
  }

  #read(file: string): Reexports {
    const known = this.#reexports.get(file);
    if (known !== undefined) return known;
    const text = this.#text(file);
    const named = new Map<string, Exported>();
    for (const [, names, from] of text.matchAll(REEXPORT)) {
      const origin = this.#resolve(file, from!);
      if (origin !== undefined)
        for (const { name, as } of namesIn(names!)) named.set(as, { file: origin, name });
    }
    const read = {
      named,
      all: [...text.matchAll(REEXPORT_ALL)].flatMap(([, from]) => this.#resolve(file, from!) ?? []),
      own: new Set(
        [...text.matchAll(OWN)].flatMap(([, name, names]) =>
          name === undefined ? namesIn(names!).map(({ as }) => as) : [name],
        ),
      ),
      isPlain: !FOR_EFFECT.test(text),
    };
    this.#reexports.set(file, read);
    return read;
  }

  /** The file of a module of ours. */
  #resolve(importer: string, from: string): string | undefined {
    if (from.startsWith('.')) return join(dirname(importer), from);
    const [, name, rest] = /^@chandler\/([^/]+)(\/.+)?$/.exec(from) ?? [];
    if (name === undefined) return undefined;
    const folder = join(this.#packages, name);
    const { exports } = JSON.parse(this.#text(join(folder, 'package.json'))) as {
      exports: Record<string, string>;
    };
    const target = exports[`.${rest ?? ''}`];
    return target === undefined ? undefined : join(folder, target);
  }

  #text(file: string): string {
    const known = this.#texts.get(file);
    if (known !== undefined) return known;
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    this.#texts.set(file, text);
    return text;
  }
}

/** Of `{ a, b as c, type D }`: without types, which are gone when it runs. */
function namesIn(list: string): readonly { readonly name: string; readonly as: string }[] {
  return list
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '' && !each.startsWith('type '))
    .map((each) => {
      const [name, as = name] = each.split(' as ') as [string, string?];
      return { name, as };
    });
}

function pathFrom(importer: string, file: string): string {
  const path = relative(dirname(importer), file);
  return path.startsWith('.') ? path : `./${path}`;
}
