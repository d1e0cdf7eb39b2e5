/**
 * Kustomize overlays as far as files go: resources, patches (merge and JSON 6902), name prefixes and suffixes. What an overlay
 * makes of its base is judged instead of the base; files that are only patches are no manifests. Names inside of other objects
 * are not changed, as kustomize does not know the references of NodePools either.
 */
import { posix } from 'node:path';
import { find, itemsAt, mergeTrees, type Tree, textAt, textOf, textsAt } from '../../model/tree.ts';
import type { InputProblem, Manifest } from '../inputs.ts';
import { readInnerYaml } from './inner-yaml.ts';
import { applyJsonPatch } from './json-patch.ts';
import { type Matcher, parseSelectorText } from './selector-text.ts';
import { strategicMerge } from './strategic-merge.ts';

export interface FileTree {
  readonly file: string;
  readonly tree: Tree;
}

export interface Kustomized {
  readonly manifests: readonly Manifest[];
  readonly problems: readonly InputProblem[];
}

export function applyKustomizations(written: readonly Manifest[], trees: readonly FileTree[]): Kustomized {
  const overlays = trees.filter(({ file }) => /^kustomization\.ya?ml$/i.test(posix.basename(file)));
  if (overlays.length === 0) return { manifests: written, problems: [] };
  const build = new Build(written, trees, overlays);
  const included = new Set(overlays.flatMap(({ file, tree }) => resourcesOf(file, tree)));
  const results = new Set<Manifest>();
  for (const { file } of overlays)
    if (!included.has(posix.dirname(file)))
      for (const manifest of build.folder(posix.dirname(file), new Set())) results.add(manifest);
  const rest = written.filter(
    (manifest) => !build.consumed.has(fileOf(manifest)) && !isKustomization(manifest),
  );
  return { manifests: [...rest, ...results], problems: build.problems };
}

// ---------------------------------------------------------------------------------------------------------------

interface Patch {
  readonly trees: readonly Tree[];
  readonly target?: Tree;
}

class Build {
  /** Files whose objects the overlays have taken, or that are patches. */
  readonly consumed = new Set<string>();
  readonly problems: InputProblem[] = [];
  readonly #written: ReadonlyMap<string, readonly Manifest[]>;
  readonly #trees: ReadonlyMap<string, readonly FileTree[]>;
  readonly #overlays: ReadonlyMap<string, FileTree>;
  /** What folders make, so that one that several overlays list is built once. */
  readonly #made = new Map<string, readonly Manifest[]>();

  constructor(written: readonly Manifest[], trees: readonly FileTree[], overlays: readonly FileTree[]) {
    this.#written = Map.groupBy(written, fileOf);
    this.#trees = Map.groupBy(trees, ({ file }) => file);
    this.#overlays = new Map(overlays.map((overlay) => [posix.dirname(overlay.file), overlay]));
  }

  folder(folder: string, above: ReadonlySet<string>): readonly Manifest[] {
    const overlay = this.#overlays.get(folder);
    if (overlay === undefined || above.has(folder)) return [];
    const known = this.#made.get(folder);
    if (known !== undefined) return known;
    const made = this.#build(folder, overlay, above);
    this.#made.set(folder, made);
    return made;
  }

  /** A base that is listed twice is an error of kustomize; here it is there once. */
  #build(folder: string, { file, tree }: FileTree, above: ReadonlySet<string>): readonly Manifest[] {
    const base = [...new Set(resourcesOf(file, tree))].flatMap((path) => {
      if (this.#overlays.has(path)) return this.folder(path, new Set([...above, folder]));
      const own = this.#written.get(path);
      if (own !== undefined) this.consumed.add(path);
      return own ?? [];
    });
    const patches = this.#patches(file, tree);
    const prefix = textAt(tree, 'namePrefix') ?? '';
    const suffix = textAt(tree, 'nameSuffix') ?? '';
    return base.flatMap((manifest) => {
      const made = patches.reduce<Manifest | undefined>(applied, manifest);
      if (made === undefined) return [];
      const patched = { ...made, overlay: folder };
      return [prefix + suffix === '' ? patched : renamed(patched, `${prefix}${patched.name}${suffix}`)];
    });
  }

