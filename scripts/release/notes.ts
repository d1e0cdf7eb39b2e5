/** The notes of a release: its section of CHANGELOG.md, and what is known of the command line for each platform. */
import type { Platform } from './archives.ts';
import type { ArchiveRun } from './run-archive.ts';

export interface PlatformNote extends Pick<Platform, 'os' | 'architecture'> {
  readonly file: string;
  readonly nodeVersion: string;
  readonly run: ArchiveRun;
}

/**
 * The section of the version, or, for a build between releases, what is not released yet.
 * @throws {Error} if a release has no section.
 */
export function releaseNotes(changelog: string, version: string, isRelease: boolean): string {
  const sections = new Map(
    [...changelog.matchAll(/^## \[([^\]]+)\][^\n]*\n([\s\S]*?)(?=^## \[|(?![\s\S]))/gm)].map(
      ([, name, text]) => [name!, text!.trim()],
    ),
  );
  const notes = sections.get(version) ?? (isRelease ? undefined : sections.get('Unreleased'));
  if (notes === undefined || notes === '')
    throw new Error(`CHANGELOG.md has no section [${version}] with text; a release needs one`);
  return `# chandler ${version}\n\n${notes}\n`;
}

/** Which archives were run before they are published, and which were not. */
export function platformNotes(platforms: readonly PlatformNote[], commit: string): string {
  const rows = platforms.map(
    ({ os, architecture, file, nodeVersion, run }) =>
      `| ${os}/${architecture} | \`${file}\` | ${nodeVersion} | ${'ran' in run ? RAN[run.ran] : `not run: ${run.notRun}`} |\n`,
  );
  return `### The command line

| platform | file | Node.js | run before the release |
| --- | --- | --- | --- |
${rows.join('')}
Commit: ${commit}
`;
}

/** @throws {Error} if the tag is not that of the version. */
export function assertTag(tag: string, version: string): void {
  if (tag !== `v${version}`)
    throw new Error(
      `the tag is ${tag}, but the version of package.json is ${version}: the tag must be v${version}`,
    );
}

// ---------------------------------------------------------------------------------------------------

const RAN = { here: 'yes', emulated: 'yes, in QEMU' } as const;
