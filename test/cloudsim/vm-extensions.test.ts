import { nodeBootstrappingRoutes, playgroundAzure } from '@chandler/cloudsim/azure/testing';
import { conditionOf } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { bootstrapClient } from '../../packages/chandler/src/bootstrap/index.ts';
import { aNodeInput } from '../../packages/chandler/src/bootstrap/testing.ts';
import { hardcoded } from '../../packages/chandler/src/settings/index.ts';
import { type VmTest, vmTest } from './vms.fixture.ts';

let it: VmTest;

afterEach(() => it.stop());

const EXTENSION = 'Microsoft.Compute/virtualMachines/aks-a/extensions/cse-agent-karpenter';
const CLOUD_CONFIG = '#cloud-config\nwrite_files: []\n';

async function start(faults: readonly string[] = []): Promise<void> {
  it = await vmTest({}, { faults });
  await it.launch('aks-a', CLOUD_CONFIG);
}

const extension = (commandToExecute: unknown) => ({
  location: 'eastus',
  properties: {
    publisher: 'Microsoft.Azure.Extensions',
    type: 'CustomScript',
    typeHandlerVersion: '2.0',
    autoUpgradeMinorVersion: true,
    settings: {},
    protectedSettings: commandToExecute === undefined ? {} : { commandToExecute },
  },
});

/** A golden script flattened into one command, as AKS does. */
function command(change: Record<string, string | null> = {}): string {
  const lines = it.script('ubuntu-overlay-cilium', change).split('\n');
  return lines.filter((line) => /^\w+=|provision_start/.test(line)).join(' ');
}

async function run(commandToExecute: unknown, waitMs = 6000) {
  const put = await it.azure.call('PUT', EXTENSION, extension(commandToExecute));
  await it.advance(waitMs);
  const operation = await it.azure.operation(put);
  const view = await it.azure.call('GET', `${EXTENSION}?$expand=instanceView`);
  const status = view.json['properties']!['instanceView']!['statuses']![0]!;
  return { operation: operation.json, code: String(status['code']), message: String(status['message']) };
}

describe('a VM provisioned by its extension', () => {
  test('becomes a node only after the extension has run', async () => {
    await start();
    expect(await it.node('aks-a')).toBeUndefined();
    const { operation, code, message } = await run(command());
    expect(String(operation['status'])).toBe('Succeeded');
    expect(code).toBe('ProvisioningState/succeeded');
    expect(message).toMatch(/^Enable succeeded: \n\[stdout\]\n\{ "ExitCode": "0", "Output": /);
    expect(conditionOf((await it.node('aks-a'))!, 'Ready')?.status).toBe('True');
  });

  test('fails with the code of its script, in the extension and in the operation', async () => {
    await start();
    const { operation, code, message } = await run(command({ API_SERVER_NAME: '10.0.0.9' }));
    expect(code).toBe('ProvisioningState/failed/51');
    expect(message).toContain('command terminated with exit status=51\n[stdout]\n{ "ExitCode": "51",');
    expect(JSON.stringify(operation)).toContain('VMExtensionProvisioningError');
    expect(await it.node('aks-a')).toBeUndefined();
  });

  test('fails once with a fault of count 1', async () => {
    await start(['cse=211@count=1']);
    expect((await run(command())).code).toBe('ProvisioningState/failed/211');
    expect(await it.node('aks-a')).toBeUndefined();
    expect((await run(command())).code).toBe('ProvisioningState/succeeded');
    expect(await it.node('aks-a')).toBeDefined();
  });

  test('does not register with the fault never-register, although the extension succeeds', async () => {
    await start(['never-register']);
    expect((await run(command())).code).toBe('ProvisioningState/succeeded');
    expect(await it.node('aks-a')).toBeUndefined();
  });

  test.each([
    ['says nothing', undefined, /'commandToExecute' is not specified/],
    ['never ends a quote', 'A="b /opt/azure/containers/provision_start.sh', /exit status=2/],
  ])('fails with a command that %s', async (_, given, message) => {
    await start();
    expect((await run(given)).message).toMatch(message);
  });

  test('does not become a node with a command that provisions nothing', async () => {
    await start();
    expect((await run('echo hello')).code).toBe('ProvisioningState/succeeded');
    expect(await it.node('aks-a')).toBeUndefined();
  });

  test('never answers when the system hangs', async () => {
    await start(['kernel-panic=0']);
    await run(command());
    const other = await run('echo again', 120_000);
    expect(JSON.stringify(other.operation)).toContain('VMExtensionProvisioningTimeout');
  });
});

describe('the bootstrapping server', () => {
  async function withServer(): Promise<void> {
    const azure = playgroundAzure({ rights: 'all' });
    it = await vmTest({}, { providers: azure.providers.slice(1) });
    const cluster = { hosts: ['127.0.0.1'], caPem: it.caPem, version: '1.36.3' };
    const { server } = it.azure;
    server.registerProvider(nodeBootstrappingRoutes(server.context, cluster));
  }

  test('provides all that a VM needs, end to end with the client of the controller', async () => {
    await withServer();
    const { server } = it.azure;
    const client = bootstrapClient({
      clock: it.world.clock,
      fetch: server.fetch,
      serverUrl: server.url,
      subscriptionId: server.settings.subscriptionId,
      clusterResourceGroup: server.settings.clusterResourceGroup,
      clusterName: server.settings.clusterName,
      token: async () => server.token(),
    });
    const labels = { 'karpenter.sh/nodepool': 'workers' };
    const input = aNodeInput({ node: { labels }, options: { kubeletBootstrapToken: hardcoded(it.token) } });
    const rendered = await client.script(input);
    await it.launch('aks-a', rendered.script);
    const { message } = await run(rendered.cseCommand);
    expect(message).toContain('"ExitCode": "0"');
    const node = (await it.node('aks-a'))!;
    expect(conditionOf(node, 'Ready')?.status).toBe('True');
    expect(node.metadata.labels?.['karpenter.sh/nodepool']).toBe('workers');
    expect(node.status?.['nodeInfo']).toMatchObject({ kubeletVersion: 'v1.33.2' });
    expect(node.status?.allocatable).toMatchObject({ cpu: '3860m', pods: '250' });
  });

  test.each([
    ['no body', '', 400],
    ['a body that is no JSON', '{', 400],
    ['half of what it needs', '{"provisionProfile":{},"provisionHelperValues":{}}', 400],
  ])('rejects %s', async (_, body, status) => {
    await withServer();
    const { server } = it.azure;
    const { subscriptionId, clusterResourceGroup, clusterName } = server.settings;
    const path = `/subscriptions/${subscriptionId}/resourceGroups/${clusterResourceGroup}/providers/Microsoft.ContainerService/managedclusters/${clusterName}/nodeBootstrapping`;
    const headers = { authorization: `Bearer ${server.token()}` };
    const answer = await server.fetch(`${server.url}${path}`, { method: 'GET', headers, body });
    expect(answer.status).toBe(status);
  });
});
