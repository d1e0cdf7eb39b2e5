/** The body of a request: its media type, and what it says. */
import { type BodyMediaType, type ParsedBody, parseBody } from '../decode/parse.ts';
import { cannotBeHandled } from '../decode/strict.ts';
import { ApiError, unsupportedMediaType } from '../errors.ts';
import type { ApiRequest } from './answer.ts';
import { parseMerging } from './merged-json.ts';
import { decodeProtobuf, PROTOBUF_TYPE } from './protobuf/decode.ts';

export interface ExpectedType {
  readonly apiVersion: string;
  readonly kind: string;
  /** Custom resources are read without a Go type behind them, which shows where a key comes twice. */
  readonly custom?: boolean;
}

export const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** Read as JSON where nothing is said. Throws the 415 and the 400. */
export function readBody(request: ApiRequest, expected: ExpectedType): ParsedBody {
  if (mediaTypeOf(request) === PROTOBUF_TYPE) {
    const value = decodeProtobuf(Buffer.from(request.body, 'latin1'), expected);
    if (value === undefined) throw new ApiError(415, 'UnsupportedMediaType', UNKNOWN_FORMAT);
    return { value, duplicates: [] };
  }
  const mediaType = bodyMediaType(request);
  const parsed = parseBody(request.body, mediaType, expected.kind);
  if (expected.custom) refuseInfinity(request.body, expected);
  if (parsed.duplicates.length === 0 || expected.custom || mediaType !== 'application/json') return parsed;
  return { ...parsed, value: parseMerging(request.body) };
}

/** How a body's bytes become the text of a request. */
export function bodyEncoding(contentType: string | undefined): 'utf8' | 'latin1' {
  return contentType?.startsWith(PROTOBUF_TYPE) ? 'latin1' : 'utf8';
}

export function mediaTypeOf(request: ApiRequest): string {
  const header = request.headers['content-type'] ?? '';
  const semicolon = header.indexOf(';');
  return (semicolon < 0 ? header : header.slice(0, semicolon)).trim().toLowerCase();
}

export function bodyTooLarge(): ApiError {
  return new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${MAX_BODY_BYTES}`);
}

// ---------------------------------------------------------------------------------------------------

/** A number that is too large for a float can only have such a form; JSON.parse would make it infinite. */
const MAYBE_INFINITE = /(?<![\d.])[\d.]{309}|\d[eE]\+?\d{3}/;

function refuseInfinity(text: string, { apiVersion, kind }: ExpectedType): void {
  if (!MAYBE_INFINITE.test(text)) return;
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  // Strings are matched, and left out, so that no number is seen inside one.
  for (const [token, number] of text.matchAll(/"(?:[^"\\]|\\.)*"|(-?[\d.]+(?:[eE][+-]?\d+)?)/g)) {
    if (number === undefined || Number.isFinite(Number(token))) continue;
    const why = `json: cannot unmarshal number ${token} into Go value of type float64`;
    throw cannotBeHandled({ kind, version }, why);
  }
}

function bodyMediaType(request: ApiRequest): BodyMediaType {
  const type = mediaTypeOf(request);
  if (type === '' || type === 'application/json' || type === '*/*') return 'application/json';
  if (type === 'application/yaml') return type;
  throw new ApiError(415, 'UnsupportedMediaType', UNKNOWN_FORMAT);
}

const UNKNOWN_FORMAT =
  'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf';

/** PATCH with a type that the router does not know: it has no words of its own for it. */
export function unroutedPatchType(): ApiError {
  return unsupportedMediaType('415: Unsupported Media Type');
}
