/** Where a value was read: a line of a file, or a call to a cloud or a cluster. Every value of a check carries one. */

export type Place = FilePlace | CallPlace;

export interface FilePlace {
  /** As the user can open it: the argument of the command and the path below it, with forward slashes. */
  readonly file: string;
  /** From 1; absent where the format gives none. */
  readonly line?: number;
}

export interface CallPlace {
  /** `eks:DescribeCluster`, `GET /apis/karpenter.sh/v1/nodepools`. */
  readonly call: string;
}

/** `prod/node-class.yaml:12`, `eks:DescribeCluster`. */
export function placeText(place: Place): string {
  if ('call' in place) return place.call;
  return place.line === undefined ? place.file : `${place.file}:${place.line}`;
}

/** By file and line, calls last: the order of evidence and findings never depends on the order of reading. */
export function comparePlaces(a: Place, b: Place): number {
  return compareTexts(sortKey(a), sortKey(b));
}

export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

// ---------------------------------------------------------------------------------------------------------------

function sortKey(place: Place): string {
  return 'call' in place
    ? `\uffff${place.call}`
    : `${place.file}\0${String(place.line ?? 0).padStart(9, '0')}`;
}
