/**
 * Patches as the API server takes them: from the current object and a parsed patch document to the patched
 * object. The result is not decoded: types, unknown fields and defaults belong to the strategy, field ownership and
 * server-side apply to `apply/`.
 */
import type { KubeObject } from '@chandler/kube';
import type { Structure } from '../structure.ts';
import { applyJsonPatch } from './json-patch.ts';
import { applyMergePatch } from './merge-patch.ts';
import { applyStrategicPatch } from './strategic-patch.ts';

export type PatchKind = 'json' | 'merge' | 'strategic';

/**
 * The current object with the patch worked in; neither argument is changed. Throws an ApiError with the wording of a
 * real server when the patch cannot be read or does not fit.
 */
export function applyPatch(
  kind: PatchKind,
  current: KubeObject,
  patch: unknown,
  structure: Structure,
): KubeObject {
  switch (kind) {
    case 'json':
      return applyJsonPatch(current, patch);
    case 'merge':
      return applyMergePatch(current, patch);
    case 'strategic':
      return applyStrategicPatch(current, patch, structure);
  }
}

export { unknownOperationFields } from './json-patch.ts';
export {
  PATCH_MEDIA_TYPES,
  patchMediaTypes,
  SUPPORTED_PATCH_TYPES,
  unsupportedPatchType,
} from './media-type.ts';
