/** Nodes get the name of the cloud that the controller uses, whichever option sets it. */
import type { Fetch } from '@chandler/kube';
import { afterEach, expect, test } from 'vitest';
import { aClaim, settleMachine, type VmCloud, type VmCloudOptions, vmCloud } from './vm-cloud.fixture.ts';

let open: VmCloud | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

/** What the custom data of a new VM sets. */
async function bootstrapVariables(options: VmCloudOptions): Promise<ReadonlyMap<string, string>> {
  open = await vmCloud(options);
  const { fetch } = open;
  let script = '';
  const recording: Fetch = async (input, init) => {
    const { osProfile } = (vmOf(input, init)?.properties ?? {}) as { osProfile?: { customData?: string } };
    if (osProfile?.customData !== undefined) script = Buffer.from(osProfile.customData, 'base64').toString();
    return fetch(input, init);
  };
  await settleMachine(open, open.startProcess(recording).cloud, aClaim('a'), open.nodeClass());
  return new Map(
    [...script.matchAll(/^([A-Z_]+)="?([^"\n]*)"?$/gm)].map(([, name, value]) => [name!, value!]),
  );
}

function vmOf(input: Parameters<Fetch>[0], init: RequestInit | undefined) {
  const isVm = init?.method === 'PUT' && /\/virtualMachines\/[^/]+\?/i.test(String(input));
  return isVm ? (JSON.parse(String(init.body)) as { properties?: object }) : undefined;
}

test.each<[string, VmCloudOptions, string, string]>([
  ['the default', {}, 'AzurePublicCloud', 'mcr.microsoft.com'],
  ['an empty ARM_CLOUD', { env: { ARM_CLOUD: '' } }, 'AzurePublicCloud', 'mcr.microsoft.com'],
  [
    'a file that describes the cloud of China',
    { env: { AZURE_ENVIRONMENT_FILEPATH: '/cloud.json' }, cloudName: 'AzureChinaCloud' },
    'AzureChinaCloud',
    'gcr.azk8s.cn',
  ],
])('with %s nodes get the values of that cloud', async (_, options, name, registry) => {
  const variables = await bootstrapVariables(options);
  expect(variables.get('TARGET_CLOUD')).toBe(name);
  expect(variables.get('OUTBOUND_COMMAND')).toContain(registry);
});
