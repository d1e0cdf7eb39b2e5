/** A real control plane that takes tokens of the stand-in issuer, as AKS takes those of Entra ID: structured authentication. */
import { readFileSync } from 'node:fs';
import { issueClientCertificate } from '@chandler/kube/tls';
import type { ControlPlane } from '../../cluster/control-plane/launch.ts';
import { startNodePlane } from '../../machines/node-plane.ts';

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
  const plane = await startNodePlane(binaries, {
    serverFlags: (put) => [
      `--authentication-config=${put('authentication.json', JSON.stringify(authentication(issuer)))}`,
    ],
  });
  const admin = await issueClientCertificate(plane.clients, {
    commonName: 'masterclient',
    organizations: ['system:masters'],
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
