/**
 * The conflict error of an apply: which manager owns which field, in the wording of a real server.
 */
import { ApiError } from '../errors.ts';
import { printPaths } from './field-set.ts';
import type { Owners, Ownership } from './managed-fields.ts';
import type { Conflicts } from './ownership.ts';
import { goJson } from './path-element.ts';

export function conflictError(conflicts: Conflicts, owners: Owners): ApiError {
  const rows = [...conflicts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, set]) => ({ who: describe(owners.get(id) as Ownership), paths: printPaths(set) }));
  const causes = rows.flatMap(({ who, paths }) =>
    paths.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${who}`, field })),
  );
  const [only] = causes;
  const message =
    causes.length === 1 && only !== undefined
      ? `Apply failed with 1 conflict: ${only.message}: ${only.field}`
      : `Apply failed with ${causes.length} conflicts: ${rows.flatMap(lines).join('\n')}`;
  return new ApiError(409, 'Conflict', message, { causes });
}

// ---------------------------------------------------------------------------------------------------

function lines({ who, paths }: { who: string; paths: string[] }): string[] {
  return [`conflicts with ${who}:`, ...paths.map((path) => `- ${path}`)];
}

function describe(owner: Ownership): string {
  const name = JSON.stringify(owner.manager);
  const through = owner.subresource === '' ? name : `${name} with subresource ${goJson(owner.subresource)}`;
  return owner.operation === 'Update' ? `${through} using ${owner.apiVersion}` : through;
}
