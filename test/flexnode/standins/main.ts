/**
 * The identity stand-ins as a process of their own:
 *   node test/flexnode/standins/main.ts --tenant T --tokens-dir DIR [--arm-port N] [--himds-port N] [--control-port N]
 *     [--cluster-id ID --admin-kubeconfig FILE [--user-kubeconfig FILE] [--kubernetes-version V] [--no-local-accounts]]
 * Prints one line of JSON when everything listens, and ends with SIGTERM.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { StandinCluster } from './arm.ts';
import { startIdentityStandins } from './identity.ts';

const { values } = parseArgs({
  options: {
    tenant: { type: 'string', default: '99999999-8888-7777-6666-555555555555' },
    'tokens-dir': { type: 'string', default: '/var/opt/azcmagent/tokens' },
    'arm-port': { type: 'string', default: '0' },
    'himds-port': { type: 'string', default: '40342' },
    'control-port': { type: 'string', default: '0' },
    'cluster-id': { type: 'string' },
    'admin-kubeconfig': { type: 'string' },
    'user-kubeconfig': { type: 'string' },
    'kubernetes-version': { type: 'string', default: '1.32.7' },
    'dns-service-ip': { type: 'string', default: '10.0.0.10' },
    'no-local-accounts': { type: 'boolean', default: false },
  },
});

const standins = await startIdentityStandins({
  tenantId: values.tenant,
  tokensDir: values['tokens-dir'],
  ports: {
    arm: Number(values['arm-port']),
    himds: Number(values['himds-port']),
    control: Number(values['control-port']),
  },
  clusters: values['cluster-id'] === undefined ? {} : { [values['cluster-id']]: cluster() },
});

const { url, caPem, issuer, himdsEndpoint, azcmagentScript, login, tokens } = standins;
const { clientId, clientSecret } = login;
const told = {
  url,
  caPem,
  issuer,
  jwks: tokens.jwks,
  himdsEndpoint,
  azcmagentScript,
  clientId,
  clientSecret,
};
process.stdout.write(`${JSON.stringify(told)}\n`);
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => void standins.close().then(() => process.exit(0)));
}

function cluster(): StandinCluster {
  const read = (path: string | undefined) => (path === undefined ? '' : readFileSync(path, 'utf8'));
  return {
    kubernetesVersion: values['kubernetes-version'],
    fqdn: 'localhost',
    dnsServiceIp: values['dns-service-ip'],
    disableLocalAccounts: values['no-local-accounts'],
    azureRbac: false,
    adminKubeconfig: read(values['admin-kubeconfig']),
    userKubeconfig: read(values['user-kubeconfig']),
  };
}
