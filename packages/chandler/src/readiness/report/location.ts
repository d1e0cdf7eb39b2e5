/** Where a finding is shown in a file, for formats that mark lines of files, and what makes it the same finding in a later run. */
import { createHash } from 'node:crypto';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Report } from '../judge.ts';
import type { Finding } from '../model/finding.ts';
import type { FilePlace } from '../model/place.ts';

/**
 * The line that a finding is about. What was seen in a live account or cluster is shown where its object is declared, and
 * otherwise at the first file of the report: services refuse findings without a place.
 */
export function locationOf(finding: Finding, { findings }: Report): FilePlace | undefined {
  const [own] = filesOf(finding);
  if (own !== undefined) return own;
  const declared = findings.filter(({ object }) => object !== undefined && object === finding.object);
  const [first] = [...declared, ...findings].flatMap(filesOf);
  return declared.some((other) => filesOf(other).length > 0) || first === undefined
    ? first
    : { file: first.file, line: 1 };
}

/** `infra/main.tf` for a file below the working folder; undefined for others. */
export function relativePath(file: string, cwd: string): string | undefined {
  const path = relative(cwd, resolve(cwd, file));
  return path.startsWith('..') || isAbsolute(path) ? undefined : path.split(sep).join('/');
}

/** The address of a file: relative to the working folder, and absolute for files elsewhere. */
export function fileUri(file: string, cwd: string): { readonly uri: string; readonly isRelative: boolean } {
  const path = relativePath(file, cwd);
  return path === undefined
    ? { uri: pathToFileURL(resolve(cwd, file)).href, isRelative: false }
    : { uri: path.split('/').map(encodeURIComponent).join('/'), isRelative: true };
}

/** The same for the same finding wherever its lines have moved to. */
export function fingerprintOf(finding: Finding, cwd: string): string {
  const [place] = filesOf(finding);
  const parts = [
    finding.id,
    finding.object ?? '',
    place === undefined ? '' : fileUri(place.file, cwd).uri,
    finding.evidence[0]?.what ?? '',
  ];
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 32);
}

// ---------------------------------------------------------------------------------------------------------------

/** Places in files that a finding rests on. */
function filesOf({ evidence }: Finding): readonly FilePlace[] {
  return evidence.flatMap(({ at }) => ('file' in at ? [at] : []));
}
