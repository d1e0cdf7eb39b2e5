/** The rules of deploy/rbac.yaml and of the optional files one by one, and requests as an authorizer sees them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KUBE_YAML, type KubeObject } from '@chandler/kube';
import { isMap, isSeq, parseAllDocuments, type YAMLMap } from 'yaml';

export interface Request {
  readonly verb: string;
  readonly group: string;
  /** With the subresource: `pods/eviction`. */
  readonly resource: string;
  readonly namespace: string;
  /** Also where a list selects one object by its name. */
  readonly name: string;
}

/** One verb on one resource. */
export interface RoleRule {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly names: readonly string[];
  /** Of a Role. */
  readonly namespace: string | undefined;
  /** Why no test can record its use: the comment `Not requested: …` of the rule. */
  readonly excuse: string | undefined;
}

/** Files of deploy/ with roles that only some settings need. */
export const OPTIONAL_ROLES = ['rbac-pod-deletion-cost.yaml', 'rbac-disruption-surge.yaml'] as const;
export type OptionalRoles = (typeof OPTIONAL_ROLES)[number] | 'rbac-page.yaml';
/** The file of a cloud. */
export type BaseRoles = 'rbac.yaml' | 'rbac-aws.yaml';

export function readRules(
  bootstrapToken?: string,
  optional: readonly OptionalRoles[] = OPTIONAL_ROLES,
  base: BaseRoles = 'rbac.yaml',
): readonly RoleRule[] {
  const files = [base, ...optional].map((name) =>
    readFileSync(join(import.meta.dirname, '../../deploy', name), 'utf8'),
  );
  const texts = files.map((file) =>
    bootstrapToken === undefined ? file : file.replaceAll('TOKENID', bootstrapToken.split('.')[0]!),
  );
  return texts
    .flatMap((text) => parseAllDocuments(text, KUBE_YAML))
    .flatMap((document) => {
      const list = document.get('rules');
      const { metadata } = document.toJS() as KubeObject;
      if (!isSeq(list)) return [];
      return list.items.filter(isMap).flatMap((rule: YAMLMap, index) => {
        const comment = (index === 0 ? list.commentBefore : rule.commentBefore)?.trim() ?? '';
        const excuse = comment.startsWith(EXCUSE) ? comment.slice(EXCUSE.length).trim() : undefined;
        const { apiGroups, resources, verbs, resourceNames = [] } = rule.toJSON() as Record<string, string[]>;
        return apiGroups!.flatMap((group) =>
          resources!.flatMap((resource) =>
            verbs!.map((verb) => ({
              verb,
              group,
              resource,
              names: resourceNames,
              namespace: metadata.namespace,
              excuse,
            })),
          ),
        );
      });
    });
}

export function covers({ verb, group, resource, names, namespace }: RoleRule, request: Request): boolean {
  return (
    verb === request.verb &&
    group === request.group &&
    resource === request.resource &&
    (namespace === undefined || namespace === request.namespace) &&
    (names.length === 0 || names.includes(request.name))
  );
}

/** Nothing when the URL names no resource, such as /version. */
export function requestOf(method: string, url: URL): Request | undefined {
  const match = PATH.exec(url.pathname);
  if (match === null) return undefined;
  const [, group = '', namespace = '', plural = '', named = '', subresource] = match;
  const selected = /^metadata\.name=(.+)$/.exec(url.searchParams.get('fieldSelector') ?? '')?.[1] ?? '';
  const watch = ['true', '1'].includes(url.searchParams.get('watch') ?? '');
  const read = named !== '' ? 'get' : watch ? 'watch' : 'list';
  return {
    verb: method === 'GET' ? read : (VERBS[method] ?? method),
    group,
    resource: subresource === undefined ? plural : `${plural}/${subresource}`,
    namespace,
    name: named || selected,
  };
}

export function describe({ verb, group, resource, names, namespace }: RoleRule): string {
  const where = namespace === undefined ? '' : ` in ${namespace}`;
  return `${verb} ${resource}${group === '' ? '' : `.${group}`}${names.length === 0 ? '' : ` ${names.join('|')}`}${where}`;
}

// ---------------------------------------------------------------------------------------------------

const EXCUSE = 'Not requested:';
const PATH =
  /^\/(?:api|apis\/([^/]+))\/[^/]+(?:\/namespaces\/([^/]+)(?=\/))?\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/;
const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};
