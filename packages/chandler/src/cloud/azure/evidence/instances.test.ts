import type { VirtualMachine } from '@azure/arm-compute';
import { expect, test } from 'vitest';
import { EvidenceRecorder, type NodeClaimEvidence } from '../../../causes/index.ts';

import { type AzureContext, readVm } from './instances.ts';

const CLAIM = {
  kind: 'nodeClaim',
  name: 'a',
  conditions: [],
  providerId:
    'azure:///subscriptions/s/resourceGroups/MC_rg/providers/Microsoft.Compute/virtualMachines/aks-a',
} as unknown as NodeClaimEvidence;

async function extensionsOf(...views: readonly object[]) {
  const recorder = new EvidenceRecorder('kubernetes', 0);
  const found = { instanceView: { extensions: views } } as unknown as VirtualMachine;
  const azure = { vm: async () => ({ found }), serialLog: async () => ({ why: 'notFound' }) };
  await readVm({ recorder, azure } as unknown as AzureContext, CLAIM);
  return recorder
    .evidence()
    .all('extension')
    .map(({ name, state }) => [name, state]);
}

const SCRIPT = 'Microsoft.Azure.Extensions.CustomScript';
const view = (name: string, type: string, ...codes: readonly string[]) => ({
  name,
  type,
  statuses: codes.map((code) => ({ code, message: 'x' })),
});

test.each([
  ['succeeded', ['ProvisioningState/succeeded']],
  ['failed', ['ProvisioningState/failed/51']],
  ['failed', ['ProvisioningState/transitioning', 'ProvisioningState/failed/51']],
  ['running', ['ProvisioningState/transitioning']],
  ['running', []],
])('the extension that makes a node is %s, by the statuses %j', async (state, codes) => {
  expect(await extensionsOf(view('cse-agent-karpenter', SCRIPT, ...codes))).toEqual([
    ['cse-agent-karpenter', state],
  ]);
});

test.each([
  ['a script that a policy has added', 'policy-script', SCRIPT],
  ['the billing extension', 'computeAksLinuxBilling', 'Microsoft.AKS.Compute.AKS.Linux.Billing'],
])('the failure of %s is not that of the bootstrap, and is not running', async (_, name, type) => {
  expect(await extensionsOf(view(name, type, 'ProvisioningState/failed/1'))).toEqual([]);
});
