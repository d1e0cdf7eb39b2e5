/**
 * A whole operator on the playground's Azure, both in this process: production code with in-process
 * connections.
 */
import { ADMIN } from '@chandler/apiserver';
import { controllerEnvironment, filesIn } from '@chandler/cloudsim/azure';
import { fetchTransport, type Transport, type World } from '@chandler/kube';
import { createAuthority } from '@chandler/kube/tls';
import {
  AZURE_CONTROLLER_OPTIONS,
  AZURE_RULES,
  azureProvider,
} from '../packages/chandler/src/cloud/azure/index.ts';
import { createOperator, type Operator } from '../packages/chandler/src/operator/index.ts';
import type { Playground } from '../packages/chandler/src/playground/index.ts';
import { GlobalSettings, resolveOptions } from '../packages/chandler/src/settings/index.ts';

export interface AzureOperatorOptions {
  readonly world: World;
  readonly playground: Playground;
  /** Flags of `chandler controller`. */
  readonly args?: readonly string[];
}

export async function azureOperator({
  world,
  playground,
  args = [],
}: AzureOperatorOptions): Promise<Operator> {
  const azure = playground.azure!;
  const { arm, bootstrapToken } = azure;
  const paths = filesIn('/azure');
  const ca = (await createAuthority(() => world.clock.now())).certificatePem;
  const files: Readonly<Record<string, string>> = {
    [paths.clientSecretFile]: arm.credentials.clientSecret,
    [paths.tokenFile]: bootstrapToken,
    [paths.caFile]: ca,
    [paths.environmentFile]: JSON.stringify({
      name: 'AzurePublicCloud',
      resourceManagerEndpoint: arm.url,
      activeDirectoryEndpoint: arm.url,
      tokenAudience: arm.url,
    }),
  };
  const readFile = (path: string) => {
    const text = files[path];
    if (text === undefined) throw new Error(`file ${path} does not exist`);
    return text;
  };
  const around = { azure, serverUrl: 'https://127.0.0.1:6443', kubeconfig: '' };
  const env = {
    ...controllerEnvironment(around, paths),
    CLUSTER_CA_BUNDLE: Buffer.from(ca).toString('base64'),
  };
  const resolved = resolveOptions(AZURE_CONTROLLER_OPTIONS, { args, env, readFile }, AZURE_RULES);
  if (resolved.problems.length > 0) throw new Error(JSON.stringify(resolved.problems));
  const settings = new GlobalSettings(resolved);
  const transport: Transport = fetchTransport(playground.server.fetchAs(ADMIN));
  return createOperator({
    world,
    kube: { transport, host: 'kubernetes' },
    settings,
    namespace: 'kube-system',
    build: { version: '0.0.0', commit: '', runtime: process.version, arch: process.arch },
    provider: azureProvider,
    wires: { fetch: arm.fetch, readFile, version: '0.0.0' },
  });
}
