/**
 * The checksum file that a vendor publishes next to a file. It is used only if the config allows it, only over HTTPS, and
 * only from a URL of the vendor or of the config. It is never read from a mirror, which could change both files.
 */
import type { FlexConfig } from '../config/config.ts';
import { FlexError } from '../flex-error.ts';
import type { ArtifactKind, ArtifactRequest } from './artifacts.ts';
import { type RequestTools, requestFile, withoutQuery } from './http-response.ts';
import { artifactKey, type KnownHash, knownHash, unknownHash } from './known-hash.ts';
import { nonMirrorUrls, vendorUrl } from './sources.ts';

type Tools = RequestTools & { readonly say: (message: string) => void };

/** The hash that the file must have, from the sources that the config allows. Throws a `FlexError` if there is none. */
export async function expectedHash(
  request: ArtifactRequest,
  config: FlexConfig,
  tools: Tools,
): Promise<KnownHash> {
  const known = knownHash(request, config.downloads);
  if (known !== undefined) return known;
  const allowed = config.downloads.allowPublishedChecksums === true && request.kind !== 'azcmagent';
  if (!allowed) throw unknownHash(request, vendorUrl(request));
  return await publishedHash(request, nonMirrorUrls(request, config), tools);
}

export async function publishedHash(
  request: ArtifactRequest,
  addresses: readonly string[],
  tools: Tools,
): Promise<KnownHash> {
  const refused: string[] = [];
  for (const address of addresses) {
    const url = checksumUrl(request.kind, address);
    const answer = await requestFile(url, { from: 0 }, tools);
    if (answer.kind === 'refused') {
      refused.push(`${withoutQuery(url)}: ${answer.refusal.text}`);
      continue;
    }
    const text = await shortText(answer.body.chunks());
    const sha256 = hashIn(text, address.split('?')[0]!.split('/').at(-1)!);
    if (sha256 === undefined) {
      refused.push(`${withoutQuery(url)}: it contains no SHA-256 hash for the file`);
      continue;
    }
    tools.say(`${artifactKey(request)} is verified with the checksum from ${withoutQuery(url)}: ${sha256}`);
    return { sha256, by: 'published' };
  }
  const { facts } = unknownHash(request, addresses[0] ?? '');
  throw new FlexError({ ...facts, class: 'network', message: `${facts.message}; ${refused.join('; ')}` });
}

/** The hash of that file in a checksum file: a bare hash, or lines of `hash  name`. */
export function hashIn(text: string, name: string): string | undefined {
  const bare = /^\s*([0-9a-f]{64})\s*$/i.exec(text);
  if (bare) return bare[1]!.toLowerCase();
  for (const line of text.split('\n')) {
    const entry = /^([0-9a-f]{64})\s+\*?(\S+)\s*$/i.exec(line.trim());
    if (entry && entry[2]!.split('/').at(-1) === name) return entry[1]!.toLowerCase();
  }
  return undefined;
}

// ---------------------------------------------------------------------------------------------------

const MAX_CHECKSUM_BYTES = 64 * 1024;

/** containerd adds `.sha256sum`, runc keeps one list per release, the others add `.sha256`. */
function checksumUrl(kind: ArtifactKind, address: string): string {
  if (kind === 'runc') return address.replace(/[^/]*$/, 'runc.sha256sum');
  return `${address}${kind === 'containerd' ? '.sha256sum' : '.sha256'}`;
}

async function shortText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of chunks) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > MAX_CHECKSUM_BYTES) return '';
    }
  } catch {
    return '';
  }
  return text;
}
