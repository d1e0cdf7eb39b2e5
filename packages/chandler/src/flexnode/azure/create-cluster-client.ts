/**
 * Implements `ClusterClient` with JSON requests. Every write is idempotent: an existing object is compared and updated,
 * and a deleted object counts as deleted.
 */
import type { World } from '@chandler/kube';
import { FlexError } from '../flex-error.ts';
import { type ApiResponse, type ApiServerOptions, apiServer, messageOf } from './api-server-call.ts';
import type { ClusterAddress, ClusterClient, ClusterCredential, NodeFacts } from './cluster-client.ts';

export function createClusterClient(world: World, options: ApiServerOptions = {}): ClusterClient {
  const send = apiServer(world, options);
  const at = (
    address: ClusterAddress,
    credential: ClusterCredential | undefined,
    signal: AbortSignal,
  ): ApiClient => {
    const who = credential === undefined ? { address } : { address, credential };
    return {
      get: (path) => send({ ...who, method: 'GET', path }, signal),
      post: (path, body) => send({ ...who, method: 'POST', path, body }, signal),
      put: (path, body) => send({ ...who, method: 'PUT', path, body }, signal),
      patch: (path, body) => send({ ...who, method: 'PATCH', path, body }, signal),
      delete: (path) => send({ ...who, method: 'DELETE', path }, signal),
    };
  };
  return {
    async serverVersion(address, signal, credential) {
      const answer = expectSuccess(await at(address, credential, signal).get('/version'), 'read the version');
      return textIn(answer.body, 'gitVersion') ?? '';
    },
    async whoAmI(address, credential, signal) {
      const api = at(address, credential, signal);
      const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
      const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
      const answer = expectSuccess(await api.post(path, body), 'create a SelfSubjectReview');
      const user = objectIn(objectIn(answer.body, 'status'), 'userInfo');
      const groups = user['groups'];
      return {
        username: textIn(user, 'username') ?? '',
        groups: Array.isArray(groups) ? groups.filter((group) => typeof group === 'string') : [],
      };
    },
    async mayBind(address, credential, clusterRoles, signal) {
      const api = at(address, credential, signal);
      if (!(await mayDo(api, { resource: 'clusterrolebindings', verb: 'create' }))) return 'no';
      for (const name of clusterRoles)
        if (!(await mayDo(api, { resource: 'clusterroles', verb: 'bind', name }))) return 'unlessHeld';
      return 'yes';
    },
    bindUser: (address, credential, binding, signal) => bindUser(at(address, credential, signal), binding),
    async binding(address, credential, name, signal) {
      const answer = await at(address, credential, signal).get(`${BINDINGS}/${encodeURIComponent(name)}`);
      if (answer.status === 404) return undefined;
      const { body } = expectSuccess(answer, `read the ClusterRoleBinding ${name}`);
      const [subject = ''] = subjectsOf(body);
      return {
        clusterRole: textIn(objectIn(body, 'roleRef'), 'name') ?? '',
        user: subject.slice(subject.indexOf('/') + 1),
      };
    },
    deleteBinding: (address, credential, name, signal) =>
      remove(at(address, credential, signal), `${BINDINGS}/${encodeURIComponent(name)}`),
    async clientCa(address, credential, signal) {
      const answer = await at(address, credential, signal).get(CLIENT_CA_CONFIG_MAP);
      if (answer.status === 404) return undefined;
      const data = objectIn(expectSuccess(answer, 'read the client CA').body, 'data');
      return textIn(data, 'client-ca-file');
    },
    async node(address, credential, name, signal) {
      const answer = await at(address, credential, signal).get(`${NODES}/${encodeURIComponent(name)}`);
      return answer.status === 404
        ? undefined
        : nodeFacts(expectSuccess(answer, `read the Node ${name}`).body);
    },
    async labelNode(address, credential, name, labels, signal) {
      const path = `${NODES}/${encodeURIComponent(name)}`;
      expectSuccess(
        await at(address, credential, signal).patch(path, { metadata: { labels } }),
        `label the Node ${name}`,
      );
    },
    deleteNode: (address, credential, name, signal) =>
      remove(at(address, credential, signal), `${NODES}/${encodeURIComponent(name)}`),
  };
}

/** The value of the managed-by label on objects in the cluster. */
export const MANAGED_BY = 'chandler-flexnode';

// ---------------------------------------------------------------------------------------------------

const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
const NODES = '/api/v1/nodes';
const CLIENT_CA_CONFIG_MAP = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';

interface ApiClient {
  get(path: string): Promise<ApiResponse>;
  post(path: string, body: unknown): Promise<ApiResponse>;
  put(path: string, body: unknown): Promise<ApiResponse>;
  /** A merge patch. */
  patch(path: string, body: unknown): Promise<ApiResponse>;
  delete(path: string): Promise<ApiResponse>;
}

