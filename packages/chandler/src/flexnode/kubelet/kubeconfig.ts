/**
 * The kubeconfig of the kubelet. It authenticates with the token helper, so the file contains no credential. With
 * `security.tlsBootstrap` it is the bootstrap kubeconfig for the certificate request, and the kubelet writes its own
 * kubeconfig.
 */
import { X509Certificate } from 'node:crypto';
import { KUBE_YAML } from '@chandler/kube';
import { stringify } from 'yaml';
import { FlexError } from '../flex-error.ts';

export interface KubeconfigInput {
  readonly clusterName: string;
  readonly server: string;
  /** PEM in base64. */
  readonly caData: string;
  readonly tokenHelper: string;
}

export const KUBECONFIG_USER = 'arc-user';
export const KUBECONFIG_CONTEXT = 'arc-context';

/** @throws {FlexError} without a CA: a kubeconfig without TLS verification is never written. */
export function renderKubeconfig({ clusterName, server, caData, tokenHelper }: KubeconfigInput): string {
  checkServer(server);
  checkCa(caData);
  return stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ cluster: { 'certificate-authority-data': caData, server }, name: clusterName }],
      contexts: [{ context: { cluster: clusterName, user: KUBECONFIG_USER }, name: KUBECONFIG_CONTEXT }],
      'current-context': KUBECONFIG_CONTEXT,
      users: [
        {
          name: KUBECONFIG_USER,
          user: {
            exec: {
              apiVersion: 'client.authentication.k8s.io/v1beta1',
              command: tokenHelper,
              env: null,
              interactiveMode: 'Never',
              provideClusterInfo: false,
            },
          },
        },
      ],
    },
    { ...KUBE_YAML, lineWidth: 0 },
  );
}

// ---------------------------------------------------------------------------------------------------

function checkServer(server: string): void {
  if (URL.canParse(server) && new URL(server).protocol === 'https:') return;
  throw new FlexError({
    class: 'step',
    code: 'kubelet.server-address',
    message: `the URL of the API server is not https: "${server}"`,
    remedy: 'Run the credentials step again (`--only credentials,kubelet,start-services`).',
    where: 'cluster.server',
  });
}

function checkCa(caData: string): void {
  const pem = Buffer.from(caData, 'base64').toString('utf8');
  try {
    void new X509Certificate(pem).fingerprint256;
  } catch (cause) {
    throw new FlexError({
      class: 'step',
      code: 'kubelet.no-ca',
      message: 'the cluster credentials contain no CA certificate, so the API server cannot be verified',
      remedy:
        'Check the kubeconfig from Azure (az aks get-credentials). Connections without TLS verification are not supported.',
      where: 'cluster.caData',
      cause,
    });
  }
}
