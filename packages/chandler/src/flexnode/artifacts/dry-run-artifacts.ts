/** The `Artifacts` of a dry run: reports the file, its source and its hash, and downloads nothing. */
import type { FlexConfig } from '../config/config.ts';
import type { ArtifactRequest, Artifacts } from './artifacts.ts';
import { DOWNLOADS_FOLDER } from './create-artifacts.ts';
import { artifactKey, knownHash, unknownHash } from './known-hash.ts';
import { bundleOf, layoutPath, localName, sourcesOf, vendorUrl } from './sources.ts';

export function createDryRunArtifacts(options: {
  readonly config: FlexConfig;
  readonly say: (message: string, fields?: Readonly<Record<string, string | number>>) => void;
}): Artifacts {
  const { downloads } = options.config;
  return {
    prefetch() {},
    async obtain(request) {
      const known = knownHash(request, downloads);
      // With a bundle, too: its manifest is as untrusted as its files.
      const isTrusted = downloads.allowPublishedChecksums === true && request.kind !== 'azcmagent';
      if (known === undefined && !isTrusted) throw unknownHash(request, vendorUrl(request));
      const from = sourceOf(request, options.config);
      const sha256 = known?.sha256 ?? '';
      options.say(`would download ${artifactKey(request)}`, { from, sha256: sha256 || 'as published' });
      return { ...unpinnedFile(request, options.config), sha256 };
    },
    async discard() {},
  };
}

/** The file as a run would download it, if its hash were known. */
export function unpinnedFile(request: ArtifactRequest, config: FlexConfig) {
  return {
    path: `${DOWNLOADS_FOLDER}/${localName(request)}`,
    sha256: '',
    bytes: 0,
    from: sourceOf(request, config),
  };
}

// ---------------------------------------------------------------------------------------------------

function sourceOf(request: ArtifactRequest, config: FlexConfig): string {
  const bundle = bundleOf(config);
  return bundle === undefined
    ? sourcesOf(request, config)[0]!.split('?')[0]!
    : `${bundle}:${layoutPath(request)}`;
}
