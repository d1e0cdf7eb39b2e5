/**
 * From the bytes of a request to a plain value: JSON at the speed of JSON.parse, YAML with the resolution rules of
 * Kubernetes (YAML 1.1 without timestamps). Duplicate keys are found here, because they are lost afterwards;
 * malformed input is rejected with the wording of a real API server. What the value means is left to the strategies.
 */
import { badRequest } from '../errors.ts';
import { duplicateJsonKeys, hasDuplicateKeys } from './json-duplicates.ts';
import { jsonSyntaxError, nestsTooDeep } from './json-syntax.ts';
import { parseYaml } from './yaml-body.ts';

export type BodyMediaType = 'application/json' | 'application/yaml';

export interface ParsedBody {
  readonly value: unknown;
  /** Errors about keys that were written twice, ready to be shown: `duplicate field "spec.x"`. */
  readonly duplicates: readonly string[];
}

/** `expectedKind` is what the request should hold; it is named when the body cannot even be recognised. */
export function parseBody(text: string, mediaType: BodyMediaType, expectedKind = ''): ParsedBody {
  const parsed =
    mediaType === 'application/json' ? parseJson(text, expectedKind) : readYaml(text, expectedKind);
  requireTypeMeta(parsed.value, text, expectedKind);
  return parsed;
}

/** The 400 for a body without a readable kind. */
export function unrecognised(text: string, expectedKind: string, why: string): Error {
  return badRequest(
    `the object provided is unrecognized (must be of type ${expectedKind}): ${why} (${summarise(text)})`,
  );
}

/** How Go's decoder names the type of a JSON value. */
export function jsonTypeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'boolean' ? 'bool' : type;
}

// ---------------------------------------------------------------------------------------------------

const NO_DUPLICATES: readonly string[] = [];
const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
const SUMMARY_BYTES = 30;

function parseJson(text: string, expectedKind: string): ParsedBody {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw noJson(text, expectedKind, jsonSyntaxError(text));
  }
  if (nestsTooDeep(text)) throw noJson(text, expectedKind, jsonSyntaxError(text));
  const duplicates = hasDuplicateKeys(text, value) ? duplicateJsonKeys(text) : NO_DUPLICATES;
  return { value, duplicates };
}

function noJson(text: string, expectedKind: string, why: string): Error {
  return unrecognised(text, expectedKind, `couldn't get version/kind; json parse error: ${why}`);
}

function readYaml(text: string, expectedKind: string): ParsedBody {
  const parsed = parseYaml(text);
  if (parsed.error !== undefined) throw unrecognised(text, expectedKind, parsed.error);
  return { value: parsed.value, duplicates: parsed.duplicates };
}

/** The real server reads apiVersion and kind before anything else, so their shape is checked before anything else. */
function requireTypeMeta(value: unknown, text: string, expectedKind: string): void {
  const refuse = (why: string): never => {
    throw unrecognised(text, expectedKind, why);
  };
  if (value === null) return;
  if (typeof value !== 'object' || Array.isArray(value)) {
    refuse(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonTypeName(value)} into Go value of type ${TYPE_META}`,
    );
  }
  const meta = value as { apiVersion?: unknown; kind?: unknown };
  for (const key of ['apiVersion', 'kind'] as const) {
    const given = meta[key];
    if (given === undefined || given === null || typeof given === 'string') continue;
    refuse(
      `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonTypeName(given)} into Go struct field .${key} of type string`,
    );
  }
  const { apiVersion } = meta;
  if (typeof apiVersion === 'string' && apiVersion.indexOf('/') !== apiVersion.lastIndexOf('/')) {
    refuse(`unexpected GroupVersion string: ${apiVersion}`);
  }
}

function summarise(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length === 0) return '<empty>';
  const cut = bytes.length > SUMMARY_BYTES;
  const head = cut ? bytes.subarray(0, SUMMARY_BYTES) : bytes;
  const shown = text.startsWith('{') ? head.toString('utf8') : head.toString('hex');
  return cut ? `${shown} ...` : shown;
}
