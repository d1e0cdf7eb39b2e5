/** Values of a query as Go's parameter conversion reads them, with its words for those it cannot read. */
import { badRequest } from '../errors.ts';

/** Everything but `false` and `0` is true, also the empty string. */
export function queryFlag(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const lower = text.toLowerCase();
  return lower !== 'false' && lower !== '0';
}

export function queryInteger(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${quoted(text)}: invalid syntax`);
  const value = BigInt(text);
  if (value > MAX_INT64 || value < -MAX_INT64 - 1n) {
    throw badRequest(`strconv.ParseInt: parsing ${quoted(text)}: value out of range`);
  }
  return Number(value);
}

/** The error about a resourceVersion that is no number; undefined when it is one. */
export function resourceVersionProblem(text: string): string | undefined {
  if (/^\d+$/.test(text)) {
    return BigInt(text) > MAX_UINT64
      ? `strconv.ParseUint: parsing ${quoted(text)}: value out of range`
      : undefined;
  }
  return `strconv.ParseUint: parsing ${quoted(text)}: invalid syntax`;
}

export function quoted(text: string): string {
  return JSON.stringify(text).replace(/\\u00([01][0-9a-f])/g, '\\x$1');
}

// ---------------------------------------------------------------------------------------------------

const MAX_INT64 = 2n ** 63n - 1n;
const MAX_UINT64 = 2n ** 64n - 1n;
