/** Semantic versions 2.0 as Kubernetes' CEL library reads them; normalising allows `v1.2` and leading zeros. */

export interface Semver {
  readonly major: bigint;
  readonly minor: bigint;
  readonly patch: bigint;
  readonly pre: readonly string[];
}

/** undefined when the text is no version. */
export function parseSemver(text: string, normalize: boolean): Semver | undefined {
  const match = VERSION.exec(normalize ? normalized(text) : text);
  if (match === null) return undefined;
  const numbers = match.slice(1, 4).map((part) => BigInt(part!));
  if (numbers.some((number) => number > 18446744073709551615n)) return undefined;
  const [major, minor, patch] = numbers as [bigint, bigint, bigint];
  const pre = match[4] === undefined ? [] : match[4].split('.');
  if (pre.some((part) => /^0\d+$/.test(part))) return undefined;
  return { major, minor, patch, pre };
}

/** Build metadata does not count; a pre-release comes before its release. */
export function compareSemver(one: Semver, two: Semver): number {
  for (const part of ['major', 'minor', 'patch'] as const) {
    if (one[part] !== two[part]) return one[part] < two[part] ? -1 : 1;
  }
  if (one.pre.length === 0 || two.pre.length === 0) return Math.sign(two.pre.length - one.pre.length);
  for (let index = 0; index < Math.max(one.pre.length, two.pre.length); index++) {
    const order = compareIdentifiers(one.pre[index], two.pre[index]);
    if (order !== 0) return order;
  }
  return 0;
}

// ---------------------------------------------------------------------------------------------------

const VERSION =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

function normalized(text: string): string {
  const [, core = '', rest = ''] = /^v?([\d.]*)(.*)$/s.exec(text) ?? [];
  const parts = core.split('.').map((part) => part.replace(/^0+(?=\d)/, ''));
  while (parts.length < 3) parts.push('0');
  return parts.join('.') + rest;
}

function compareIdentifiers(one: string | undefined, two: string | undefined): number {
  if (one === undefined || two === undefined) return one === two ? 0 : one === undefined ? -1 : 1;
  const numeric = [one, two].map((part) => /^\d+$/.test(part));
  if (numeric[0] && numeric[1]) {
    const difference = BigInt(one) - BigInt(two);
    return difference === 0n ? 0 : difference < 0n ? -1 : 1;
  }
  if (numeric[0] !== numeric[1]) return numeric[0] ? -1 : 1;
  return one < two ? -1 : Number(one > two);
}
