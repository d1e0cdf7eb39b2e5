/** The client certificate that the kubelet requested and keeps renewing, with TLS bootstrap. */
import { X509Certificate } from 'node:crypto';
import type { World } from '@chandler/kube';
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
