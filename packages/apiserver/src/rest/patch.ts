/**
 * PATCH in its four forms: how the next object comes from the current one and the body. What the object must then
 * satisfy is update.ts; how a patch is worked in is patch/ and apply/.
 */
import type { KubeObject } from '@chandler/kube';
import { applyConfiguration, trackUpdate } from '../apply/index.ts';
import { duplicateJsonKeys, hasDuplicateKeys } from '../decode/json-duplicates.ts';
import { jsonSyntaxError, nestsTooDeep } from '../decode/json-syntax.ts';
import { parseYaml } from '../decode/yaml-body.ts';
import { ApiError, badRequest, conflict, invalid, notFound } from '../errors.ts';
import { goPlain } from '../patch/go-format.ts';
import {
  applyPatch,
  PATCH_MEDIA_TYPES,
  type PatchKind,
  patchMediaTypes,
  unsupportedPatchType,
} from '../patch/index.ts';
import { cloneJson } from '../storage/json.ts';
import { rowOf } from '../table-row.ts';
import type { ApiRequest } from './answer.ts';
import { mediaTypeOf, unroutedPatchType } from './body.ts';
import type { Call } from './call.ts';
import { managerRequest } from './field-managers.ts';
import { placeInNamespace, requireName, withMetadata } from './metadata.ts';
import type { UpdatePlan } from './update.ts';
import { writeOptionsOf } from './write-options.ts';

export type PatchForm = PatchKind | 'apply';

export interface ParsedPatch {
  readonly form: PatchForm;
  readonly value: unknown;
  readonly duplicates: readonly string[];
}

/** Reads options and body; throws the 415, 422 and 400 that need no object. */
export function readPatch(call: Call, request: ApiRequest, query: URLSearchParams | undefined): ParsedPatch {
  const form = formOf(call, request);
  call.options = writeOptionsOf(query, 'PatchOptions', form === 'apply');
  return form === 'apply' ? parseApply(request.body, call) : parseJsonPatch(form, request.body, call);
}

export function patchPlan(call: Call, patch: ParsedPatch): UpdatePlan {
  return patch.form === 'apply'
    ? { next: (current) => applied(call, patch, current), createMissing: call.subresource === undefined }
    : { next: (current) => patched(call, patch, patch.form as PatchKind, current) };
}

/** A decoding error of a patched object is reported as one of the patch: it shows the patched object. */
export function patchRefusal(error: unknown, shown: string): unknown {
  if (!(error instanceof ApiError) || error.code !== 400) return error;
  const marker = error.message.match(/cannot be handled as a \S+: /);
  const detail = marker === null ? error.message : error.message.slice(marker.index! + marker[0].length);
  return invalid({ group: '', kind: '' }, '', [
    { reason: 'FieldValueInvalid', field: 'patch', value: shown, detail },
  ]);
}

// ---------------------------------------------------------------------------------------------------

const FORMS: Readonly<Record<string, PatchForm>> = Object.fromEntries(
  Object.entries(PATCH_MEDIA_TYPES).map(([form, type]) => [type, form as PatchForm]),
);

function formOf(call: Call, request: ApiRequest): PatchForm {
  const custom = call.resource.structure.name === undefined;
  const type = mediaTypeOf(request);
  const form = rowOf(FORMS, type);
  if (form === undefined) throw unroutedPatchType();
  if (!patchMediaTypes(custom).includes(type)) throw unsupportedPatchType(custom);
  return form;
}

function parseJsonPatch(form: PatchForm, text: string, call: Call): ParsedPatch {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unreadablePatch(form, text);
  }
  if (nestsTooDeep(text)) throw unreadablePatch(form, text);
  const strict = call.fieldValidation !== 'Ignore' && hasDuplicateKeys(text, value);
  const prefix = form === 'json' ? 'json patch ' : '';
  const duplicates = strict ? duplicateJsonKeys(text).map((problem) => `${prefix}${problem}`) : [];
  return { form, value, duplicates };
}

function unreadablePatch(form: PatchForm, text: string): ApiError {
  return badRequest(`${form === 'strategic' ? '' : 'error decoding patch: '}${jsonSyntaxError(text)}`);
}

function parseApply(text: string, call: Call): ParsedPatch {
  const parsed = parseYaml(text);
  if (parsed.error !== undefined) {
    const why = parsed.error.startsWith('error converting')
      ? parsed.error
      : `error converting YAML to JSON: ${parsed.error}`;
    throw badRequest(`error decoding YAML: ${why}`);
  }
  const { value, duplicates } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const found = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
    throw badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${found} into Go value of type map[string]interface {}`,
    );
  }
  if (duplicates.length > 0 && call.fieldValidation === 'Strict') {
    throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${duplicates.join(', ')}`);
  }
  if (call.fieldValidation === 'Warn') for (const problem of duplicates) call.warn(problem);
  return { form: 'apply', value, duplicates: [] };
}

function patched(
  call: Call,
  patch: ParsedPatch,
  kind: PatchKind,
  current: KubeObject | undefined,
): KubeObject {
  const { resource } = call;
  if (current === undefined) throw notFound(resource, call.objectName);
  const result = () => {
    const made = applyPatch(kind, current, patch.value, resource.structure);
    return kind === 'strategic' ? cloneJson(made) : made;
  };
  const wanted = result();
  let next: KubeObject;
  try {
    next = withMetadata(resource.strategy.decode(wanted, call, patch.duplicates));
  } catch (error) {
    // Decoding works in place, so what the patch led to is made again to be shown.
    throw patchRefusal(error, kind === 'strategic' ? goPlain(patch.value) : JSON.stringify(result()));
  }
  trackUpdate(next, current, managerRequest(call));
  placeInNamespace(next.metadata, call);
  requireName(next.metadata, call);
  return next;
}

function applied(call: Call, patch: ParsedPatch, current: KubeObject | undefined): KubeObject {
  const { resource } = call;
  if (current === undefined && call.subresource !== undefined) throw notFound(resource, call.objectName);
  const config = cloneJson(patch.value) as KubeObject;
  const merged = applyConfiguration(current, config, { ...managerRequest(call), force: call.options.force });
  const next = withMetadata(resource.strategy.decode(cloneJson(merged), call));
  const { uid = '' } = next.metadata;
  if (current === undefined && uid !== '') {
    const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
    throw conflict(resource, call.objectName, why);
  }
  placeInNamespace(next.metadata, call);
  requireName(next.metadata, call);
  return next;
}
