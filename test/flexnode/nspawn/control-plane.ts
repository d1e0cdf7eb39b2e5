/**
 * A real control plane that takes tokens of the stand-in issuer, as AKS takes those of Entra ID: structured
 * authentication, the Node authorizer beside RBAC, kubelets reached with a client certificate, requests for certificates signed.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CertificateAuthority, createAuthority, issueClientCertificate } from '@chandler/kube/tls';
import { type ControlPlane, launchControlPlane } from '../../cluster/control-plane/launch.ts';

/** The application id of the AKS API server: what the node's tokens are for. */
export const AKS_AUDIENCE = '6dae42f8-4368-4678-94ff-3960e28e3630';

export interface Issuer {
  readonly url: string;
  readonly caPem: string;
}

export interface Plane extends ControlPlane {
  /** As `listClusterAdminCredential` answers. */
  readonly adminKubeconfig: string;
}

export async function startPlane(binaries: string, issuer: Issuer): Promise<Plane> {
  const clients = await createAuthority(Date.now, 'flexnode-test-clients');
  const [kubelet, admin] = await Promise.all([
    issueClientCertificate(clients, {
      commonName: 'kube-apiserver-kubelet-client',
      organizations: ['system:masters'],
    }),
    issueClientCertificate(clients, { commonName: 'masterclient', organizations: ['system:masters'] }),
  ]);
  const plane = await launchControlPlane(binaries, {
    controllers: 'all',
    scheduler: true,
    moreFlags: (folder) => writeFlags(folder, { clients, kubelet, issuer }),
  });
  const caData = readFileSync(plane.caFile).toString('base64');
  const user = {
    'client-certificate-data': Buffer.from(admin.certificatePem).toString('base64'),
    'client-key-data': Buffer.from(admin.privateKeyPem).toString('base64'),
  };
  const adminKubeconfig = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c1', cluster: { server: plane.url, 'certificate-authority-data': caData } }],
    users: [{ name: 'clusterAdmin_rg_c1', user }],
    contexts: [{ name: 'c1-admin', context: { cluster: 'c1', user: 'clusterAdmin_rg_c1' } }],
    'current-context': 'c1-admin',
  });
  return { ...plane, adminKubeconfig };
}

// ---------------------------------------------------------------------------------------------------

function writeFlags(
  folder: string,
  given: {
    readonly clients: CertificateAuthority;
    readonly kubelet: { readonly certificatePem: string; readonly privateKeyPem: string };
    readonly issuer: Issuer;
  },
) {
  const put = (name: string, content: string) => {
    const file = join(folder, name);
    writeFileSync(file, content, { mode: 0o600 });
    return file;
  };
  const clientCa = put('clients.crt', given.clients.certificatePem);
  return {
    server: [
      `--client-ca-file=${clientCa}`,
      `--kubelet-client-certificate=${put('kubelet-client.crt', given.kubelet.certificatePem)}`,
      `--kubelet-client-key=${put('kubelet-client.key', given.kubelet.privateKeyPem)}`,
      '--kubelet-preferred-address-types=InternalIP',
      `--authentication-config=${put('authentication.json', JSON.stringify(authentication(given.issuer)))}`,
      // Beside RBAC, which is there already: the flag adds up.
      '--authorization-mode=Node',
    ],
    controllers: [
      `--cluster-signing-cert-file=${clientCa}`,
      `--cluster-signing-key-file=${put('clients.key', given.clients.privateKeyPem)}`,
    ],
  };
}

/** The object id of the identity is the user's name, as AKS maps it. */
function authentication(issuer: Issuer) {
  return {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthenticationConfiguration',
    jwt: [
      {
        issuer: { url: issuer.url, certificateAuthority: issuer.caPem, audiences: [AKS_AUDIENCE] },
        claimMappings: { username: { claim: 'oid', prefix: '' } },
      },
    ],
  };
}
