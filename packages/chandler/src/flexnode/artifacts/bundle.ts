/**
 * All programs of a machine in one directory or .tar archive, for machines that cannot reach a file server. `makeBundle`
 * writes it on a machine with network access. The manifest lists every file with its hash; a file is used only if it has
 * that hash, and the hash is trusted only if the built-in table or the config contains the same.
 */
import type { FlexConfig } from '../config/config.ts';
import { FlexError, type FlexErrorFacts } from '../flex-error.ts';
import type { Host } from '../host/host.ts';
import { artifactRequests } from './artifact-requests.ts';
import type { Architecture, ArtifactRequest, VerifiedFile } from './artifacts.ts';
import { type BundleFile, type BundleManifest, MANIFEST, parseManifest } from './bundle-manifest.ts';
import { type DownloadTools, download, sha256Of } from './download.ts';
import { artifactKey, knownHash, unknownHash } from './known-hash.ts';
import { expectedHash } from './published-checksum.ts';
import { bundleOf, layoutPath, localName, sourcesOf } from './sources.ts';
import { readTarMember } from './tar.ts';
import { type TarEntry, writeTar } from './write-tar.ts';

export interface BundleRequest {
  readonly config: FlexConfig;
  readonly architectures: readonly Architecture[];
  /** A directory, or a file name that ends in `.tar`. */
  readonly out: string;
}

export async function makeBundle(request: BundleRequest, tools: DownloadTools): Promise<BundleManifest> {
  const packed = request.out.endsWith('.tar');
  const folder = packed ? `${request.out}.work` : request.out;
  // The reader of the bundle requests single programs, even if the config names an archive of them.
  const config = { ...request.config, downloads: { ...request.config.downloads, bundle: request.out } };
  const files: BundleFile[] = [];
  for (const architecture of request.architectures) {
    for (const artifact of artifactRequests(config, architecture)) {
      files.push(await fetchInto(folder, artifact, config, tools));
    }
  }
  const manifest = manifestOf(request, files);
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  if (!packed) {
    await tools.host.writeFile(`${folder}/${MANIFEST}`, text, { mode: 0o644 });
    return manifest;
  }
  const chunks = writeTar(entriesOf(folder, text, files, tools.host));
  await tools.host.writeStream(`${request.out}.part`, chunks, { mode: 0o644, append: false });
  await tools.host.rename(`${request.out}.part`, request.out);
  await tools.host.removeTree(folder);
  return manifest;
}

/** Verifies every file of the bundle against its manifest. Returns the paths that are missing or differ. */
export async function verifyBundle(bundle: string, host: Host): Promise<readonly string[]> {
  const reader = openBundle(bundle, host);
  const wrong: string[] = [];
  for (const file of (await reader.manifest()).files) {
    const bytes = await reader.file(file.path);
    if (bytes === undefined || sha256Of(bytes) !== file.sha256) wrong.push(file.path);
  }
  return wrong;
}

export async function obtainFromBundle(
  request: ArtifactRequest,
  config: FlexConfig,
  tools: Pick<DownloadTools, 'host'> & { readonly folder: string },
): Promise<VerifiedFile> {
  const bundle = bundleOf(config) ?? '';
  const reader = openBundle(bundle, tools.host);
  const { entry, sha256 } = agreedEntry(request, await reader.manifest(), config);
  const path = `${tools.folder}/${localName(request)}`;
  const from = `${bundle}:${entry.path}`;
  const kept = await tools.host.readFile(path);
  if (kept !== undefined && sha256Of(kept) === sha256) return { path, sha256, bytes: kept.length, from };
  const bytes = await reader.file(entry.path);
  if (bytes === undefined) throw refused(bundle, 'bundle.incomplete', `${entry.path} is missing`);
  const found = sha256Of(bytes);
  if (found !== sha256) {
    throw refused(bundle, 'bundle.hash-mismatch', `${entry.path} has SHA-256 ${found}, expected ${sha256}`);
  }
  // Copied before use, so that the verified file is in a directory that only root can write to.
  await tools.host.writeFile(path, bytes, { mode: 0o600 });
  return { path, sha256, bytes: bytes.length, from };
}

/** The errors with which these files would be rejected, without reading them. */
export async function bundleProblems(
  requests: readonly ArtifactRequest[],
  config: FlexConfig,
  host: Host,
): Promise<readonly FlexErrorFacts[]> {
  try {
    const manifest = await openBundle(bundleOf(config) ?? '', host).manifest();
    return requests.flatMap((request) => {
      try {
        agreedEntry(request, manifest, config);
        return [];
      } catch (error) {
        if (!(error instanceof FlexError)) throw error;
        return [error.facts];
      }
    });
  } catch (error) {
    if (!(error instanceof FlexError)) throw error;
    return [error.facts];
  }
}

// ---------------------------------------------------------------------------------------------------

async function fetchInto(
  folder: string,
  request: ArtifactRequest,
  config: FlexConfig,
  tools: DownloadTools,
): Promise<BundleFile> {
  const path = layoutPath(request);
  await tools.host.makeDirectory(`${folder}/${path.slice(0, path.lastIndexOf('/'))}`, 0o755);
  const { sha256 } = await expectedHash(request, config, tools);
  const file = await download(
    { what: artifactKey(request), sources: sourcesOf(request, config), sha256, path: `${folder}/${path}` },
    tools,
  );
  tools.say(`added ${artifactKey(request)}`, { from: file.from, bytes: file.bytes });
  return { path, sha256, bytes: file.bytes };
}

