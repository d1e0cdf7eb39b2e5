/**
 * What a kubelet does about its credentials when it starts, on a folder machine: with a bootstrap kubeconfig and no
 * valid kubeconfig it requests a certificate, if its identity may, and writes a kubeconfig of its own.
 */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { TEST_CA_DATA } from './test-ca.ts';

export interface FakeKubelet {
  /** The kubelet starts; without permission for the certificate request it runs without credentials. */
  start(): void;
  hasCredentials(): boolean;
}

export function fakeKubelet(root: string, mayRequest: () => boolean): FakeKubelet {
  const folder = `${root}/var/lib/kubelet`;
  const [bootstrap, kubeconfig, current] = [
    `${folder}/bootstrap-kubeconfig`,
    `${folder}/kubeconfig`,
    `${root}${CURRENT}`,
  ];
  // The API server accepts only a certificate of its own cluster.
  const isAccepted = () => existsSync(current) && readFileSync(current, 'utf8') === CERTIFICATE_AND_KEY;
  const hasCredentials = () =>
    existsSync(kubeconfig) && (!readFileSync(kubeconfig, 'utf8').includes(CURRENT) || isAccepted());
  return {
    hasCredentials,
    start() {
      if (!existsSync(bootstrap) || hasCredentials() || !mayRequest()) return;
      // A certificate that is there is used, whatever cluster has signed it.
      if (!existsSync(current)) {
        mkdirSync(`${folder}/pki`, { recursive: true });
        const name = 'kubelet-client-2026-01-01-00-00-00.pem';
        writeFileSync(`${folder}/pki/${name}`, CERTIFICATE_AND_KEY, { mode: 0o600 });
        symlinkSync(name, current);
      }
      const cluster = /server: (\S+)/.exec(readFileSync(bootstrap, 'utf8'))?.[1] ?? '';
      const authority = /certificate-authority-data: (\S+)/.exec(readFileSync(bootstrap, 'utf8'))?.[1] ?? '';
      writeFileSync(kubeconfig, ownKubeconfig(cluster, authority), { mode: 0o600 });
    },
  };
}

// ---------------------------------------------------------------------------------------------------

const CURRENT = '/var/lib/kubelet/pki/kubelet-client-current.pem';

const CERTIFICATE_AND_KEY = [
  Buffer.from(TEST_CA_DATA, 'base64').toString('utf8').trim(),
  '-----BEGIN EC PRIVATE KEY-----',
  'bm90IGEga2V5',
  '-----END EC PRIVATE KEY-----',
  '',
].join('\n');

function ownKubeconfig(server: string, authority: string): string {
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
    `    client-certificate: ${CURRENT}`,
    `    client-key: ${CURRENT}`,
    '',
  ].join('\n');
}
