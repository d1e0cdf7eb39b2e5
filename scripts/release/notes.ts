/** The notes of a release: its section of CHANGELOG.md. */

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

/** @throws {Error} if the tag is not that of the version. */
export function assertTag(tag: string, version: string): void {
  if (tag !== `v${version}`)
    throw new Error(
      `the tag is ${tag}, but the version of package.json is ${version}: the tag must be v${version}`,
    );
}
