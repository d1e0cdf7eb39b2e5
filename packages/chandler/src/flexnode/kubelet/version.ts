/** Versions of Kubernetes and of the runtime, as far as the agent asks: order, minor, and which may live together. */

export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** `-rc.1`; empty for a release. */
  readonly suffix: string;
}

/** With or without a leading `v`; a pre-release or build may follow. `undefined`: that is no version. */
export function parseVersion(text: string): Version | undefined {
  const match = VERSION.exec(text.trim());
  if (match === null) return undefined;
  return {
    major: Number(match[1]),
    minor: Number(match[2]),
    patch: Number(match[3] ?? '0'),
    suffix: match[4] ?? '',
  };
}

/** Negative, zero or positive, as an order; a pre-release comes before its release. A build (`+k3s1`) makes no difference. */
export function compareVersions(one: Version, other: Version): number {
  const difference = one.major - other.major || one.minor - other.minor || one.patch - other.patch;
  return difference === 0 ? compareSuffixes(preRelease(one), preRelease(other)) : difference;
}

/** The first version that a program names in what it prints: `Kubernetes v1.32.7`, `runc version 1.1.12`. */
export function printedVersion(output: string): string | undefined {
  return PRINTED.exec(output)?.[1];
}

export type Skew =
  | { readonly ok: true }
  | { readonly ok: false; readonly problem: 'newer-than-server' | 'too-old'; readonly oldest: string };

/** A kubelet may be as old as three minors before the API server, and never newer (two before 1.28). */
export function kubeletSkew(kubelet: Version, server: Version): Skew {
  const behind = (server.major - kubelet.major) * 1000 + (server.minor - kubelet.minor);
  const allowed = server.major === 1 && server.minor < 28 ? 2 : 3;
  const oldest = `${server.major}.${Math.max(0, server.minor - allowed)}`;
  if (behind < 0) return { ok: false, problem: 'newer-than-server', oldest };
  if (behind > allowed) return { ok: false, problem: 'too-old', oldest };
  return { ok: true };
}

// ---------------------------------------------------------------------------------------------------

const VERSION = /^v?(\d{1,4})\.(\d{1,4})(?:\.(\d{1,5}))?([-+][0-9A-Za-z.+-]{1,64})?$/;
const PRINTED = /\bv?(\d{1,4}\.\d{1,4}\.\d{1,5}(?:[-+][0-9A-Za-z.+-]{1,64})?)/;

function preRelease({ suffix }: Version): string {
  return suffix.startsWith('-') ? suffix.slice(1).split('+')[0]! : '';
}

/** Part by part: numbers by their value, and before words. */
function compareSuffixes(one: string, other: string): number {
  if (one === other) return 0;
  if (one === '') return 1;
  if (other === '') return -1;
  const [left, right] = [one.split('.'), other.split('.')];
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const [a, b] = [left[index], right[index]];
    if (a === undefined) return -1;
    if (b === undefined) return 1;
    if (a === b) continue;
    const [isNumber, otherIsNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
    if (isNumber && otherIsNumber) return Number(a) - Number(b);
    if (isNumber !== otherIsNumber) return isNumber ? -1 : 1;
    return a < b ? -1 : 1;
  }
  return 0;
}
