/** The manifest of a bundle: its type, and a parser that validates untrusted text. */

export const MANIFEST = 'manifest.json';

export interface BundleManifest {
  readonly schemaVersion: 1;
  readonly versions: Readonly<Record<string, string>>;
  readonly files: readonly BundleFile[];
}

export interface BundleFile {
  /** `containerd/v1.7.20/containerd-1.7.20-linux-amd64.tar.gz`. */
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** Returns an error message if the text is not a valid manifest. */
export function parseManifest(text: string): BundleManifest | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return `${MANIFEST} is not JSON`;
  }
  if (!isRecord(value)) return `${MANIFEST} is not an object`;
  if (value['schemaVersion'] !== 1) return `${MANIFEST} has schemaVersion ${value['schemaVersion']}, not 1`;
  const { versions, files } = value;
  if (!isRecord(versions) || !Object.values(versions).every((version) => typeof version === 'string')) {
    return `versions in ${MANIFEST} are not strings`;
  }
  if (!Array.isArray(files)) return `${MANIFEST} has no list of files with hashes`;
  const bad = files.findIndex((file) => !isFile(file));
  if (bad !== -1) return `files[${bad}] in ${MANIFEST} has no path, sha256 and bytes`;
  return value as unknown as BundleManifest;
}

// ---------------------------------------------------------------------------------------------------

function isFile(value: unknown): value is BundleFile {
  return (
    isRecord(value) &&
    typeof value['path'] === 'string' &&
    !value['path'].startsWith('/') &&
    !value['path'].split('/').includes('..') &&
    typeof value['bytes'] === 'number' &&
    /^[0-9a-f]{64}$/.test(String(value['sha256']))
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
