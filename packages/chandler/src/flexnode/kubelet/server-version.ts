/** The version of the API server as of now, and whether the kubelet of the config may join it. Read-only. */
import type { ClusterClient, ClusterCredential } from '../azure/cluster-client.ts';
import type { FlexConfig } from '../config/config.ts';
import { FlexError } from '../flex-error.ts';
import type { Host } from '../host/host.ts';
import type { Facts } from '../step.ts';
import { certificateOf } from './live.ts';
import { kubeletPaths } from './paths.ts';
import { kubeletSkew, parseVersion } from './version.ts';

export const SERVER_VERSION = 'cluster.serverVersion';

export interface ServerVersionOptions {
  readonly cluster: Pick<ClusterClient, 'serverVersion'>;
  readonly facts: Pick<Facts, 'get'>;
  readonly host: Pick<Host, 'readFile'>;
  readonly config: FlexConfig;
  readonly signal: AbortSignal;
  readonly dryRun?: boolean;
}

/** The cluster may have been upgraded since bootstrap. If it cannot be read, the recorded version counts. */
export async function serverVersionNow(options: ServerVersionOptions): Promise<string | undefined> {
  const { cluster, facts, signal } = options;
  const recorded = facts.get(SERVER_VERSION);
  const [server, caData] = [facts.get('cluster.server'), facts.get('cluster.caData')];
  if (options.dryRun === true || server === undefined || caData === undefined) return recorded;
  try {
    const credential = await certificateOfNode(options);
    const now = await cluster.serverVersion({ server, caData }, signal, credential);
    return now === '' ? recorded : now;
  } catch (error) {
    if (signal.aborted || !(error instanceof FlexError)) throw error;
    return recorded;
  }
}

/** @throws {FlexError} if the API server does not support the kubelet of the config. */
export function checkKubeletSkew({ kubernetes }: FlexConfig, server: string | undefined): void {
  const [kubelet, parsed] = [parseVersion(kubernetes.version), parseVersion(server ?? '')];
  if (kubelet === undefined || parsed === undefined) return;
  const skew = kubeletSkew(kubelet, parsed);
  if (skew.ok) return;
  const what = skew.problem === 'newer-than-server' ? 'newer than' : 'too old for';
  throw new FlexError({
    class: 'config',
    code: 'kubelet.version-skew',
    message: `kubernetes.version ${kubernetes.version} is ${what} the API server (${server})`,
    remedy: `Set kubernetes.version to ${skew.oldest} or later, but not later than the API server.`,
    where: 'kubernetes.version',
  });
}

// ---------------------------------------------------------------------------------------------------

/** Anonymous requests may be disabled. A node with the Arc token asks without a credential. */
async function certificateOfNode({
  host,
  config,
}: ServerVersionOptions): Promise<ClusterCredential | undefined> {
  if (!config.security.tlsBootstrap) return undefined;
  const pem = await host.readFile(kubeletPaths(config).clientCertificate);
  return pem === undefined ? undefined : certificateOf(Buffer.from(pem).toString('utf8'));
}
