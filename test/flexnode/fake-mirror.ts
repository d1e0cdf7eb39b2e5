/** What the mirrors hold for a folder machine: tiny programs that say their version, in the archives that the real ones come in. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Architecture, FlexConfig } from '../../packages/chandler/src/flexnode/index.ts';
import {
  type ArtifactRequest,
  artifactKey,
  artifactRequests,
  layoutPath,
  writeTar,
} from '../../packages/chandler/src/flexnode/testing.ts';

export const MIRROR = 'https://mirror.test';

export interface FakeMirror {
  /** The configuration with this mirror, and the hashes of what it holds. */
  readonly config: FlexConfig;
  /** `undefined`: it holds no such file. */
  get(url: string): Uint8Array | undefined;
}

export async function fakeMirror(config: FlexConfig, architecture: Architecture): Promise<FakeMirror> {
  const files = new Map<string, Uint8Array>();
  const sha256: Record<string, string> = {};
  const agent: ArtifactRequest = { kind: 'azcmagent', version: config.azure.arc.agentVersion, architecture };
  for (const request of [...artifactRequests(config, architecture), agent]) {
    const content = await contentOf(request);
    files.set(`${MIRROR}/${layoutPath(request)}`, content);
    sha256[artifactKey(request)] = createHash('sha256').update(content).digest('hex');
  }
  const downloads = { ...config.downloads, mirrors: [MIRROR], sha256 };
  return { config: { ...config, downloads }, get: (url) => files.get(url) };
}

// ---------------------------------------------------------------------------------------------------

const MEMBERS: Partial<Record<ArtifactRequest['kind'], readonly string[]>> = {
  containerd: ['bin/containerd', 'bin/containerd-shim', 'bin/containerd-shim-runc-v2', 'bin/ctr'],
  'cni-plugins': ['bridge', 'host-local', 'loopback', 'portmap'],
};

async function contentOf({ kind, version }: ArtifactRequest): Promise<Uint8Array> {
  const members = MEMBERS[kind];
  if (members === undefined) return Buffer.from(`${kind} version v${version}\n`);
  const chunks: Uint8Array[] = [];
  const entries = members.map((path) => {
    const content = Buffer.from(`${path.slice(path.lastIndexOf('/') + 1)} version v${version}\n`);
    return { path, bytes: content.length, content: () => [content] };
  });
  for await (const chunk of writeTar(entries)) chunks.push(chunk);
  return gzipSync(Buffer.concat(chunks));
}
