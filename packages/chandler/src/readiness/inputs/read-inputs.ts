/**
 * Reads everything below the named files and folders that a check can use. A file that is broken is reported with its line and
 * left out; the others are read all the same.
 */
import { open } from 'node:fs/promises';
import { posix } from 'node:path';
import type { Tree } from '../model/tree.ts';
import { IGNORE } from '../suppressions/suppression.ts';
import { assemble } from './assemble.ts';
import { discover, type FoundFile } from './files/discover.ts';
import { decode, encodingOf, readText } from './files/read-text.ts';
import type { InputProblem, Inputs } from './inputs.ts';
import { readEarly, type YamlFile } from './kubernetes/read-kubernetes.ts';
import { readYaml, TEMPLATES } from './kubernetes/yaml-trees.ts';
import { looksLikeTerraform, readTerraformJson, type TerraformJson } from './terraform/plan-and-state.ts';
import { folderOf, type TerraformFile } from './terraform/read-terraform.ts';

export interface ReadOptions {
  /** Files and folders. */
  readonly paths: readonly string[];
  /** Plans and states, wherever they are and whatever they are called. */
  readonly terraformJson?: readonly string[];
  /** Files of Terraform variables besides those that Terraform reads by itself. */
  readonly variableFiles?: readonly string[];
  /** A file with expectations. */
  readonly config?: string;
  /** Texts that files would have: they are read in place of what is on the disk. By the name of the file. */
  readonly texts?: ReadonlyMap<string, string>;
}

export async function readInputs(options: ReadOptions): Promise<Inputs> {
  const problems: InputProblem[] = [];
  const files = await discoverAll([...(options.variableFiles ?? []), ...options.paths], problems);
  const named = await discoverAll(options.terraformJson ?? [], problems);
  const sorted = await sortFiles(files, named, problems, options.texts);
  const json: TerraformJson[] = [];
  for (const file of sorted.json) json.push(await readTerraformJson(file));
  const expectations = options.config === undefined ? undefined : await readConfig(options.config, problems);
  return assemble({
    ...sorted,
    roots: options.paths,
    variableFiles: new Set(options.variableFiles?.map((name) => posix.normalize(name))),
    json,
    ...(expectations === undefined ? {} : { expectations }),
    problems,
    files: [...sorted.terraform, ...sorted.json, ...sorted.yaml].map(({ name }) => name).sort(),
  });
}

// ---------------------------------------------------------------------------------------------------------------

interface SortedFiles {
  readonly terraform: TerraformFile[];
  readonly json: FoundFile[];
  readonly yaml: YamlFile[];
  /** Folders with a lock file. */
  readonly locked: Set<string>;
  /** Files with comments about suppressions. */
  readonly commented: string[];
}

async function discoverAll(
  paths: readonly string[],
  problems: InputProblem[],
): Promise<readonly FoundFile[]> {
  const files = new Map<string, FoundFile>();
  for (const path of paths) {
    const found = await discover(path);
    problems.push(...found.problems);
    for (const file of found.files) if (!files.has(file.path)) files.set(file.path, file);
  }
  return [...files.values()];
}

/** By extension, and JSON by how it begins. */
async function sortFiles(
  files: readonly FoundFile[],
  named: readonly FoundFile[],
  problems: InputProblem[],
  texts: ReadonlyMap<string, string> = new Map(),
): Promise<SortedFiles> {
  const sorted: SortedFiles = {
    terraform: [],
    json: [...named],
    yaml: [],
    locked: new Set(),
    commented: [],
  };
  const known = new Set(named.map(({ path }) => path));
  for (const file of files) {
    if (known.has(file.path)) continue;
    if (posix.basename(file.name) === '.terraform.lock.hcl') sorted.locked.add(folderOf(file.name));
    else if (/\.(json|tfstate)$/i.test(file.name) && (await isTerraformJson(file))) sorted.json.push(file);
    else await addText(file, sorted, problems, texts);
  }
  return sorted;
}

async function addText(
  file: FoundFile,
  sorted: SortedFiles,
  problems: InputProblem[],
  texts: ReadonlyMap<string, string>,
): Promise<void> {
  const report = (message: string, level: InputProblem['level']) =>
    problems.push({ at: { file: file.name }, message, level });
  if (/\.tf(vars)?\.json$/i.test(file.name)) {
    report('Terraform in JSON syntax is not read; a plan has the same values', 'note');
    return;
  }
  const changed = texts.get(file.name);
  const read = changed === undefined ? await readText(file) : decode(Buffer.from(changed));
  // Most files of JSON are not for a check, and large ones hardly ever.
  if ('text' in read && read.text.includes(IGNORE)) sorted.commented.push(file.name);
  if ('problem' in read) report(read.problem, /\.json$/i.test(file.name) ? 'note' : 'error');
  else if (/\.(tf|tfvars)$/i.test(file.name)) sorted.terraform.push({ name: file.name, text: read.text });
  else if (isTemplate(file.name, read.text)) report(TEMPLATES, 'note');
  else if (!/\.json$/i.test(file.name) || /"apiVersion"/.test(read.text))
    sorted.yaml.push(readEarly({ name: file.name, text: read.text }));
}

/** A file of a chart that has to be rendered first. */
function isTemplate(name: string, text: string): boolean {
  return /(^|\/)templates\//.test(name) && text.includes('{{');
}

const BEGINNING_BYTES = 4096;

async function isTerraformJson(file: FoundFile): Promise<boolean> {
  const handle = await open(file.path).catch(() => undefined);
  if (handle === undefined) return false;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(BEGINNING_BYTES), 0, BEGINNING_BYTES, 0);
    const beginning = buffer.subarray(0, bytesRead);
    return looksLikeTerraform(file.name, new TextDecoder(encodingOf(beginning)).decode(beginning));
  } finally {
    await handle.close();
  }
}

async function readConfig(name: string, problems: InputProblem[]): Promise<Tree | undefined> {
  const [file] = await discoverAll([name], problems);
  const read = file === undefined ? undefined : await readText(file);
  if (read === undefined) return undefined;
  if ('problem' in read) {
    problems.push({ at: { file: name }, message: read.problem, level: 'error' });
    return undefined;
  }
  const { trees, problems: own } = readYaml(read.text, name);
  problems.push(...own);
  return trees[0];
}
