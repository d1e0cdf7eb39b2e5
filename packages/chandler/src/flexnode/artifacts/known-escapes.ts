/** Which published escapes a version has. */
import { compareVersions, parseVersion } from '../kubelet/version.ts';
import { KNOWN_ESCAPES, type KnownEscape } from './escapes.table.ts';

/** The escapes of this version; empty if there are none, or if it is not a version. */
export function knownEscapes(program: KnownEscape['program'], version: string): readonly KnownEscape[] {
  const parsed = parseVersion(version);
  if (parsed === undefined) return [];
  return KNOWN_ESCAPES.filter((known) => {
    if (known.program !== program) return false;
    const fixes = known.fixedIn.map((text) => parseVersion(text)!);
    const own = fixes.find((fix) => fix.major === parsed.major && fix.minor === parsed.minor);
    if (own !== undefined) return compareVersions(parsed, own) < 0;
    return fixes.every((fix) => compareVersions(parsed, fix) < 0);
  });
}
