/** The identity under which controllers run in these suites: deploy/rbac.yaml as an operator would edit and apply it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  KUBE_YAML,
  type KubeClient,
  type KubeObject,
  type ResourceRef,
  ROLE_BINDINGS,
  ROLES,
  SERVICE_ACCOUNTS,
} from '@chandler/kube';
import { parseAllDocuments } from 'yaml';
import type { BaseRoles, OptionalRoles } from './role-rules.ts';

export const ACCOUNT = { namespace: 'kube-system', name: 'chandler' };

/** The account as an API server knows it. */
export const CONTROLLER_USER = {
  username: `system:serviceaccount:${ACCOUNT.namespace}:${ACCOUNT.name}`,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${ACCOUNT.namespace}`, 'system:authenticated'],
};

/** The objects of a cloud's file of deploy/ and of optional files, with the name of the cluster's bootstrap token. */
export function roleObjects(
  bootstrapToken = '',
  optional: readonly OptionalRoles[] = [],
  base: BaseRoles = 'rbac.yaml',
): readonly (readonly [ResourceRef, KubeObject])[] {
  const files = [base, ...optional].map((name) =>
    readFileSync(join(import.meta.dirname, '../../deploy', name), 'utf8'),
  );
  const texts = files.map((file) => file.replaceAll('TOKENID', bootstrapToken.split('.')[0]!));
  return texts
    .flatMap((text) => parseAllDocuments(text, KUBE_YAML))
    .map((document) => {
      const object = document.toJS() as KubeObject;
      return [resourceOf(object), object];
    });
}

/** A token with which a process is the account: an hour, as in a pod. */
export async function accountToken(admin: KubeClient, account = ACCOUNT): Promise<string> {
  const answer = await admin.post<{ status: { token: string } }>(SERVICE_ACCOUNTS, account, 'token', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 3600 },
  });
  return answer.status.token;
}

/** A kubeconfig in which that token is the only credential. */
export function accountKubeconfig(at: { server: string; caPem: string; token: string }): string {
  return `${JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'c',
        cluster: {
          server: at.server,
          'certificate-authority-data': Buffer.from(at.caPem).toString('base64'),
        },
      },
    ],
    users: [{ name: 'chandler', user: { token: at.token } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'chandler' } }],
    'current-context': 'c',
  })}\n`;
}

export function resourceOf({ kind = '' }: KubeObject): ResourceRef {
  const found = RESOURCE_OF[kind];
  if (found === undefined) throw new Error(`no role is of kind ${kind}`);
  return found;
}

// ---------------------------------------------------------------------------------------------------

const RESOURCE_OF: Readonly<Record<string, ResourceRef>> = {
  ServiceAccount: SERVICE_ACCOUNTS,
  ClusterRole: CLUSTER_ROLES,
  ClusterRoleBinding: CLUSTER_ROLE_BINDINGS,
  Role: ROLES,
  RoleBinding: ROLE_BINDINGS,
};
