import type { Fetch } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { type VmCloud, vmCloud } from './vm-cloud.fixture.ts';

let fixture: VmCloud;
afterEach(() => fixture?.close());

const LEAKED = 150;

/** As nodes whose pods have addresses of the subnet leave them: 250 IP configurations each. */
function leakNics({ server }: VmCloud): void {
  const { subscriptionId, nodeResourceGroup, region, clusterId } = server.settings;
  const group = `/subscriptions/${subscriptionId}/resourceGroups/${nodeResourceGroup}/providers/Microsoft.Network`;
  const subnet = { id: `${group}/virtualNetworks/aks-vnet-${clusterId}/subnets/aks-subnet` };
  for (let at = 0; at < LEAKED; at++) {
    const name = `aks-leaked-${at}`;
    const id = `${group}/networkInterfaces/${name}`;
    server.context.store.put({
      id,
      name,
      type: 'Microsoft.Network/networkInterfaces',
      location: region,
      tags: { 'karpenter.sh_nodepool': 'general', 'chandler.sh_claim-uid': `uid-${at}` },
      properties: {
        provisioningState: 'Succeeded',
        ipConfigurations: Array.from({ length: 250 }, (_, config) => ({
          name: `ipconfig${config}`,
          id: `${id}/ipConfigurations/ipconfig${config}`,
          etag: 'W/"00000000-0000-4000-8000-000000000000"',
          type: 'Microsoft.Network/networkInterfaces/ipConfigurations',
          properties: {
            provisioningState: 'Succeeded',
            privateIPAddress: `10.224.${at}.${config}`,
            privateIPAllocationMethod: 'Dynamic',
            privateIPAddressVersion: 'IPv4',
            subnet,
            primary: config === 0,
          },
        })),
      },
    });
  }
}

describe('leaked network interfaces with an address for each pod', () => {
  test('are found: only what is read is requested from Resource Graph', async () => {
    fixture = await vmCloud();
    leakNics(fixture);
    await fixture.clock.advance(10 * 60_000);
    const orphans = await fixture.cloud.garbage.find([], neverAborted());
    expect(orphans.filter(({ part }) => part === 'nic')).toHaveLength(LEAKED);
  });

  test('are found in smaller pages where a page is still too large', async () => {
    fixture = await vmCloud();
    leakNics(fixture);
    await fixture.clock.advance(10 * 60_000);
    const tops: number[] = [];
    const narrow: Fetch = async (input, init) => {
      if (!String(input).includes('Microsoft.ResourceGraph')) return fixture.fetch(input, init);
      const { options } = JSON.parse(String(init?.body)) as { options: { $top: number } };
      tops.push(options.$top);
      if (options.$top <= 20) return fixture.fetch(input, init);
      const error = {
        code: 'BadRequest',
        message: 'Please provide below info when asking for support',
        details: [{ code: 'ResponsePayloadTooLarge', message: 'has exceeded the limit of 16777216' }],
      };
      return new Response(JSON.stringify({ error }), {
        status: 400,
        headers: { 'content-type': 'application/json' },
      });
    };
    const { cloud } = fixture.startProcess(narrow);
    // The rate limiter spreads the pages over some seconds.
    const orphans = await fixture.clock.during(cloud.garbage.find([], neverAborted()));
    expect(orphans.filter(({ part }) => part === 'nic')).toHaveLength(LEAKED);
    expect(tops).toContain(1000);
  });
});
