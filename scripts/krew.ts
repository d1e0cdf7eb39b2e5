/**
 * The manifest of the kubectl plugin for krew, from its template (deploy/krew/chandler.yaml) and the archives of a release.
 * The template holds the texts; version, addresses and hashes come from the release.
 */
import { isSeq, parseDocument } from 'yaml';

export interface KrewFile {
  /** As krew and Go name them. */
  readonly os: 'linux' | 'darwin' | 'windows';
  readonly arch: 'amd64' | 'arm64';
  /** Where the archive can be downloaded: `.tar.gz` or `.zip`, the only ones that krew unpacks. */
  readonly uri: string;
  /** Of the archive, in hexadecimal. */
  readonly sha256: string;
  /** The executable in the archive. Default `kubectl-chandler`, with `.exe` for Windows. */
  readonly bin?: string;
}

export interface KrewRelease {
  /** With or without the `v`: `0.2.0`. */
  readonly version: string;
  readonly files: readonly KrewFile[];
}

/** @throws for what krew would refuse. */
export function renderKrewManifest(template: string, { version, files }: KrewRelease): string {
  const document = parseDocument(template);
  for (const error of document.errors) throw error;
  if (!isSeq(document.getIn(['spec', 'platforms'])))
    throw new Error('the template of the krew manifest has no list spec.platforms');
  const tag = version.startsWith('v') ? version : `v${version}`;
  if (!SEMANTIC_VERSION.test(tag))
    throw new Error(`"${version}" is no semantic version, which krew requires`);
  if (files.length === 0) throw new Error('a krew manifest needs at least one archive');
  document.setIn(['spec', 'version'], tag);
  document.setIn(['spec', 'platforms'], document.createNode(files.map(platformOf)));
  const platforms = files.map(({ os, arch }) => `${os}/${arch}`);
  const twice = platforms.find((platform, at) => platforms.indexOf(platform) < at);
  if (twice !== undefined) throw new Error(`there are two archives for ${twice}`);
  // The note is for those who change the template.
  document.commentBefore = null;
  return document.toString({ lineWidth: 0 });
}

// ---------------------------------------------------------------------------------------------------

const SEMANTIC_VERSION = /^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

function platformOf({ os, arch, uri, sha256, bin }: KrewFile): object {
  if (!/^https:\/\/.+(\.tar\.gz|\.zip)$/.test(uri))
    throw new Error(`${uri} is no https address of a .tar.gz or .zip, which krew requires`);
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new Error(`"${sha256}" is no SHA-256 in hexadecimal (${uri})`);
  return {
    selector: { matchLabels: { os, arch } },
    uri,
    sha256,
    bin: bin ?? (os === 'windows' ? 'kubectl-chandler.exe' : 'kubectl-chandler'),
  };
}
