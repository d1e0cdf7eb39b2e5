/**
 * How to reach a cluster and with which identity: from a kubeconfig (contexts, certificates, tokens, exec plugins) or from
 * inside a pod. The formats are KubeConfig's of @kubernetes/client-node, loaded only when asked for because it
 * takes half a second; this file adds what it leaves out and says clearly what is missing.
 */
import { access, readFile } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import { delimiter, join } from 'node:path';
import type { Clock } from '../world.ts';
import type { Endpoint, Identity } from './endpoint.ts';
import { type ExecCluster, type ExecCredential, ExecPlugin, type Terminal } from './exec-plugin.ts';
import {
  type ClusterEntry,
  CredentialsError,
  type KubeconfigDocument,
  mergeKubeconfigs,
  readKubeconfig,
} from './kubeconfig.ts';
import { proxyFor } from './proxy-environment.ts';

export { CredentialsError } from './kubeconfig.ts';

export interface CredentialsOptions {
  /** One file or several joined as in KUBECONFIG. Default: KUBECONFIG, then ~/.kube/config, then the pod's own. */
  readonly kubeconfig?: string;
  /** Default: the current context of the file. */
  readonly context?: string;
  /** Of the process: KUBECONFIG, HOME, KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT, HTTPS_PROXY, NO_PROXY. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /**
   * Where a credential plugin can ask the user to log in. It is run before this returns then, because requests have
   * deadlines that are shorter than a login. Default: nowhere.
   */
  readonly terminal?: Terminal | undefined;
  /** Where a pod finds its service account. Default /var/run/secrets/kubernetes.io/serviceaccount. */
  readonly serviceAccountDir?: string;
}

export interface Credentials extends Endpoint {
  /** The namespace of the context, or of the pod: the default namespace of requests. */
  readonly namespace: string;
  /** The namespace of this pod. Never that of a context, which is only the default of kubectl and may change. */
  readonly podNamespace?: string;
  /** PEM of the current CAs: the file of a rotated one changes its content. */
  trusted(): Promise<string | undefined>;
  /** For people: `context kind-dev of /home/me/.kube/config`, `the pod's service account`. */
  readonly source: string;
}

export async function loadCredentials(options: CredentialsOptions): Promise<Credentials> {
  const files = await kubeconfigFiles(options);
  if (files.length > 0) return fromKubeconfig(files, options);
  const inside = await fromPod(options);
  if (inside) return inside;
  throw new CredentialsError(
    'no cluster to talk to: no --kubeconfig, KUBECONFIG is not set, there is no ~/.kube/config, and this is not a pod',
  );
}

// ------------------------------------------------------------------------------------------------

const SERVICE_ACCOUNT_DIR = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Files are read at most this often. */
const IDENTITY_TTL_MS = 10_000;

async function kubeconfigFiles(options: CredentialsOptions): Promise<string[]> {
  const named = options.kubeconfig || options.env['KUBECONFIG'] || '';
  const list = named.split(delimiter).filter((file) => file !== '');
  if (list.length > 0) return options.kubeconfig ? list : existing(list);
  const home = options.env['HOME'] ?? options.env['USERPROFILE'];
  if (home === undefined) return [];
  const usual = join(home, '.kube', 'config');
  return (await exists(usual)) ? [usual] : [];
}

async function fromKubeconfig(files: readonly string[], options: CredentialsOptions): Promise<Credentials> {
  const documents = await Promise.all(files.map((file) => readKubeconfig(file, files.length > 1)));
  const chosen = mergeKubeconfigs(files, documents, options.context);
  const source = `context ${chosen.context} of ${files.join(delimiter)}`;
  const credentials = await toCredentials(chosen, chosen.namespace ?? 'default', source, options);
  if (credentials.proxyUrl !== undefined) return credentials;
  // As kubectl does. A pod uses no proxy: the API server is inside the cluster.
  const proxyUrl = proxyFor(new URL(credentials.server), options.env);
  return proxyUrl === undefined ? credentials : { ...credentials, proxyUrl };
}

