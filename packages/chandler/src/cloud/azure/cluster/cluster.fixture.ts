/** A cluster that answers every question, for tests; any answer can be replaced. */
import type { Environment } from '../../../settings/index.ts';
import { GOOD_ENV, resolveAzure, SUBSCRIPTION } from '../options/options.fixture.ts';

import type { ClusterReaders } from './facts.ts';

export const VNET_GUID = 'a519e60a-cac0-40b2-b883-084477fe6f5c';

/** Self-signed, made once with openssl for CN=test-ca, valid to 2126. */
export const CA_PEM = `-----BEGIN CERTIFICATE-----
MIIBejCCASGgAwIBAgIUI/HKi7YYfZHVORJt9i6Mx3ibBqswCgYIKoZIzj0EAwIw
EjEQMA4GA1UEAwwHdGVzdC1jYTAgFw0yNjExMTUwNTE1MzJaGA8yMTI2MTAyMjA1
MTUzMlowEjEQMA4GA1UEAwwHdGVzdC1jYTBZMBMGByqGSM49AgEGCCqGSM49AwEH
A0IABKSWNp8mSD9nmL6Mcf8FuNxRgdQNCTXcodeuIzVtWh4AwIw6qkIh+r+2JyvS
lxL3wO5fHTq4yzOQP3AbjJXr4+6jUzBRMB0GA1UdDgQWBBTAesgdU//OzhBBTVKe
aOjiPj9YjTAfBgNVHSMEGDAWgBTAesgdU//OzhBBTVKeaOjiPj9YjTAPBgNVHRMB
Af8EBTADAQH/MAoGCCqGSM49BAMCA0cAMEQCIGpOfUXMcjQP6gnLlf73bUQ371SA
T9tA7cpgOf3PKoJ/AiAigFO08LPPhA3Iz1Yo6GqiGA96sJUU+LjjUbmHqgyvlQ==
-----END CERTIFICATE-----
`;

export const CA_BUNDLE = Buffer.from(CA_PEM).toString('base64');

/** As if the node resource group were empty of what AKS names. */
export const OWN_SUBNET = `/subscriptions/${SUBSCRIPTION}/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/mine/subnets/nodes`;

export function nsg(id: string) {
  const name = `aks-agentpool-${id}-nsg`;
  return {
    id: `/subscriptions/${SUBSCRIPTION}/resourceGroups/MC_rg/providers/Microsoft.Network/networkSecurityGroups/${name}`,
    name,
  };
}

export function clusterReaders(answers: Partial<ClusterReaders> = {}): ClusterReaders {
  return {
    serverVersion: async () => 'v1.33.4',
    managedCluster: async () => undefined,
    listNetworkSecurityGroups: async () => [nsg('12345678')],
    listNodeResourceNames: async () => [],
    getVirtualNetwork: async () => ({ resourceGuid: VNET_GUID }),
    kubeDnsServiceIP: async () => '10.2.0.10',
    clientConfigCA: async () => CA_BUNDLE,
    tlsCA: async () => undefined,
    ...answers,
  };
}

export function clusterOptions(extra: Environment = {}) {
  const { values, problems } = resolveAzure({ env: { ...GOOD_ENV, ...extra } });
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
  return values;
}

export function refused(status: number, message: string): Error {
  return Object.assign(new Error(message), { status });
}