type Binding = Parameters<ClusterClient['bindUser']>[2];
type Fields = Readonly<Record<string, unknown>>;

async function mayDo(
  api: ApiClient,
  attributes: { readonly resource: string; readonly verb: string; readonly name?: string },
): Promise<boolean> {
  const answer = await api.post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { group: 'rbac.authorization.k8s.io', ...attributes } },
  });
  const { body } = expectSuccess(answer, 'create a SelfSubjectAccessReview');
  return objectIn(body, 'status')['allowed'] === true;
}

async function bindUser(api: ApiClient, request: Binding): Promise<void> {
  const doing = `bind user ${request.user} to ClusterRole ${request.clusterRole}`;
  const path = `${BINDINGS}/${encodeURIComponent(request.name)}`;
  const manifest = bindingManifest(request);
  const there = await api.get(path);
  if (there.status === 404) {
    const made = await api.post(BINDINGS, manifest);
    // Another client created it concurrently: read it once more.
    if (made.status === 409)
      return bindExisting(api, path, request, expectSuccess(await api.get(path), doing).body);
    expectSuccess(made, doing);
    return;
  }
  await bindExisting(api, path, request, expectSuccess(there, doing).body);
}

async function bindExisting(api: ApiClient, path: string, request: Binding, there: Fields): Promise<void> {
  const doing = `update the ClusterRoleBinding ${request.name}`;
  const isUpToDate =
    textIn(objectIn(there, 'roleRef'), 'name') === request.clusterRole &&
    JSON.stringify(subjectsOf(there)) === JSON.stringify([`User/${request.user}`]);
  if (isUpToDate) return;
  if (textIn(objectIn(there, 'roleRef'), 'name') === request.clusterRole) {
    const { resourceVersion } = objectIn(there, 'metadata') as { resourceVersion?: string };
    const manifest = bindingManifest(request);
    expectSuccess(
      await api.put(path, { ...manifest, metadata: { ...manifest.metadata, resourceVersion } }),
      doing,
    );
    return;
  }
  // The roleRef of a binding is immutable.
  await remove(api, path);
  expectSuccess(await api.post(BINDINGS, bindingManifest(request)), doing);
}

function bindingManifest(request: Binding) {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: request.name, labels: { 'app.kubernetes.io/managed-by': MANAGED_BY } },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: request.clusterRole },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: request.user }],
  };
}

function subjectsOf(binding: Fields): readonly string[] {
  const subjects = binding['subjects'];
  if (!Array.isArray(subjects)) return [];
  return subjects.map((subject: Fields) => `${String(subject['kind'])}/${String(subject['name'])}`);
}

async function remove(api: ApiClient, path: string): Promise<boolean> {
  const answer = await api.delete(path);
  if (answer.status === 404) return false;
  expectSuccess(answer, `delete ${path}`);
  return true;
}

function nodeFacts(node: Fields): NodeFacts {
  const status = objectIn(node, 'status');
  const conditions = status['conditions'];
  const ready: Fields | undefined = Array.isArray(conditions)
    ? conditions.find((condition: Fields) => condition['type'] === 'Ready')
    : undefined;
  const reason = ready && textIn(ready, 'reason');
  const message = ready && textIn(ready, 'message');
  const heartbeat = ready && textIn(ready, 'lastHeartbeatTime');
  const info = objectIn(status, 'nodeInfo');
  const kubeletVersion = textIn(info, 'kubeletVersion');
  const [machineId, systemUuid] = [textIn(info, 'machineID'), textIn(info, 'systemUUID')];
  return {
    ready: ready?.['status'] === 'True',
    ...(heartbeat === undefined ? {} : { heartbeat }),
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
    ...(kubeletVersion === undefined ? {} : { kubeletVersion }),
    ...(machineId ? { machineId } : {}),
    ...(systemUuid ? { systemUuid } : {}),
    labels: objectIn(objectIn(node, 'metadata'), 'labels') as Readonly<Record<string, string>>,
  };
}

const CODES: Readonly<Record<number, { readonly code: string; readonly remedy: string }>> = {
  401: {
    code: 'cluster.unauthorized',
    remedy:
      'The cluster does not accept the credential. Check that Entra ID integration is enabled and that the tenant is right.',
  },
  403: { code: 'cluster.forbidden', remedy: 'Grant this permission to the credential in the cluster.' },
};

function expectSuccess(answer: ApiResponse, doing: string): ApiResponse {
  if (answer.status >= 200 && answer.status < 300) return answer;
  const known = CODES[answer.status];
  throw new FlexError({
    class: known === undefined ? 'step' : 'auth',
    code: known?.code ?? 'cluster.refused',
    message: `the API server rejected the request to ${doing}: ${messageOf(answer)} (HTTP ${answer.status})`,
    ...(known === undefined ? {} : { remedy: known.remedy }),
  });
}

function objectIn(fields: Fields, name: string): Fields {
  const value = fields[name];
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function textIn(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
}
