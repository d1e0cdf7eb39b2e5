/**
 * Reads the server, the CA and the credential of the operator, if any, from a kubeconfig of Azure, for step 9. A
 * kubeconfig without a CA is rejected: TLS verification is never disabled.
 */
import { X509Certificate } from 'node:crypto';
import { KUBE_YAML } from '@chandler/kube';
import { parse } from 'yaml';
import { FlexError } from '../flex-error.ts';
import type { ClusterAddress, ClusterCredential } from './cluster-client.ts';

export interface OperatorKubeconfig {
  readonly address: ClusterAddress;
  /** None when the user is an exec plugin (kubelogin). */
  readonly credential?: ClusterCredential;
}

export async function readKubeconfig(
  text: string,
  options: { readonly checkAuthority: boolean } = { checkAuthority: true },
): Promise<OperatorKubeconfig> {
  const config = fieldsOf(safely(() => parse(text, KUBE_YAML)));
  const contextName = config['current-context'];
  const contexts = listOf(config['contexts']);
  const context = fieldsOf(
    (contexts.find((each) => each['name'] === contextName) ?? contexts[0])?.['context'],
  );
  const clusters = listOf(config['clusters']);
  const cluster = fieldsOf(
    (clusters.find((each) => each['name'] === context['cluster']) ?? clusters[0])?.['cluster'],
  );
  const user = fieldsOf(listOf(config['users']).find((each) => each['name'] === context['user'])?.['user']);
  const address = addressOf(cluster, options.checkAuthority);
  const credential = credentialOf(user);
  return credential === undefined ? { address } : { address, credential };
}

// ---------------------------------------------------------------------------------------------------

type Fields = Readonly<Record<string, unknown>>;

function addressOf(cluster: Fields, checkAuthority: boolean): ClusterAddress {
  const server = cluster['server'];
  const url = typeof server === 'string' ? URL.parse(server) : null;
  if (typeof server !== 'string' || url?.protocol !== 'https:') {
    throw bad('kubeconfig.no-server', 'has no https URL of the API server');
  }
  if (cluster['insecure-skip-tls-verify'] === true) {
    throw bad(
      'kubeconfig.insecure',
      'sets insecure-skip-tls-verify: true; the certificate of the API server must be verified',
    );
  }
  const caData = cluster['certificate-authority-data'];
  if (typeof caData !== 'string' || caData.trim() === '') {
    throw bad(
      'kubeconfig.no-authority',
      'has no certificate-authority-data; the certificate of the API server cannot be verified',
    );
  }
  if (checkAuthority) checkPem(caData);
  return { server: server.replace(/\/+$/, ''), caData: caData.trim() };
}

function checkPem(caData: string): void {
  try {
    new X509Certificate(Buffer.from(caData, 'base64'));
  } catch {
    throw bad('kubeconfig.bad-authority', 'has a certificate-authority-data that is not a PEM certificate');
  }
}

function credentialOf(user: Fields): ClusterCredential | undefined {
  const [certificate, key] = [user['client-certificate-data'], user['client-key-data']];
  if (typeof certificate === 'string' && typeof key === 'string') {
    return { kind: 'certificate', certificatePem: fromBase64(certificate), keyPem: fromBase64(key) };
  }
  const token = user['token'];
  return typeof token === 'string' && token !== '' ? { kind: 'token', token } : undefined;
}

function safely<T>(read: () => T): T {
  try {
    return read();
  } catch {
    // The error of the parser quotes the text, which contains a key.
    throw bad('kubeconfig.not-yaml', 'is not YAML');
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

function fromBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8');
}

function bad(code: string, what: string): FlexError {
  return new FlexError({
    class: 'step',
    code,
    message: `the kubeconfig that Azure returned for the cluster ${what}`,
    remedy: 'Check az aks show, then run bootstrap again.',
  });
}
