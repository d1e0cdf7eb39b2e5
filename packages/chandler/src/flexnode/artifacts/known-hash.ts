/**
 * Which hash a file must have, decided before it is fetched: the operator's own word first, then the built-in table.
 * What neither knows is refused here with the exact line that would allow it; the vendor's published checksum is the
 * business of `published-checksum.ts` and only asked for when the config says so.
 */
import type { FlexConfig } from '../config/config.ts';
import { FlexError } from '../flex-error.ts';
import type { ArtifactWish } from './artifacts.ts';
import { PINNED_SHA256 } from './hashes.table.ts';

export interface KnownHash {
  readonly sha256: string;
  readonly by: 'config' | 'built-in' | 'published' | 'bundle';
}

/** `containerd/1.7.20/amd64`: how the config and messages name a file. */
export function artifactKey(wish: ArtifactWish): string {
  return `${wish.kind}/${wish.version}/${wish.architecture}`;
}

export function knownHash(wish: ArtifactWish, downloads: FlexConfig['downloads']): KnownHash | undefined {
  const own = downloads.sha256[artifactKey(wish)];
  if (own !== undefined) return { sha256: own.toLowerCase(), by: 'config' };
  const pinned = PINNED_SHA256[`${wish.kind}/${wish.version}`]?.[wish.architecture];
  return pinned === undefined ? undefined : { sha256: pinned, by: 'built-in' };
}

/** Said when nobody knows the hash. `url` is where the operator can see what the vendor says. */
export function unknownHash(wish: ArtifactWish, url: string): FlexError {
  const key = artifactKey(wish);
  const otherwise =
    wish.kind === 'azcmagent'
      ? ''
      : ' or set "downloads": {"allowPublishedChecksums": true} to trust the checksum file beside it';
  return new FlexError({
    class: 'config',
    code: 'download.hash-unknown',
    where: 'downloads.sha256',
    message: `no SHA-256 is known for ${key}, so it is not fetched`,
    remedy: `Add "downloads": {"sha256": {"${key}": "<sha256 of ${url}>"}} to the config${otherwise}.`,
  });
}