async function fromPod(options: CredentialsOptions): Promise<Credentials | undefined> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = options.env;
  if (!host) return undefined;
  const dir = options.serviceAccountDir ?? SERVICE_ACCOUNT_DIR;
  const tokenFile = join(dir, 'token');
  if (!(await exists(tokenFile))) {
    throw new CredentialsError(`this is a pod, but it has no service account token: ${tokenFile} is missing`);
  }
  const namespace = (await readFile(join(dir, 'namespace'), 'utf8').catch(() => '')).trim();
  const document: KubeconfigDocument = {
    cluster: {
      server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
      'certificate-authority': join(dir, 'ca.crt'),
    },
    user: { tokenFile },
  };
  const credentials = await toCredentials(
    { ...document, context: 'pod' },
    namespace || 'default',
    "the pod's service account",
    options,
  );
  return namespace === '' ? credentials : { ...credentials, podNamespace: namespace };
}

async function toCredentials(
  chosen: KubeconfigDocument & { readonly context: string },
  namespace: string,
  source: string,
  options: CredentialsOptions,
): Promise<Credentials> {
  const { cluster, user } = chosen;
  const { env, clock, terminal } = options;
  const load = () => openKubeConfig(chosen);
  const first = await authorityOf(cluster, source);
  const trusted = followed(cluster, first);
  const plugin =
    user.exec &&
    new ExecPlugin(user.exec, { cluster: () => clusterInfo(cluster, trusted), env, clock, terminal });
  let config = await load();
  let known: { atMs: number; identity: Promise<Identity> } | undefined;

  const identify = ({ fresh }: { fresh: boolean }): Promise<Identity> => {
    const nowMs = options.clock.monotonic();
    if (!fresh && known && nowMs - known.atMs < IDENTITY_TTL_MS) return known.identity;
    const identity = (async () => {
      // The library keeps what it read from a file for a minute; only a new one forgets it.
      if (fresh) config = await load();
      const credential =
        plugin && (await plugin.credential({ fresh }).catch(namingThePlugin(chosen, source)));
      const ca = await trusted();
      const identity = await identityOf(config, chosen, source, credential);
      return ca === undefined ? identity : { ...identity, ca };
    })();
    known = { atMs: nowMs, identity };
    identity.catch(() => {
      if (known?.identity === identity) known = undefined;
    });
    return identity;
  };

  if (plugin !== undefined && terminal !== undefined) await identify({ fresh: false });
  // Nothing to add and nothing that may change: no plugin, no header, no file.
  const isStill = Object.keys(user).length === 0 && !authorityFile(cluster);
  return {
    namespace,
    source,
    trusted,
    server: cluster.server,
    ...(first === undefined ? {} : { ca: first }),
    ...(cluster['insecure-skip-tls-verify'] ? { insecure: true } : {}),
    ...(cluster['tls-server-name'] ? { serverName: cluster['tls-server-name'] } : {}),
    ...(cluster['proxy-url'] ? { proxyUrl: cluster['proxy-url'] } : {}),
    ...(isStill ? {} : { identify }),
  };
}

