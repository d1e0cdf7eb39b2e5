/** The `Artifacts` of a dry run: reports the file, its source and its hash, and downloads nothing. */
import type { FlexConfig } from '../config/config.ts';
import type { Artifacts } from './artifacts.ts';
import { DOWNLOADS_FOLDER } from './create-artifacts.ts';
import { artifactKey, knownHash, unknownHash } from './known-hash.ts';
import { layoutPath, localName, sourcesOf, vendorUrl } from './sources.ts';

export function createDryRunArtifacts(options: {
  readonly config: FlexConfig;
  readonly say: (message: string, fields?: Readonly<Record<string, string | number>>) => void;
}): Artifacts {
  const { downloads } = options.config;
  return {
    prefetch() {},
    async obtain(request) {
      const known = knownHash(request, downloads);
      const elsewhere = downloads.bundle !== undefined || downloads.allowPublishedChecksums === true;
      if (known === undefined && !elsewhere) throw unknownHash(request, vendorUrl(request));
      const from =
        downloads.bundle === undefined
          ? sourcesOf(request, options.config)[0]!.split('?')[0]!
          : `${downloads.bundle}:${layoutPath(request)}`;
      const sha256 = known?.sha256 ?? '';
      options.say(`would download ${artifactKey(request)}`, { from, sha256: sha256 || 'as published' });
      return { path: `${DOWNLOADS_FOLDER}/${localName(request)}`, sha256, bytes: 0, from };
    },
    async discard() {},
  };
}