function manifestOf(request: BundleRequest, files: readonly BundleFile[]): BundleManifest {
  const { config } = request;
  const hasAgent = files.some((file) => file.path.startsWith('azcmagent/'));
  return {
    schemaVersion: 1,
    versions: {
      kubernetes: config.kubernetes.version,
      containerd: config.containerd.version,
      runc: config.runc.version,
      cni: config.cni.version,
      ...(hasAgent ? { azcmagent: config.azure.arc.agentVersion } : {}),
    },
    files: [...files].sort((a, b) => (a.path < b.path ? -1 : 1)),
  };
}

/** The manifest comes first, so that a reader of the archive knows the entries that follow. */
function* entriesOf(
  folder: string,
  manifest: string,
  files: readonly BundleFile[],
  host: Host,
): Generator<TarEntry> {
  const bytes = Buffer.from(manifest);
  yield { path: MANIFEST, bytes: bytes.length, content: () => [bytes] };
  for (const file of files) {
    yield {
      path: file.path,
      bytes: file.bytes,
      content: async () => [(await host.readFile(`${folder}/${file.path}`)) ?? new Uint8Array()],
    };
  }
}

interface BundleReader {
  manifest(): Promise<BundleManifest>;
  file(path: string): Promise<Uint8Array | undefined>;
}

function openBundle(bundle: string, host: Host): BundleReader {
  const place = bundle.replace(/^file:\/\//, '');
  const read = place.endsWith('.tar')
    ? async (path: string) => {
        const chunks = await archiveChunks(place, host);
        if (chunks === undefined) return undefined;
        return (await readTarMember(chunks, path, { gzip: false, what: place }))?.content;
      }
    : async (path: string) => await host.readFile(`${place}/${path}`);
  return {
    async manifest() {
      const bytes = await read(MANIFEST);
      if (bytes === undefined) throw refused(bundle, 'bundle.unreadable', `it contains no ${MANIFEST}`);
      const manifest = parseManifest(new TextDecoder().decode(bytes));
      if (typeof manifest === 'string') throw refused(bundle, 'bundle.unreadable', manifest);
      return manifest;
    },
    file: read,
  };
}

async function archiveChunks(
  path: string,
  host: Host,
): Promise<AsyncIterable<Uint8Array> | Iterable<Uint8Array> | undefined> {
  if ((await host.lstat(path)) === undefined) return undefined;
  if (host.readStream !== undefined) return host.readStream(path);
  const bytes = await host.readFile(path);
  return bytes === undefined ? undefined : [bytes];
}

function agreedEntry(
  request: ArtifactRequest,
  manifest: BundleManifest,
  config: FlexConfig,
): { readonly entry: BundleFile; readonly sha256: string } {
  const bundle = bundleOf(config) ?? '';
  const path = layoutPath(request);
  const entry = manifest.files.find((file) => file.path === path);
  if (entry !== undefined) return { entry, sha256: agreedHash(request, entry, config, bundle) };
  const has = Object.entries(manifest.versions).map(([name, version]) => `${name} ${version}`);
  throw refused(
    bundle,
    'bundle.lacks',
    `it does not contain ${artifactKey(request)} (${path}); it was made for ${has.join(', ')}`,
    isLeftOut(request, config) ? leftOutRemedy(request) : undefined,
  );
}

/** The manifest is as untrusted as its files: its hash alone counts only if the config allows published checksums. */
function agreedHash(request: ArtifactRequest, entry: BundleFile, config: FlexConfig, bundle: string): string {
  const known = knownHash(request, config.downloads);
  if (known === undefined) {
    const allowed = config.downloads.allowPublishedChecksums === true && request.kind !== 'azcmagent';
    if (!allowed) throw unknownHash(request, `${bundle}:${entry.path}`);
    return entry.sha256;
  }
  if (known.sha256 === entry.sha256) return known.sha256;
  throw refused(
    bundle,
    'bundle.hash-mismatch',
    `its manifest lists ${entry.path} with SHA-256 ${entry.sha256}, expected ${known.sha256}`,
  );
}

/** The Arc agent is in no bundle if the config did not contain its hash. */
function isLeftOut(request: ArtifactRequest, { downloads }: FlexConfig): boolean {
  return request.kind === 'azcmagent' && knownHash(request, downloads) === undefined;
}

/** A bundle that is made again from the same config would lack it, too. */
export function leftOutRemedy(request: ArtifactRequest): string {
  return `Add "downloads": {"sha256": {"${artifactKey(request)}": "<hash>"}} to the config and create the bundle again, or install azcmagent manually.`;
}

function refused(
  bundle: string,
  code: string,
  why: string,
  remedy = 'Create the bundle again from this config with `chandler flexnode bundle`.',
): FlexError {
  return new FlexError({
    class: 'config',
    code,
    where: bundle,
    message: `the bundle ${bundle} cannot be used: ${why}`,
    remedy,
  });
}
