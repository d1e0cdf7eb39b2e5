/** Kubernetes versions, compared: `1.34.2`, `v1.35.0-beta.1`. */
import { KUBERNETES_VERSION } from '../../../settings/index.ts';

export function withoutV(version: string): string {
  return version.replace(/^v/, '');
}

/** What a node can be asked to run: how the API server was built (`+…`) is no part of it. */
export function releaseOf(version: string): string {
  return withoutV(version).replace(/\+.*$/, '');
}

/** By number; a release beats its own pre-releases; what is after a + does not count. */
export function isNewerVersion(candidate: string, than: string): boolean {
  const [a, b] = [parts(candidate), parts(than)];
  if (a === undefined || b === undefined) return a !== undefined;
  for (let index = 0; index < 3; index++) {
    if (a.numbers[index] !== b.numbers[index]) return a.numbers[index]! > b.numbers[index]!;
  }
  if (a.pre === b.pre) return false;
  if (a.pre === '' || b.pre === '') return a.pre === '';
  return comparePre(a.pre, b.pre) > 0;
}

// ---------------------------------------------------------------------------------------------------

function parts(version: string): { numbers: number[]; pre: string } | undefined {
  const match = KUBERNETES_VERSION.exec(version);
  if (match === null) return undefined;
  const [, major, minor, patch, rest = ''] = match;
  const pre = rest.startsWith('-') ? rest.slice(1).replace(/\+.*$/, '') : '';
  return { numbers: [Number(major), Number(minor), Number(patch)], pre };
}

function comparePre(a: string, b: string): number {
  const [left, right] = [a.split('.'), b.split('.')];
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const [x, y] = [left[index], right[index]];
    if (x === y) continue;
    if (x === undefined || y === undefined) return x === undefined ? -1 : 1;
    const [numberX, numberY] = [/^\d+$/.test(x), /^\d+$/.test(y)];
    if (numberX && numberY) return Number(x) - Number(y);
    if (numberX !== numberY) return numberX ? -1 : 1;
    return x < y ? -1 : 1;
  }
  return 0;
}
