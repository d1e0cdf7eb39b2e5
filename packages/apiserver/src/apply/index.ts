/**
 * Who owns which field: `metadata.managedFields` after a write, and server-side apply, which decides by it.
 *
 * When to call, as a real server does it:
 * - create, replace, patch: after the object was decoded and defaulted, BEFORE admission and the strategy's
 *   `prepareForCreate` / `prepareForUpdate`. What these add has no owner; nothing is computed again afterwards.
 *   `trackUpdate(next, current, request)`; `current` is undefined on create.
 * - apply: `applyConfiguration(current, config, request)` with `config` as parsed from YAML, NOT decoded and NOT
 *   defaulted (defaults in the configuration would become owned). The result is merged, carries managedFields, and
 *   must then be decoded (which fills in defaults and rejects bad types), prepared and validated like an update;
 *   like a create when `current` is undefined. Do not call `trackUpdate` on it.
 * - at the end of every update, patch and apply, after `prepareForUpdate`: `keepTimesOfNoop(next, current)`, which takes
 *   back moved timestamps when nothing else changed, so that the write can be recognised as a no-op.
 *
 * `request.ignore` are the paths which the strategy resets anyway (`[['status']]` on the main resource,
 * `[['spec']]`, `[['metadata']]` … on /status); `resetFieldsOf` knows them.
 * A write of /scale goes through scale.ts.
 */
export { applyConfiguration } from './apply-configuration.ts';
export type { ApplyRequest, ManagerRequest } from './request.ts';
export { RESET_FIELDS, resetFieldsOf } from './reset-fields.table.ts';
export { entriesBehindScale, type ReplicasPaths, SCALE_API_VERSION, scaleEntries } from './scale.ts';
export { keepTimesOfNoop, trackUpdate } from './track-update.ts';
