/** Generates roles.gen.ts and roles-aws.gen.ts from deploy/: the controller of the playground has exactly these permissions. */
import type { KubeObject } from '@chandler/kube';

/** The placeholder for the id of the bootstrap token in the manifest. */
export const TOKEN_ID = 'TOKENID';

/** @param file of the objects, in deploy/. */
export function renderRoles(objects: readonly KubeObject[], file = 'rbac.yaml'): string {
  return [
    `/** Made from deploy/${file} by \`npm run generate\`; change that file, not this one. */`,
    "import type { KubeObject } from '@chandler/kube';",
    '',
    `export const CONTROLLER_ROLES: readonly KubeObject[] = ${JSON.stringify(objects, undefined, 2)};`,
    '',
  ].join('\n');
}
