/**
 * `node test/charts/record-schemas.ts`: writes kubernetes-schemas.gen.json, the schemas of the kinds that our charts have, from the
 * OpenAPI document of a real kube-apiserver (test/cluster). Descriptions are left out, and unknown fields are rejected.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { findBinaries, KUBERNETES_VERSION } from '../cluster/control-plane/binaries.ts';
import { launchControlPlane } from '../cluster/control-plane/launch.ts';
import { type JsonSchema, strict } from './strict-schema.ts';

const KINDS = [
  'io.k8s.api.apps.v1.Deployment',
  'io.k8s.api.core.v1.ConfigMap',
  'io.k8s.api.core.v1.Service',
  'io.k8s.api.core.v1.ServiceAccount',
  'io.k8s.api.networking.v1.NetworkPolicy',
  'io.k8s.api.policy.v1.PodDisruptionBudget',
  'io.k8s.api.rbac.v1.ClusterRole',
  'io.k8s.api.rbac.v1.ClusterRoleBinding',
  'io.k8s.api.rbac.v1.Role',
  'io.k8s.api.rbac.v1.RoleBinding',
  'io.k8s.api.scheduling.v1.PriorityClass',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition',
];

const binaries = await findBinaries(console.log);
if ('missing' in binaries) throw new Error(binaries.missing);
const plane = await launchControlPlane(binaries.folder, { controllers: 'none', scheduler: false });
try {
  const { definitions } = await openApi(plane.url, plane.token);
  const reached = new Set<string>();
  for (const kind of KINDS) reach(kind, definitions, reached);
  const kept = [...reached].sort().map((name) => [name, strict(definitions[name]!)]);
  const file = join(import.meta.dirname, 'kubernetes-schemas.gen.json');
  const document = { version: KUBERNETES_VERSION, kinds: KINDS, definitions: Object.fromEntries(kept) };
  writeFileSync(file, `${JSON.stringify(document)}\n`);
  console.log(`${reached.size} definitions of Kubernetes ${KUBERNETES_VERSION}`);
} finally {
  await plane.stop();
}

// ---------------------------------------------------------------------------------------------------

type Definitions = Readonly<Record<string, JsonSchema>>;

async function openApi(url: string, token: string): Promise<{ readonly definitions: Definitions }> {
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  const answer = await request(`${url}/openapi/v2`, {
    dispatcher,
    headers: { authorization: `Bearer ${token}` },
  });
  const document = (await answer.body.json()) as { readonly definitions: Definitions };
  await dispatcher.close();
  return document;
}

function reach(name: string, definitions: Definitions, reached: Set<string>): void {
  if (reached.has(name)) return;
  reached.add(name);
  const text = JSON.stringify(definitions[name]);
  for (const [, other] of text.matchAll(/"#\/definitions\/([^"]+)"/g)) reach(other!, definitions, reached);
}
