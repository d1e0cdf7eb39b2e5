/** The page of a controller on an embedded API server over HTTPS, under the roles of deploy/, and people with tokens. */
import { startApiServer } from '@chandler/apiserver';
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  CUSTOM_RESOURCE_DEFINITIONS,
  fetchTransport,
  ignoreApiErrors,
  KubeClient,
  type KubeObject,
  type ResourceRef,
  SERVICE_ACCOUNTS,
  type Transport,
  undiciTransport,
} from '@chandler/kube';
import { realTimeWorld } from '@chandler/kube/testing';
import { AKS_NODE_CLASSES } from '../../packages/chandler/src/api/index.ts';
import { builtinCrds } from '../../packages/chandler/src/api/kinds/index.ts';
import { type ClusterConnection, startControllerPage } from '../../packages/chandler/src/cli/testing.ts';
import { FreezeWatch } from '../../packages/chandler/src/controllers/index.ts';
import { Stores } from '../../packages/chandler/src/state/index.ts';
import { accountToken, roleObjects } from '../e2e/roles.ts';

export interface PageStage {
  readonly admin: KubeClient;
  readonly world: ReturnType<typeof realTimeWorld>;
  /** Requests of the controller itself, for the page and for its stores. */
  readonly sent: readonly string[];
  readonly port: number;
  /** The token of an account that may get, list and watch these, as `nodes` or `nodepools.karpenter.sh`. */
  person(name: string, ...resources: readonly string[]): Promise<string>;
  ask(path: string, token: string | undefined, how?: Asking): Promise<Answer>;
  /** From now on the API server does not answer the controller. */
  isOut: boolean;
}

export interface Asking {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** On an embedded API server. */
export async function withControllerPage(
  use: (stage: PageStage) => Promise<void>,
  { withRole = true, withoutKinds = [] as readonly string[] } = {},
): Promise<void> {
  const world = realTimeWorld();
  const initialObjects = builtinCrds() as unknown as KubeObject[];
  const server = await startApiServer({ world, port: 0, initialObjects });
  const admin = new KubeClient({ transport: fetchTransport(server.adminFetch) });
  await until(async () => (await admin.list(CUSTOM_RESOURCE_DEFINITIONS)).items.every(isEstablished));
  try {
    await withPageOn({ world, admin, server: server.url!, caPem: server.caPem, withRole, withoutKinds }, use);
  } finally {
    await server.close();
  }
}

export interface PageCluster {
  readonly world: PageStage['world'];
  readonly admin: KubeClient;
  readonly server: string;
  readonly caPem: string;
  /** False: the controller has only the role without the page. */
  readonly withRole: boolean;
  /** Kinds of that role which are not applied. */
  readonly withoutKinds?: readonly string[];
}

/** On any API server that has the CRDs. */
export async function withPageOn(
  { world, admin, server, caPem, withRole, withoutKinds = [] }: PageCluster,
  use: (stage: PageStage) => Promise<void>,
): Promise<void> {
  const isApplied = ({ kind, metadata }: KubeObject) =>
    metadata.name !== 'chandler-page' || !withoutKinds.includes(kind!);
  const roles = roleObjects('x.y', withRole ? ['rbac-page.yaml'] : []);
  for (const [resource, object] of roles.filter(([, each]) => isApplied(each)))
    await ignoreApiErrors(admin.create(resource, object), 'alreadyExists');
  const own = await accountToken(admin);
  const identify = async () => ({ headers: { authorization: `Bearer ${own}` } });
  const wire = undiciTransport({ server, ca: caPem, identify });
  const sent: string[] = [];
  const state = { isOut: false };
  const transport: Transport = async (request) => {
    sent.push(`${request.method} ${request.path}`);
    if (state.isOut) throw new Error('connect ECONNREFUSED');
    return wire.send(request);
  };
  const stores = new Stores({ world, transport, nodeClasses: [AKS_NODE_CLASSES as ResourceRef] });
  const freezes = new FreezeWatch({ world, client: new KubeClient({ transport }), namespace: 'kube-system' });
  const stopping = new AbortController();
  const freezing = freezes.run(stopping.signal);
  await stores.start();
  const connection: ClusterConnection = {
    transport,
    host: new URL(server).host,
    env: {},
    credentials: {
      server,
      ca: caPem,
      namespace: 'kube-system',
      source: 'test',
      trusted: async () => caPem,
      // To be used by nobody but the controller.
      identify,
    },
    close: async () => undefined,
  };
  const page = await startControllerPage({
    world,
    connection,
    namespace: 'kube-system',
    watched: () => ({ stores, freezes: freezes.store }),
    address: '127.0.0.1',
    port: 0,
    hosts: ['page.example.com'],
    reviewTtlMs: REVIEW_TTL_MS,
  });
  try {
    await use(
      Object.assign(state, {
        admin,
        world,
        sent,
        port: page.port,
        person: (name: string, ...resources: readonly string[]) =>
          accountWhoMayRead(admin, name, ...resources),
        ask: (path: string, token: string | undefined, how?: Asking) => ask(page.port, path, token, how),
      }),
    );
  } finally {
    await page.close();
    stopping.abort();
    await Promise.all([stores.stop(), freezing]);
    await wire.close();
  }
}

/** The token of an account that may get, list and watch these. */
export async function accountWhoMayRead(
  admin: KubeClient,
  name: string,
  ...resources: readonly string[]
): Promise<string> {
  const account = { namespace: 'default', name };
  const apiVersion = `${RBAC}/v1`;
  const rules = resources.map((each) => {
    const [resource = '', ...group] = each.split('.');
    return { apiGroups: [group.join('.')], resources: [resource], verbs: ['get', 'list', 'watch'] };
  });
  const metadata = { name };
  await admin.create(SERVICE_ACCOUNTS, { metadata: account } as KubeObject);
  await admin.create(CLUSTER_ROLES, { apiVersion, kind: 'ClusterRole', metadata, rules } as KubeObject);
  await admin.create(CLUSTER_ROLE_BINDINGS, {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata,
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  } as KubeObject);
  return accountToken(admin, account);
}

export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}

// ---------------------------------------------------------------------------------------------------

/** Short, so that a test sees a permission end. */
const REVIEW_TTL_MS = 1_000;

const RBAC = 'rbac.authorization.k8s.io';

function isEstablished(crd: KubeObject): boolean {
  const { conditions = [] } = (crd['status'] ?? {}) as { readonly conditions?: readonly { type: string }[] };
  return conditions.some(({ type }) => type === 'Established');
}

async function ask(
  port: number,
  path: string,
  token: string | undefined,
  { headers = {}, body }: Asking = {},
): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}${path.startsWith('/') ? path : `/api/v1/${path}`}`, {
    headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers },
    ...(body === undefined ? {} : { method: 'POST', body }),
  });
  return { status: response.status, text: await response.text() };
}
