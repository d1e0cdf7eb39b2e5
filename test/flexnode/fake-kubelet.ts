/**
 * What a kubelet does about its credentials when it starts, on a folder machine: with a bootstrap kubeconfig and no
 * valid kubeconfig it requests a certificate, if its identity may, and writes a kubeconfig of its own.
 */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { kubeletFlags } from './kubelet-flags.ts';
import { TEST_CA_DATA } from './test-ca.ts';

export interface FakeKubelet {
  /** The kubelet starts; without permission for the certificate request it runs without credentials. */
  start(): void;
  hasCredentials(): boolean;
  /** The kubeconfig is not that of another cluster. */
  isOfCluster(): boolean;
}

export function fakeKubelet(root: string, mayRequest: () => boolean): FakeKubelet {
  const currentIn = (certDir: string) => `${certDir}/kubelet-client-current.pem`;
  // The API server accepts only a certificate of its own cluster.
  const isAccepted = (current: string) =>
    existsSync(root + current) && readFileSync(root + current, 'utf8') === CERTIFICATE_AND_KEY;
  const hasCredentials = () => {
    const { kubeconfig, certDir } = kubeletFlags(root);
    if (!existsSync(root + kubeconfig)) return false;
    const current = currentIn(certDir);
    return !readFileSync(root + kubeconfig, 'utf8').includes(current) || isAccepted(current);
  };
  return {
    hasCredentials,
    isOfCluster() {
      const { kubeconfig } = kubeletFlags(root);
      return existsSync(root + kubeconfig) && readFileSync(root + kubeconfig, 'utf8').includes(SERVER);
    },
    start() {
      const { bootstrapKubeconfig: bootstrap, certDir, kubeconfig } = kubeletFlags(root);
      if (bootstrap === undefined || !existsSync(root + bootstrap) || hasCredentials() || !mayRequest())
        return;
      const current = currentIn(certDir);
      // A certificate that is there is used, whatever cluster has signed it.
      if (!existsSync(root + current)) {
        mkdirSync(root + certDir, { recursive: true });
        const name = 'kubelet-client-2026-01-01-00-00-00.pem';
        writeFileSync(`${root}${certDir}/${name}`, CERTIFICATE_AND_KEY, { mode: 0o600 });
        symlinkSync(name, root + current);
      }
      const text = readFileSync(root + bootstrap, 'utf8');
      const cluster = /server: (\S+)/.exec(text)?.[1] ?? '';
      const authority = /certificate-authority-data: (\S+)/.exec(text)?.[1] ?? '';
      writeFileSync(root + kubeconfig, ownKubeconfig(cluster, authority, current), { mode: 0o600 });
    },
  };
}

// ---------------------------------------------------------------------------------------------------

const SERVER = 'https://harbour.test';

const CERTIFICATE_AND_KEY = [
  Buffer.from(TEST_CA_DATA, 'base64').toString('utf8').trim(),
  '-----BEGIN EC PRIVATE KEY-----',
  'bm90IGEga2V5',
  '-----END EC PRIVATE KEY-----',
  '',
].join('\n');

function ownKubeconfig(server: string, authority: string, current: string): string {
  return [
    'apiVersion: v1',
    'clusters:',
    '- cluster:',
    `    certificate-authority-data: ${authority}`,
    `    server: ${server}`,
    '  name: default-cluster',
    'contexts:',
    '- context:',
    '    cluster: default-cluster',
    '    namespace: default',
    '    user: default-auth',
    '  name: default-context',
    'current-context: default-context',
    'kind: Config',
    'users:',
    '- name: default-auth',
    '  user:',
    `    client-certificate: ${current}`,
    `    client-key: ${current}`,
    '',
  ].join('\n');
}
