/** The manifest of the kubectl plugin for krew, of the archives of a release. */
import type { BuildFacts } from '../build/build-facts.ts';
import { renderKrewManifest } from '../krew.ts';
import { ARCHIVE_FOLDER, archiveName, PLATFORMS } from './archives.ts';

/** krew gives a plugin on Windows a name that ends in .exe, and the archive starts with a batch file. */
const ON_KREW = PLATFORMS.filter(({ os }) => os !== 'windows');

/**
 * @param address of the folder that the archives are downloaded from.
 * @param hashes SHA-256 by file.
 */
export function krewManifest(
  template: string,
  { version, commit }: Pick<BuildFacts, 'version' | 'commit'>,
  address: string,
  hashes: ReadonlyMap<string, string>,
): string {
  const files = ON_KREW.map(({ os, architecture }) => {
    const file = archiveName({ os, architecture }, version);
    return {
      os,
      arch: architecture,
      uri: `${address.replace(/\/$/, '')}/${file}`,
      sha256: hashes.get(file) ?? '',
      bin: `${ARCHIVE_FOLDER}/chandler`,
    };
  });
  return `# chandler ${version}, commit ${commit}\n${renderKrewManifest(template, { version, files })}`;
}
