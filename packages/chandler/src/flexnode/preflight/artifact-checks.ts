/** Checks of the programs to install: their hashes, without which nothing is downloaded, and their known escapes. */
import { stepArtifactRequests } from '../artifacts/artifact-requests.ts';
import type { ArtifactRequest } from '../artifacts/artifacts.ts';
import { bundleProblems } from '../artifacts/bundle.ts';
import { knownEscapes } from '../artifacts/known-escapes.ts';
import { artifactKey, knownHash } from '../artifacts/known-hash.ts';
import { bundleOf } from '../artifacts/sources.ts';
import type { StepId } from '../step.ts';
import { type Check, error, type Inspection, isAnyToInstall, ok, warning } from './check.ts';
import type { Finding } from './report.ts';

const GROUPS = {
  'kubernetes-artifacts': ['kubernetes'],
  'cri-artifacts': ['containerd', 'runc'],
  'cni-artifacts': ['cni'],
  'arc-artifacts': ['arc'],
} as const satisfies Readonly<Record<string, readonly StepId[]>>;

type Group = keyof typeof GROUPS;

export const ARTIFACT_CHECKS: readonly Check[] = [
  ...(Object.keys(GROUPS) as Group[]).map((name) => ({
    name,
    installedBy: GROUPS[name],
    look: (inspection: Inspection) => hashes(inspection, name),
  })),
  { name: 'known-escapes', look: escapes },
];

/** Those that have to be installed; if there are none, all of them. */
export function artifactsToInstall(inspection: Inspection): readonly ArtifactRequest[] {
  const all = Object.keys(GROUPS) as Group[];
  const needed = all.filter((group) => isAnyToInstall(inspection, GROUPS[group]));
  return wantedArtifacts(inspection, needed.length > 0 ? needed : all);
}

// ---------------------------------------------------------------------------------------------------

function wantedArtifacts(
  { config, architecture }: Pick<Inspection, 'config' | 'architecture'>,
  groups: readonly Group[],
): readonly ArtifactRequest[] {
  return groups.flatMap((group) =>
    GROUPS[group].flatMap((step) => stepArtifactRequests(step, config, architecture)),
  );
}

async function escapes({ config }: Inspection): Promise<readonly Finding[]> {
  const found = (['runc', 'containerd'] as const).flatMap((program) =>
    knownEscapes(program, config[program].version).map(({ ids, what, fixedIn }) =>
      warning(
        `${ids.join(', ')}: ${what}`,
        `Set ${program}.version to a version with the fix: ${fixedIn.join(', ')}, or later in the same branch.`,
        `${program} ${config[program].version}`,
      ),
    ),
  );
  return found.length > 0
    ? found
    : [ok('no container escape is known for these versions of runc and containerd')];
}

async function hashes(inspection: Inspection, group: Group): Promise<readonly Finding[]> {
  const { config, host } = inspection;
  const requests = wantedArtifacts(inspection, [group]);
  if (requests.length === 0) return [];
  const bundle = bundleOf(config);
  if (bundle !== undefined) {
    if ((await host.lstat(bundle)) === undefined) {
      const remedy = 'Create it with `flexnode bundle` and copy it to this machine.';
      return [error('the bundle does not exist', remedy, bundle)];
    }
    const problems = await bundleProblems(requests, config, host);
    return problems.length > 0
      ? problems.map(({ message, remedy }) => error(message, remedy ?? '', bundle))
      : [ok('all programs are in the bundle, with their hashes', bundle)];
  }
  return requests.map((request) => {
    const key = artifactKey(request);
    if (knownHash(request, config.downloads) !== undefined) return ok('the hash is known', key);
    if (config.downloads.allowPublishedChecksums === true && request.kind !== 'azcmagent') {
      return warning(
        'the hash is not known; the published checksum of the vendor is trusted',
        `Set downloads.sha256["${key}"] to its hash.`,
        key,
      );
    }
    return error(
      'the hash is not known, so the file is not downloaded',
      `Set downloads.sha256["${key}"] to its hash.`,
      key,
    );
  });
}
