/**
 * A real control plane for real kubelets: they authenticate with client certificates under the Node authorizer, which the
 * cluster signs on request; the API server reaches them with a certificate of its own, for logs and `kubectl exec`.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CertificateAuthority, createAuthority, issueClientCertificate } from '@chandler/kube/tls';
import {
  type ControlPlane,
  type ControlPlaneOptions,
  launchControlPlane,
} from '../cluster/control-plane/launch.ts';

export interface NodePlane extends ControlPlane {
  /** Whose client certificates the API server takes. */
  readonly clients: CertificateAuthority;
}

export interface NodePlaneOptions extends Pick<ControlPlaneOptions, 'address' | 'serviceAccounts'> {
  /** Additional flags of the API server. `put` writes a file of the control plane, and answers its path. */
  readonly serverFlags?: (put: (name: string, content: string) => string) => readonly string[];
}

export async function startNodePlane(binaries: string, options: NodePlaneOptions): Promise<NodePlane> {
  const { serverFlags, ...given } = options;
  const clients = await createAuthority(Date.now, 'test-clients');
  const kubelet = await issueClientCertificate(clients, {
    commonName: 'kube-apiserver-kubelet-client',
    organizations: ['system:masters'],
  });
  const plane = await launchControlPlane(binaries, {
    ...given,
    controllers: 'all',
    scheduler: true,
    moreFlags: (folder) => {
      const put = (name: string, content: string) => {
        const file = join(folder, name);
        writeFileSync(file, content, { mode: 0o600 });
        return file;
      };
      const clientCa = put('clients.crt', clients.certificatePem);
      return {
        server: [
          `--client-ca-file=${clientCa}`,
          `--kubelet-client-certificate=${put('kubelet-client.crt', kubelet.certificatePem)}`,
          `--kubelet-client-key=${put('kubelet-client.key', kubelet.privateKeyPem)}`,
          '--kubelet-preferred-address-types=InternalIP',
          // Beside RBAC, which is there already: the flag adds up.
          '--authorization-mode=Node',
          ...(serverFlags?.(put) ?? []),
        ],
        controllers: [
          `--cluster-signing-cert-file=${clientCa}`,
          `--cluster-signing-key-file=${put('clients.key', clients.privateKeyPem)}`,
        ],
      };
    },
  });
  return { ...plane, clients };
}
