/** Makes inputs of texts: what `read-inputs.ts` found on the disk, or what a test gives. */
import { SOURCES } from '../model/finding.ts';
import type { Tree } from '../model/tree.ts';
import type { GitState, HelmRelease, InputProblem, Inputs, Manifest, Resource } from './inputs.ts';
import { readKubernetes, type YamlFile } from './kubernetes/read-kubernetes.ts';
import { terraformManifests, terraformRelease } from './terraform/installed.ts';
import type { TerraformJson } from './terraform/plan-and-state.ts';
import { readTerraform, type TerraformFile } from './terraform/read-terraform.ts';

export interface Texts {
  /** `.tf` and `.tfvars` files. */
  readonly terraform: readonly TerraformFile[];
  /** Folders with a lock file. */
  readonly locked: ReadonlySet<string>;
  /** Folders that are checked. */
  readonly roots: readonly string[];
  /** Names of files of variables that the user names. */
  readonly variableFiles: ReadonlySet<string>;
  /** Plans and states. */
  readonly json: readonly TerraformJson[];
  readonly yaml: readonly YamlFile[];
  readonly expectations?: Tree;
  readonly git?: GitState;
  readonly problems: readonly InputProblem[];
  readonly files: readonly string[];
  readonly commented?: readonly string[];
}

export function assemble({ expectations, git, json, files, commented, ...texts }: Texts): Inputs {
  const terraform = readTerraform(texts.terraform, texts.locked, texts.roots, texts.variableFiles);
  const kubernetes = readKubernetes(texts.yaml);
  const all = [...terraform.resources, ...json.flatMap((each) => each.resources)];
  const resources = all.filter((resource) => !isRemoved(resource));
  const problems: InputProblem[] = [];
  const unreadManifests: string[] = [];
  const installed = resources
    .toSorted((a, b) => SOURCES.indexOf(a.source) - SOURCES.indexOf(b.source))
    .flatMap((resource) => {
      const made = terraformManifests(resource, problems);
      if (made === undefined) unreadManifests.push(resource.address);
      return made ?? [];
    })
    .filter(isNew(kubernetes.manifests));
  return {
    manifests: [...kubernetes.manifests, ...installed],
    releases: releasesOf(kubernetes.releases, resources, problems),
    applications: kubernetes.applications,
    resources,
    removed: all.filter(isRemoved),
    unreadManifests,
    moduleCalls: terraform.moduleCalls,
    outputs: [...terraform.outputs, ...json.flatMap((each) => each.outputs)],
    rootModules: terraform.rootModules,
    ...(expectations === undefined ? {} : { expectations }),
    ...(git === undefined ? {} : { git }),
    problems: [
      ...texts.problems,
      ...terraform.problems,
      ...json.flatMap((each) => each.problems),
      ...kubernetes.problems,
      ...problems,
    ],
    files,
    ...(commented === undefined ? {} : { commented }),
  };
}

// ---------------------------------------------------------------------------------------------------------------

/** A file of values may be what a release of Terraform reads, which sets more values. */
function releasesOf(
  written: readonly HelmRelease[],
  resources: readonly Resource[],
  problems: InputProblem[],
): readonly HelmRelease[] {
  const installed = resources.flatMap((resource) => terraformRelease(resource, problems) ?? []);
  const [first] = installed;
  if (first === undefined) return written;
  const reason = `${first.origin} may set more values`;
  return [
    ...written.map((release) =>
      isFileOfValues(release) ? { ...release, incomplete: [...release.incomplete, reason] } : release,
    ),
    ...installed,
  ];
}

function isFileOfValues({ origin, at }: HelmRelease): boolean {
  return 'file' in at && at.file === origin;
}

/** A plan that replaces a resource creates it again. */
function isRemoved({ actions = [] }: Resource): boolean {
  return actions.some((action) => action === 'delete' || action === 'forget') && !actions.includes('create');
}

/** The same object in a state and in the file that Terraform read it from is one object: that of the strongest source. */
function isNew(known: readonly Manifest[]): (manifest: Manifest) => boolean {
  const names = new Set(known.map(({ kind, name }) => `${kind}/${name}`));
  return ({ kind, name, isUnnamed }) => {
    if (isUnnamed === true) return true;
    const key = `${kind}/${name}`;
    if (names.has(key)) return false;
    names.add(key);
    return true;
  };
}
