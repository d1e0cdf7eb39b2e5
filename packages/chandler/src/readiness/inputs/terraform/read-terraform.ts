/** Terraform files of a folder tree: modules that no other module calls are evaluated with their variables. */
import { posix } from 'node:path';
import type { Tree } from '../../model/tree.ts';
import type { InputProblem, ModuleCall, Resource, RootModule, TerraformOutput } from '../inputs.ts';
import { evaluate } from './evaluate.ts';
import { parseHcl } from './hcl-parser.ts';
import { HclError } from './hcl-syntax.ts';
import { type HclFile, ModuleScope, type ModuleSource } from './module-scope.ts';

export interface TerraformFile {
  readonly name: string;
  readonly text: string;
}

export interface Terraform {
  readonly resources: readonly Resource[];
  readonly moduleCalls: readonly ModuleCall[];
  readonly outputs: readonly TerraformOutput[];
  readonly rootModules: readonly RootModule[];
  readonly problems: readonly InputProblem[];
}

/**
 * @param files `.tf` and `.tfvars` files
 * @param locked folders with a lock file
 * @param roots folders that are checked
 * @param variableFiles files of variables that the user names, besides those that Terraform reads by itself.
 */
export function readTerraform(
  files: readonly TerraformFile[],
  locked: ReadonlySet<string>,
  roots: readonly string[] = ['.'],
  variableFiles: ReadonlySet<string> = new Set(),
): Terraform {
  const problems: InputProblem[] = [];
  const parsed = files.flatMap(({ name, text }) => {
    try {
      return [{ name, body: parseHcl(text) }];
    } catch (error) {
      if (!(error instanceof HclError)) throw error;
      problems.push({ at: { file: name, line: error.line }, message: error.message, level: 'error' });
      return [];
    }
  });
  const folders = new Map<string, ModuleSource>();
  for (const [folder, own] of Map.groupBy(parsed.filter(isConfiguration), ({ name }) => folderOf(name)))
    folders.set(folder, { folder, files: own });
  const called = calledFolders(folders);
  const resources: Resource[] = [];
  const moduleCalls: ModuleCall[] = [];
  const outputs: TerraformOutput[] = [];
  const rootModules: RootModule[] = [];
  for (const [folder, source] of folders) {
    if (called.has(folder)) continue;
    const variables = variablesOf(parsed, folder, variableFiles);
    const opened = new Set([folder]);
    const scope = new ModuleScope({
      source,
      address: '',
      variable: (name) => variables.get(name),
      open: (other) => {
        const name = folderOf(`${other}/x`);
        opened.add(name);
        return folders.get(name);
      },
      isChecked: (other) => roots.some((root) => isBelow(other, root)),
      ancestors: [],
    });
    const contents = scope.contents();
    resources.push(...contents.resources);
    moduleCalls.push(...contents.moduleCalls);
    outputs.push(...scope.outputs());
    rootModules.push({
      folder,
      folders: opened,
      lockFile: locked.has(folder),
      missingModules: contents.missingModules,
      at: { file: source.files[0]!.name, line: 1 },
    });
  }
  // Folders of which every file is broken.
  for (const { at } of problems) {
    const folder = 'file' in at && at.file.endsWith('.tf') ? folderOf(at.file) : undefined;
    if (folder === undefined || folders.has(folder) || called.has(folder)) continue;
    if (!rootModules.some((own) => own.folder === folder))
      rootModules.push({
        folder,
        folders: new Set([folder]),
        lockFile: locked.has(folder),
        missingModules: [],
        at,
      });
  }
  return { resources, moduleCalls, outputs, rootModules, problems };
}

export function folderOf(name: string): string {
  return posix.dirname(posix.normalize(name));
}

// ---------------------------------------------------------------------------------------------------------------

function isBelow(folder: string, root: string): boolean {
  const path = posix.relative(posix.normalize(root), posix.normalize(folder));
  return path !== '..' && !path.startsWith('../') && !posix.isAbsolute(path);
}

function isConfiguration({ name }: HclFile): boolean {
  return name.endsWith('.tf');
}

function calledFolders(folders: ReadonlyMap<string, ModuleSource>): ReadonlySet<string> {
  const called = new Set<string>();
  for (const { folder, files } of folders.values())
    for (const { body } of files)
      for (const block of body.blocks) {
        const source = block.type === 'module' ? block.body.attributes.get('source')?.value : undefined;
        if (source?.kind !== 'literal' || !/^\.\.?\//.test(String(source.value))) continue;
        const target = folderOf(`${posix.join(folder, String(source.value))}/x`);
        if (target !== folder) called.add(target);
      }
  return called;
}

/** In the order of Terraform: `terraform.tfvars`, `*.auto.tfvars` by name, then the files that the user names. */
function variablesOf(
  parsed: readonly HclFile[],
  folder: string,
  named: ReadonlySet<string>,
): ReadonlyMap<string, Tree> {
  const own = parsed.filter(({ name }) => folderOf(name) === folder);
  const ordered = [
    ...own.filter(({ name }) => posix.basename(name) === 'terraform.tfvars'),
    ...own.filter(({ name }) => name.endsWith('.auto.tfvars')),
    ...parsed.filter(({ name }) => named.has(name)),
  ];
  const values = new Map<string, Tree>();
  // Somebody may name them, and then they win over defaults.
  for (const { name: file, body } of own)
    if (file.endsWith('.tfvars') && !ordered.some(({ name }) => name === file))
      for (const [name, { line }] of body.attributes)
        values.set(name, {
          kind: 'unknown',
          why: `is set in ${file}, which --var-file can name`,
          at: { file, line },
        });
  for (const { name: file, body } of ordered)
    for (const [name, { value }] of body.attributes)
      values.set(
        name,
        evaluate(value, {
          file,
          lookUp: (steps, at) => ({
            tree: { kind: 'unknown', why: `refers to ${steps.join('.')} in a file of variables`, at },
            used: steps.length,
          }),
        }),
      );
  return values;
}
