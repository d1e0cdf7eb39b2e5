/**
 * Which content types PATCH takes, and the answer to the others. Custom resources have no strategic merge patch,
 * since their schema carries no merge keys.
 */
import { ApiError, unsupportedMediaType } from '../errors.ts';

export const PATCH_MEDIA_TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/** In the order in which a real server names them. */
export const SUPPORTED_PATCH_TYPES = {
  builtIn: [
    PATCH_MEDIA_TYPES.json,
    PATCH_MEDIA_TYPES.merge,
    PATCH_MEDIA_TYPES.strategic,
    PATCH_MEDIA_TYPES.apply,
  ],
  custom: [PATCH_MEDIA_TYPES.json, PATCH_MEDIA_TYPES.merge, PATCH_MEDIA_TYPES.apply],
} as const;

export function patchMediaTypes(custom: boolean): readonly string[] {
  return custom ? SUPPORTED_PATCH_TYPES.custom : SUPPORTED_PATCH_TYPES.builtIn;
}

/** 415, when the Content-Type (without parameters) is none of the resource's. Routes of built-in kinds say less. */
export function unsupportedPatchType(custom: boolean): ApiError {
  if (!custom) return unsupportedMediaType('415: Unsupported Media Type');
  const accepted = patchMediaTypes(true).join(', ');
  return new ApiError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
  );
}
