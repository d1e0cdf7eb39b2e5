/** The version of the API server as of now, and whether the kubelet of the config may join it. Read-only. */
import type { ClusterCredential } from '../azure/cluster-client.ts';
import type { FlexConfig } from '../config/config.ts';
import { FlexError } from '../flex-error.ts';
import { arcToken, type Live, type NodeTokenSource, nodeCredential } from './live.ts';
import { usesNodeCertificate } from './node-certificate.ts';
import { kubeletSkew, parseVersion, type Skew } from './version.ts';

export const SERVER_VERSION = 'cluster.serverVersion';

export interface ServerVersion {
  /** `undefined`: not known before the first bootstrap. */
  readonly version: string | undefined;
  /** Why this is the recorded version. The cluster may have been upgraded since. */
  readonly unread?: string;
}

export interface ServerVersionOptions extends Omit<Live, 'nodeToken'> {
  /** Default: the Arc agent of this machine. */
  readonly nodeToken?: NodeTokenSource;
}

/** The cluster may have been upgraded since bootstrap. If it cannot be read, the recorded version is returned. */
export async function serverVersionNow(options: ServerVersionOptions): Promise<ServerVersion> {
  const { cluster, facts, signal } = options;
  const version = facts.get(SERVER_VERSION);
  const [server, caData] = [facts.get('cluster.server'), facts.get('cluster.caData')];
  if (server === undefined || caData === undefined) return { version };
  try {
    const live = { ...options, nodeToken: options.nodeToken ?? arcToken };
    const credential = cluster.isDryRun === true ? undefined : await credentialOf(live);
    const now = await cluster.serverVersion({ server, caData }, signal, credential);
    return now === '' ? { version, unread: 'the response has no version' } : { version: now };
  } catch (error) {
    if (signal.aborted || !(error instanceof FlexError)) throw error;
    return { version, unread: error.facts.message };
  }
}

/** `undefined`: supported, or one of the versions is not known. */
export function skewProblem(
  { kubernetes }: FlexConfig,
  { version }: ServerVersion,
): Extract<Skew, { readonly ok: false }> | undefined {
  const [kubelet, server] = [parseVersion(kubernetes.version), parseVersion(version ?? '')];
  if (kubelet === undefined || server === undefined) return undefined;
  const skew = kubeletSkew(kubelet, server);
  return skew.ok ? undefined : skew;
}

/** @throws {FlexError} if the API server does not support the kubelet of the config. */
export function checkKubeletSkew(config: FlexConfig, server: ServerVersion): void {
  const skew = skewProblem(config, server);
  if (skew === undefined) return;
  const { version } = config.kubernetes;
  const isNewer = skew.problem === 'newer-than-server';
  const recorded =
    server.unread === undefined
      ? ''
      : `, recorded by an earlier run; the current version could not be read: ${server.unread}`;
  const upgraded =
    isNewer && server.unread !== undefined
      ? ' If the cluster has been upgraded, log in to Azure or restore the connection to the API server, then run the command again.'
      : '';
  throw new FlexError({
    class: 'config',
    code: 'kubelet.version-skew',
    message: `kubernetes.version ${version} is ${isNewer ? 'newer than' : 'too old for'} the API server (${server.version}${recorded})`,
    remedy: `Set kubernetes.version to ${skew.oldest} or later, but not later than the API server.${upgraded}`,
    where: 'kubernetes.version',
  });
}

// ---------------------------------------------------------------------------------------------------

/** AKS rejects anonymous requests. Without a valid certificate, the node has the token of its Arc identity. */
async function credentialOf(live: Live): Promise<ClusterCredential> {
  const { host, config, world } = live;
  const isCertified = await usesNodeCertificate(host, config, world);
  const certificate = isCertified ? await nodeCredential(live) : undefined;
  return certificate ?? { kind: 'token', token: await live.nodeToken(live) };
}
