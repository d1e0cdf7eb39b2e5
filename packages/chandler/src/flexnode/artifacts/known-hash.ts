/**
 * The hash that a file must have, decided before the download: from the config first, then from the built-in table. A
 * file in neither is rejected with the exact line to add to the config. `published-checksum.ts` handles checksums that
 * vendors publish; they are used only if the config allows it.
 */
import type { FlexConfig } from '../config/config.ts';
import { FlexError } from '../flex-error.ts';
import type { ArtifactRequest } from './artifacts.ts';
import { PINNED_SHA256 } from './hashes.table.ts';

export interface KnownHash {
  readonly sha256: string;
  readonly by: 'config' | 'built-in' | 'published' | 'bundle';
}

/** `containerd/1.7.20/amd64`: the name of a file in the config and in messages. */
export function artifactKey(request: ArtifactRequest): string {
  return `${request.kind}/${request.version}/${request.architecture}`;
}

export function knownHash(
  request: ArtifactRequest,
  downloads: FlexConfig['downloads'],
): KnownHash | undefined {
  const own = downloads.sha256[artifactKey(request)];
  if (own !== undefined) return { sha256: own.toLowerCase(), by: 'config' };
  const pinned = PINNED_SHA256[`${request.kind}/${request.version}`]?.[request.architecture];
  return pinned === undefined ? undefined : { sha256: pinned, by: 'built-in' };
}

/** The error for a file without a known hash. `url` is the file of the vendor. */
export function unknownHash(request: ArtifactRequest, url: string): FlexError {
  const key = artifactKey(request);
  const otherwise =
    request.kind === 'azcmagent'
      ? ''
      : ' or set "downloads": {"allowPublishedChecksums": true} to trust the checksum file that the vendor publishes';
  return new FlexError({
    class: 'config',
    code: 'download.hash-unknown',
    where: 'downloads.sha256',
    message: `no SHA-256 hash is known for ${key}; it is not downloaded`,
    remedy: `Run curl -fsSL ${url} | sha256sum, compare the hash with a second source, and add "downloads": {"sha256": {"${key}": "<hash>"}} to the config${otherwise}.`,
  });
}
