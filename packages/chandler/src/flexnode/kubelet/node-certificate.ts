/** The client certificate and the kubeconfig that the kubelet makes for itself, with TLS bootstrap. */
import { X509Certificate } from 'node:crypto';
import { KUBE_YAML, rethrowProgramError, type World } from '@chandler/kube';
import { parse, YAMLParseError } from 'yaml';
import type { FlexConfig } from '../config/config.ts';
import type { Host } from '../host/host.ts';
import { kubeletPaths } from './paths.ts';

/** Whether there is a client certificate that has not expired. */
export async function hasNodeCertificate(
  host: Pick<Host, 'readFile'>,
  config: FlexConfig,
  world: Pick<World, 'clock'>,
): Promise<boolean> {
  const pem = await host.readFile(kubeletPaths(config).clientCertificate);
  if (pem === undefined) return false;
  try {
    return new X509Certificate(Buffer.from(pem)).validToDate.getTime() > world.clock.now();
  } catch {
    return false;
  }
}

/** Whether the kubelet authenticates with its certificate, and needs no token of the Arc agent. A file that cannot be read is none. */
export async function usesNodeCertificate(
  host: Pick<Host, 'readFile'>,
  config: FlexConfig,
  world: Pick<World, 'clock'>,
): Promise<boolean> {
  try {
    return config.security.tlsBootstrap && (await hasNodeCertificate(host, config, world));
  } catch (error) {
    rethrowProgramError(error);
    return false;
  }
}

/**
 * Whether the kubelet's own kubeconfig is for another API server or CA. The kubelet writes it once and never changes it, so
 * a rotated CA or a new address would never reach it.
 */
export async function isKubeconfigStale(
  host: Pick<Host, 'readFile'>,
  config: FlexConfig,
  cluster: { readonly server: string; readonly caData: string },
): Promise<boolean> {
  const bytes = await host.readFile(kubeletPaths(config).kubeconfig);
  if (bytes === undefined) return false;
  const found = clusterOf(Buffer.from(bytes).toString('utf8'));
  return found?.server !== cluster.server || pemOf(found?.caData) !== pemOf(cluster.caData);
}

// ---------------------------------------------------------------------------------------------------

function clusterOf(text: string): { readonly server?: string; readonly caData?: string } | undefined {
  try {
    const { clusters } = parse(text, KUBE_YAML) as {
      clusters?: { cluster?: { server?: string; 'certificate-authority-data'?: string } }[];
    };
    const { server, 'certificate-authority-data': caData } = clusters?.[0]?.cluster ?? {};
    return { ...(server === undefined ? {} : { server }), ...(caData === undefined ? {} : { caData }) };
  } catch (error) {
    if (error instanceof YAMLParseError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Without the differences of two encodings of the same text. */
function pemOf(data: string | undefined): string | undefined {
  return data === undefined ? undefined : Buffer.from(data, 'base64').toString('utf8').trim();
}
