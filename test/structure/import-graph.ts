/**
 * The import graph of the repository and what is wrong with it: edges that the table does not allow, imports past an
 * entry point, circles of files, clouds named where none should be known. It reads text only and runs no code.
 */
import { dirname, join, normalize } from 'node:path';
import { IMPORTERS_OF_THE_OTHER_SIDE, MODULES, PACKAGES } from './modules.table.ts';
import { codeOnly, importsOf, isTest, type SourceFile } from './sources.ts';

const PRODUCT = 'packages/chandler/src/';

/** The package folder of a file; undefined outside `packages/`. */
export function packageOf(path: string): string | undefined {
  return /^packages\/([^/]+)\//.exec(path)?.[1];
}

/** The module of a file of the product: the longest name of the table that its path begins with. */
export function moduleOf(path: string): string | undefined {
  if (!path.startsWith(PRODUCT)) return undefined;
  const rest = path.slice(PRODUCT.length);
  return Object.keys(MODULES)
    .filter((name) => rest === name || rest.startsWith(`${name}/`))
    .sort((a, b) => b.length - a.length)[0];
}

/** Imports that the table of packages and modules does not allow. Unit tests may import any module. */
export function forbiddenImports(file: SourceFile): string[] {
  return importsOf(file.text).flatMap((specifier) => {
    const target = resolved(file.path, specifier);
    const wrong = target === undefined ? wrongPackage(file.path, specifier) : wrongModule(file.path, target);
    return wrong === undefined ? [] : [`${file.path} -> ${specifier}: ${wrong}`];
  });
}

/** Imports of another package or module past its entry points. */
export function importsPastEntryPoints(file: SourceFile): string[] {
  return importsOf(file.text).flatMap((specifier) => {
    const target = resolved(file.path, specifier);
    if (target === undefined || !target.startsWith('packages/') || target.endsWith('.json')) return [];
    if (isInside(file.path, target) || isEntryPoint(target, file.path)) return [];
    return [`${file.path} -> ${target}`];
  });
}

/** Every group of files that import each other in a circle, by static imports; types count. */
export function circles(files: readonly SourceFile[], packages: ReadonlyMap<string, string>): string[][] {
  const known = new Set(files.map(({ path }) => path));
  const edges = new Map(
    files.map(({ path, text }) => [
      path,
      importsOf(text, 'static')
        .map((specifier) => packages.get(specifier) ?? resolved(path, specifier))
        .filter((target) => target !== undefined && known.has(target)) as string[],
    ]),
  );
  return stronglyConnected(edges).filter((group) => group.length > 1);
}

/** Where the code of a shared module, comments aside, names a cloud. */
export function cloudNames(file: SourceFile): string[] {
  if (maySpeakOfClouds(file.path)) return [];
  const code = codeOnly(file.text, 'keep strings').split('\n');
  return code.flatMap((line, index) => {
    const found = CLOUD_NAME.exec(line);
    return found === null ? [] : [`${file.path}:${index + 1}: ${found[0]}`];
  });
}

// ---------------------------------------------------------------------------------------------------

/** Whole words, alone or as a part of a camel-case or upper-case name; not the end of `tasks` or `weeks`. */
const CLOUD_NAME =
  /[aA]zure|AZURE|(?<![a-zA-Z])(?:aks|aws|eks|ec2)(?![a-z])|(?:Aks|Aws|Eks|Ec2)(?![a-z])|AKS|AWS|EKS|EC2/;

