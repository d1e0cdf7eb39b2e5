/** The audit log of a kube-apiserver: what one user requested, and the answers. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Request } from '../../e2e/role-rules.ts';

export interface AuditedRequest extends Request {
  readonly code: number;
}

/** Flags that write the requests of this user to `audit.log` in the folder. */
export function auditFlags(folder: string, username: string): string[] {
  const policy = join(folder, 'audit-policy.yaml');
  writeFileSync(
    policy,
    JSON.stringify({
      apiVersion: 'audit.k8s.io/v1',
      kind: 'Policy',
      omitStages: ['RequestReceived'],
      rules: [{ level: 'Metadata', users: [username] }, { level: 'None' }],
    }),
  );
  return [`--audit-policy-file=${policy}`, `--audit-log-path=${join(folder, 'audit.log')}`];
}

/** Requests that name no resource, such as discovery, are left out. */
export function readAudit(folder: string): AuditedRequest[] {
  return readFileSync(join(folder, 'audit.log'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter((event) => event.objectRef !== undefined)
    .map(({ verb, objectRef, responseStatus }) => ({
      verb,
      group: objectRef!.apiGroup ?? '',
      resource: [objectRef!.resource, objectRef!.subresource].filter(Boolean).join('/'),
      namespace: objectRef!.namespace ?? '',
      name: objectRef!.name ?? '',
      code: responseStatus?.code ?? 0,
    }));
}

// ---------------------------------------------------------------------------------------------------

interface AuditEvent {
  readonly verb: string;
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code: number };
}
