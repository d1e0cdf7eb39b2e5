/** Which version of an image is the newest: by the date of publication in a community gallery, by number in a shared one. */

export interface CommunityVersion {
  readonly name: string;
  /** RFC 3339. */
  readonly publishedDate?: string;
  /** Azure may hold a version back from those who ask for the latest. */
  readonly excludeFromLatest?: boolean;
}

/** Nothing for an empty list. Equal or missing dates are ordered by number. */
export function newestCommunityVersion(versions: readonly CommunityVersion[]): string | undefined {
  const ranked = versions
    .map(({ name, publishedDate }) => ({ name, at: Date.parse(publishedDate ?? '') || 0 }))
    .sort((a, b) => b.at - a.at || compareVersions(b.name, a.name));
  return ranked[0]?.name;
}

export interface NodeImageVersion {
  /** `AKSUbuntu`, `AKSAzureLinux`. */
  readonly os?: string;
  /** The definition: `2204gen2containerd`. */
  readonly sku?: string;
  /** `202501.02.0`. */
  readonly version?: string;
}

/** The newest version of each definition of one system, by definition. */
export function newestNodeImages(
  versions: readonly NodeImageVersion[],
  os: string,
): ReadonlyMap<string, string> {
  const newest = new Map<string, string>();
  for (const { os: own, sku, version } of versions) {
    if (own !== os || sku === undefined || version === undefined) continue;
    const known = newest.get(sku);
    if (known === undefined || compareVersions(version, known) > 0) newest.set(sku, version);
  }
  return newest;
}

/** Dotted numbers, part by part; a part that is missing counts as 0, one that is no number as less than any. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split('.').map(partOf));
  for (let index = 0; index < Math.max(left!.length, right!.length); index++) {
    const difference = (left![index] ?? 0) - (right![index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

// ---------------------------------------------------------------------------------------------------

function partOf(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : -1;
}