/** Where a cloud may be named: its kinds, its own folders, what a machine is told, and the verbs about one cloud. */
const CLOUD_PLACES: readonly RegExp[] = [
  /^packages\/cloudsim\//,
  /^packages\/chandler\/src\/api\//,
  /^packages\/chandler\/src\/(cloud|arm|bootstrap|flexnode|readiness)\//,
  // One chart for all clouds: it knows the keys of each.
  /^packages\/chandler\/src\/chart\//,
  // The playground shows one cloud at a time and chooses which.
  /^packages\/chandler\/src\/playground\//,
  /^packages\/chandler\/src\/cli\/(flexnode|bootstrap|playground|configure)\//,
  // One folder for each cloud; its core names none.
  /^packages\/chandler\/src\/configure\/(aks|eks)\//,
  // What is ready depends on the cloud, as in readiness/.
  /^packages\/chandler\/src\/cli\/(check\/|verbs\/check\.ts$)/,
  // It says how a person gets a token, which depends on the cloud.
  /^packages\/chandler\/src\/dashboard\/web\/parts\/connection-state\.tsx$/,
  // It prints the kinds of api/, which its help page lists.
  /^packages\/chandler\/src\/cli\/verbs\/crds\.ts$/,
  /^packages\/chandler\/src\/cli\/(flexnode-main\.ts|verbs\/(flexnode|bootstrap|playground|configure)\.ts)$/,
];

function maySpeakOfClouds(path: string): boolean {
  return !path.startsWith(PRODUCT) || isTest(path) || CLOUD_PLACES.some((place) => place.test(path));
}

function wrongPackage(path: string, specifier: string): string | undefined {
  const from = packageOf(path);
  if (from === undefined || !specifier.startsWith('@chandler/')) return undefined;
  const name = specifier.split('/').slice(0, 2).join('/');
  if (!PACKAGES[from]!.imports.includes(name)) return `${from} may not import ${name}`;
  if (name === '@chandler/kube' || from !== 'chandler' || isTest(path)) return undefined;
  const module = moduleOf(path) ?? '';
  return IMPORTERS_OF_THE_OTHER_SIDE.includes(module)
    ? undefined
    : `the module ${module} may not import ${name}`;
}

function wrongModule(path: string, target: string): string | undefined {
  const from = packageOf(path);
  if (from === undefined) return undefined;
  if (packageOf(target) !== from)
    return from === 'chandler' && isTest(path) && target.startsWith('test/')
      ? undefined
      : 'a relative import leaves the package';
  const module = moduleOf(path);
  const other = moduleOf(target);
  if (isTest(path) || module === undefined || other === undefined || module === other) return undefined;
  return MODULES[module]!.imports.includes(other) ? undefined : `${module} may not import ${other}`;
}

function isInside(path: string, target: string): boolean {
  return packageOf(path) === packageOf(target) && moduleOf(path) === moduleOf(target);
}

function isEntryPoint(target: string, importer: string): boolean {
  const module = moduleOf(target);
  // Of the other packages Node itself lets nobody in past `exports`; a relative path would get around that.
  if (module === undefined) return false;
  if (module.endsWith('.ts')) return true;
  const file = target.slice(`${PRODUCT}${module}/`.length);
  if (file === 'testing.ts') return isTest(importer) || packageOf(importer) === undefined;
  return file === 'index.ts' || file in (MODULES[module]!.entries ?? {});
}

function resolved(path: string, specifier: string): string | undefined {
  return specifier.startsWith('.')
    ? normalize(join(dirname(path), specifier)).replaceAll('\\', '/')
    : undefined;
}

/** Tarjan's algorithm. */
function stronglyConnected(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const groups: string[][] = [];
  const visit = (node: string): void => {
    index.set(node, index.size);
    low.set(node, index.get(node)!);
    stack.push(node);
    onStack.add(node);
    for (const next of edges.get(node) ?? []) {
      if (!index.has(next)) {
        visit(next);
        low.set(node, Math.min(low.get(node)!, low.get(next)!));
      } else if (onStack.has(next)) low.set(node, Math.min(low.get(node)!, index.get(next)!));
    }
    if (low.get(node) !== index.get(node)) return;
    const group = stack.splice(stack.indexOf(node));
    for (const member of group) onStack.delete(member);
    groups.push(group.sort());
  };
  for (const node of edges.keys()) if (!index.has(node)) visit(node);
  return groups;
}
