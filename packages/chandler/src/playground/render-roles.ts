/** Makes roles.gen.ts out of deploy/rbac.yaml, so that the playground's controller has exactly the rights of the real one. */
import type { KubeObject } from '@chandler/kube';

/** Where the manifest leaves the id of the bootstrap token open. */
export const TOKEN_ID = 'TOKENID';

export function renderRoles(objects: readonly KubeObject[]): string {
  return [
    '/** Made from deploy/rbac.yaml by `npm run generate`; change that file, not this one. */',
    "import type { KubeObject } from '@chandler/kube';",
    '',
    `export const CONTROLLER_ROLES: readonly KubeObject[] = ${JSON.stringify(objects, undefined, 2)};`,
    '',
  ].join('\n');
}