/** What client-go passes to a plugin: also a CA that is in a file, and the config of its extension. */
async function clusterInfo(
  cluster: ClusterEntry,
  trusted: () => Promise<string | undefined>,
): Promise<ExecCluster> {
  const ca = await trusted();
  const config = (cluster.extensions ?? []).find(({ name }) => name === EXEC_EXTENSION)?.extension;
  return {
    server: cluster.server,
    ...(cluster['tls-server-name'] ? { 'tls-server-name': cluster['tls-server-name'] } : {}),
    ...(cluster['insecure-skip-tls-verify'] ? { 'insecure-skip-tls-verify': true } : {}),
    ...(ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
    ...(cluster['proxy-url'] ? { 'proxy-url': cluster['proxy-url'] } : {}),
    ...(cluster['disable-compression'] ? { 'disable-compression': true } : {}),
    ...(config === undefined ? {} : { config }),
  };
}

const EXEC_EXTENSION = 'client.authentication.k8s.io/exec';

type KubeConfig = import('@kubernetes/client-node').KubeConfig;

async function openKubeConfig(chosen: KubeconfigDocument): Promise<KubeConfig> {
  const { KubeConfig } = await import('./lazy/client-node.ts');
  const { user } = chosen;
  const config = new KubeConfig();
  // TLS of the server is ours to check; the library would reject plain http without this.
  const cluster = { name: 'cluster', server: chosen.cluster.server, skipTLSVerify: true };
  config.loadFromClusterAndUser(cluster, {
    name: 'user',
    ...(user['client-certificate'] ? { certFile: user['client-certificate'] } : {}),
    ...(user['client-certificate-data'] ? { certData: user['client-certificate-data'] } : {}),
    ...(user['client-key'] ? { keyFile: user['client-key'] } : {}),
    ...(user['client-key-data'] ? { keyData: user['client-key-data'] } : {}),
    ...(user.token && !user.tokenFile ? { token: user.token } : {}),
    ...(user.username ? { username: user.username, password: user.password ?? '' } : {}),
    ...(user.tokenFile ? { authProvider: { name: 'tokenFile', config: { tokenFile: user.tokenFile } } } : {}),
    ...(user['auth-provider'] && !user.tokenFile ? { authProvider: user['auth-provider'] } : {}),
  });
  return config;
}

async function identityOf(
  config: KubeConfig,
  chosen: KubeconfigDocument,
  source: string,
  credential: ExecCredential = {},
): Promise<Identity> {
  const applied: RequestOptions = { headers: {} };
  try {
    await config.applyToHTTPSOptions(applied);
  } catch (error) {
    const detail = error instanceof Error ? error.message.trim() : String(error);
    throw new CredentialsError(`${source}: credentials cannot be read: ${detail}`, { cause: error });
  }
  const { Authorization: stated, ...others } = applied.headers as Record<string, string>;
  const authorization = credential.token ? `Bearer ${credential.token}` : stated;
  const cert = credential.cert ?? (applied.cert as string | Uint8Array | undefined);
  const key = credential.key ?? (applied.key as string | Uint8Array | undefined);
  const basic = applied.auth ? `Basic ${Buffer.from(applied.auth).toString('base64')}` : undefined;
  return {
    headers: {
      ...others,
      ...chosen.impersonation,
      // A token file may end with a newline, which no header may carry.
      ...(authorization ? { authorization: authorization.trim() } : basic ? { authorization: basic } : {}),
    },
    ...(cert ? { cert } : {}),
    ...(key ? { key } : {}),
  };
}

async function authorityOf(
  cluster: KubeconfigDocument['cluster'],
  source: string,
): Promise<string | undefined> {
  const inline = cluster['certificate-authority-data'];
  if (inline) return Buffer.from(inline, 'base64').toString('utf8');
  const file = authorityFile(cluster);
  if (file === undefined) return undefined;
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CredentialsError(`${source}: the certificate authority ${file} cannot be read`, {
      cause: error,
    });
  }
}

/** A missing or empty file is about to be written: until then the previous one is used. */
function followed(
  cluster: KubeconfigDocument['cluster'],
  first: string | undefined,
): () => Promise<string | undefined> {
  const file = authorityFile(cluster);
  if (file === undefined) return async () => first;
  let last = first;
  return async () => {
    const text = await readFile(file, 'utf8').catch(() => '');
    if (text.trim() !== '') last = text;
    return last;
  };
}

/** Undefined where the CA is inline in the configuration, or those of the system are used. */
function authorityFile(cluster: KubeconfigDocument['cluster']): string | undefined {
  return cluster['certificate-authority-data'] ? undefined : cluster['certificate-authority'] || undefined;
}

function namingThePlugin({ user }: KubeconfigDocument, source: string) {
  return (error: unknown): never => {
    const what = `the credential plugin ${user.exec?.command ?? ''} failed`;
    throw new CredentialsError(`${source}: ${what}: ${(error as Error).message}`, { cause: error });
  };
}

/**
 * kubectl skips missing files of KUBECONFIG; if all are missing, the error names the first. One that cannot be reached is not
 * skipped: the next file may have another current context.
 */
async function existing(files: readonly string[]): Promise<string[]> {
  const missing = await Promise.all(files.map(isMissing));
  const found = files.filter((_, index) => !missing[index]);
  return found.length > 0 ? found : files.slice(0, 1);
}

async function isMissing(file: string): Promise<boolean> {
  try {
    await access(file);
    return false;
  } catch (error) {
    return (error as { code?: string }).code === 'ENOENT';
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch {
    return false;
  }
}
