/** The `Artifacts` of a dry run: reports the file, its source and its hash, and downloads nothing. */
import type { FlexConfig } from '../config/config.ts';
import type { Artifacts } from './artifacts.ts';
import { DOWNLOADS_FOLDER } from './create-artifacts.ts';
import { artifactKey, knownHash, unknownHash } from './known-hash.ts';
import { layoutPath, localName, sourcesOf, vendorUrl } from './sources.ts';

export function createNotedArtifacts(options: {
  readonly config: FlexConfig;
  readonly say: (message: string, fields?: Readonly<Record<string, string | number>>) => void;
}): Artifacts {
  const { downloads } = options.config;
  return {
    prefetch() {},
    async obtain(wish) {
      const known = knownHash(wish, downloads);
      const elsewhere = downloads.bundle !== undefined || downloads.allowPublishedChecksums === true;
      if (known === undefined && !elsewhere) throw unknownHash(wish, vendorUrl(wish));
      const from =
        downloads.bundle === undefined
          ? sourcesOf(wish, options.config)[0]!.split('?')[0]!
          : `${downloads.bundle}:${layoutPath(wish)}`;
      const sha256 = known?.sha256 ?? '';
      options.say(`would download ${artifactKey(wish)}`, { from, sha256: sha256 || 'as published' });
      return { path: `${DOWNLOADS_FOLDER}/${localName(wish)}`, sha256, bytes: 0, from };
    },
    async discard() {},
  };
}