  #patches(file: string, tree: Tree): readonly Patch[] {
    const inline = (text: Tree): readonly Tree[] => {
      const read = readInnerYaml(text);
      this.problems.push(...(read?.problems ?? []));
      return read?.trees ?? [];
    };
    const ofFile = (name: Tree | undefined): readonly Tree[] => {
      const path = posix.join(posix.dirname(file), textOf(name) ?? '');
      const found = this.#trees.get(path);
      this.consumed.add(path);
      if (found === undefined && name !== undefined)
        this.problems.push({ at: name.at, message: `the patch ${path} was not found`, level: 'error' });
      return found?.map((each) => each.tree) ?? [];
    };
    const written = ['patches', 'patchesJson6902'].flatMap((list) => itemsAt(tree, list));
    return [
      ...itemsAt(tree, 'patchesStrategicMerge').map((item) => ({
        trees: (textOf(item) ?? '').includes('\n') ? inline(item) : ofFile(item),
      })),
      ...written.map((item) => {
        const text = find(item, 'patch');
        const target = find(item, 'target');
        const trees = text === undefined ? ofFile(find(item, 'path')) : inline(text);
        const wrong =
          TARGET_FIELDS.find((field) => patternOf(target, field) === 'broken') ??
          Object.keys(SELECTED).find((field) => selectorOf(target, field) === 'broken');
        if (target === undefined || wrong === undefined)
          return { trees, ...(target === undefined ? {} : { target }) };
        const kind = wrong in SELECTED ? 'selector' : 'regular expression';
        const message = `the target ${wrong} "${textAt(target, wrong)}" is not a ${kind}; the patch was not applied`;
        this.problems.push({ at: target.at, message, level: 'error' });
        return { trees: [] };
      }),
    ];
  }
}

/** Undefined: the patch deletes the object. */
function applied(manifest: Manifest | undefined, { trees, target }: Patch): Manifest | undefined {
  let current = manifest;
  for (const patch of trees) {
    if (current === undefined) return undefined;
    if (patch.kind === 'list') {
      if (matches(current, target)) current = { ...current, tree: applyJsonPatch(current.tree, patch.items) };
      continue;
    }
    const isFor = target === undefined ? isSame(current, patch) : matches(current, target);
    if (!isFor) continue;
    if (textAt(patch, '$patch') === 'delete') return undefined;
    // A patch with a target may have another name, which is not taken over.
    const tree = strategicMerge(current.apiVersion, current.tree, patch);
    current = { ...current, tree: target === undefined ? tree : withName(tree, current.name) };
  }
  return current;
}

function isSame(manifest: Manifest, patch: Tree): boolean {
  return textAt(patch, 'kind') === manifest.kind && textAt(patch, 'metadata', 'name') === manifest.name;
}

function matches(manifest: Manifest, target: Tree | undefined): boolean {
  const [group, version] = manifest.apiVersion.includes('/')
    ? manifest.apiVersion.split('/')
    : ['', manifest.apiVersion];
  const own = {
    group,
    version,
    kind: manifest.kind,
    name: manifest.name,
    namespace: manifest.namespace ?? '',
  };
  return (
    TARGET_FIELDS.every((field) => {
      const wanted = patternOf(target, field);
      return wanted === undefined || (wanted !== 'broken' && wanted.test(own[field] ?? ''));
    }) &&
    Object.entries(SELECTED).every(([field, list]) => {
      const wanted = selectorOf(target, field);
      return (
        wanted === undefined || (wanted !== 'broken' && wanted(textsAt(manifest.tree, 'metadata', list)))
      );
    })
  );
}

/** Selectors of a target, and what they select by. */
const SELECTED: Readonly<Record<string, string>> = {
  labelSelector: 'labels',
  annotationSelector: 'annotations',
};

function selectorOf(target: Tree | undefined, field: string): Matcher | 'broken' | undefined {
  const text = textAt(target, field);
  return text === undefined ? undefined : (parseSelectorText(text) ?? 'broken');
}

const TARGET_FIELDS = ['group', 'version', 'kind', 'name', 'namespace'] as const;

function patternOf(target: Tree | undefined, field: string): RegExp | 'broken' | undefined {
  const wanted = textAt(target, field);
  if (wanted === undefined) return undefined;
  try {
    return new RegExp(`^(?:${safePattern(wanted)})$`);
  } catch {
    return 'broken';
  }
}

/** Kustomize matches by regular expressions, of which people use `.*` and `|`. */
function safePattern(text: string): string {
  return text.replace(/[\\^$+?()[\]{}]/g, '\\$&');
}

function renamed(manifest: Manifest, name: string): Manifest {
  return { ...manifest, name, tree: withName(manifest.tree, name) };
}

function withName(tree: Tree, name: string): Tree {
  const at = find(tree, 'metadata', 'name')?.at ?? tree.at;
  const text: Tree = { kind: 'scalar', value: name, at };
  const metadata: Tree = { kind: 'map', entries: new Map([['name', text]]), at };
  return mergeTrees(tree, { kind: 'map', entries: new Map([['metadata', metadata]]), at })!;
}

/** Files and folders, from where the command runs. Those of other repositories are not here. */
function resourcesOf(file: string, tree: Tree): readonly string[] {
  return ['resources', 'bases', 'components']
    .flatMap((list) => itemsAt(tree, list))
    .flatMap((item) => textOf(item) ?? [])
    .filter((path) => !/:\/\/|^git@|\?ref=/.test(path))
    .map((path) => posix.join(posix.dirname(file), path).replace(/\/$/, ''));
}

function fileOf({ at }: Manifest): string {
  return 'file' in at ? at.file : '';
}

function isKustomization({ apiVersion }: Manifest): boolean {
  return apiVersion.startsWith('kustomize.config.k8s.io/');
}
