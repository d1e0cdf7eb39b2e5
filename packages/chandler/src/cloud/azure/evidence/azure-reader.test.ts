import type { Fetch } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { AZURE_PUBLIC_CLOUD, createArmClients } from '../../../arm/index.ts';
import { EvidenceSet, type NodeClaimEvidence, type OptionsEvidence } from '../../../causes/index.ts';
import { DES_OPTION } from '../causes/disk-encryption-facts.ts';
import { SET_ID } from '../disk-encryption/evidence/evidence.fixture.ts';
import type { NodesLocation } from './azure-evidence.ts';
import { azureReader } from './azure-reader.ts';
import { byokChecklist } from './byok-steps.ts';

const SUBSCRIPTION = SET_ID.split('/')[2]!;
const AT = { subscription: SUBSCRIPTION, resourceGroup: 'MC_rg', name: 'aks-a' };
const LOG = 'https://logs.blob.core.windows.net/serial?sig=secret';

/** With no subscription of its own, as a person without a controller's environment has it. */
function readerOver(fetch: Fetch) {
  const world = virtualWorld({ fetch });
  const clients = createArmClients({
    world,
    environment: AZURE_PUBLIC_CLOUD,
    credential: { getToken: async () => ({ token: 't', expiresOnTimestamp: Date.now() + 3600_000 }) },
    subscriptionId: '',
    version: '0.0.0',
  });
  return { world, reader: azureReader({ clients, world, fetch }) };
}

const refused = (code: string, status: number): Fetch => {
  return async () => Response.json({ error: { code, message: 'no' } }, { status });
};

describe('what is not seen of a VM', () => {
  test.each<[string, Fetch, object]>([
    [
      'is forbidden when Azure says so',
      refused('AuthorizationFailed', 403),
      { why: 'forbidden', permission: 'Microsoft.Compute/virtualMachines/read' },
    ],
    ['does not exist when Azure says so', refused('ResourceNotFound', 404), { why: 'notFound' }],
    [
      'is not forbidden by the page of a proxy',
      async () => new Response('<html>403 Forbidden</html>', { status: 403 }),
      { why: 'unreachable', message: expect.stringContaining('HTTP 403') },
    ],
    [
      'is not gone by the page of a proxy',
      async () => new Response('<html>404 Not Found</html>', { status: 404 }),
      { why: 'unreachable', message: expect.stringContaining('HTTP 404') },
    ],
    [
      'is not gone with a subscription that the token does not show',
      refused('SubscriptionNotFound', 404),
      { why: 'unreachable', message: expect.stringContaining('SubscriptionNotFound') },
    ],
  ])('%s', async (_, fetch, expected) => {
    expect(await readerOver(fetch).reader.vm(AT)).toMatchObject(expected);
  });
});

describe('the serial log', () => {
  const withLog =
    (log: Fetch): Fetch =>
    (input, init) =>
      String(input).startsWith('https://logs.')
        ? log(input, init)
        : Promise.resolve(Response.json({ serialConsoleLogBlobUri: LOG }));

  test('is read', async () => {
    const { reader } = readerOver(withLog(async () => new Response('boot')));
    expect(await reader.serialLog(AT)).toEqual({ found: 'boot' });
  });

  test('that is not printed yet is empty', async () => {
    const { reader } = readerOver(withLog(async () => new Response('', { status: 404 })));
    expect(await reader.serialLog(AT)).toEqual({ found: '' });
  });

  test('that the storage account refuses is not empty, and the role of the reader is not to blame', async () => {
    const { reader } = readerOver(withLog(async () => new Response('<Error/>', { status: 403 })));
    expect(await reader.serialLog(AT)).toEqual({
      why: 'unreachable',
      message: 'SerialLogUnreadable: the serial log of aks-a could not be read: HTTP 403',
    });
  });

  test('that never ends is given up after half a minute', async () => {
    const { reader, world } = readerOver(
      withLog(
        (_, init) =>
          new Promise((_resolve, reject) => {
            init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
          }),
      ),
    );
    const looked = reader.serialLog(AT);
    await world.clock.advance(29_000);
    await world.clock.advance(1_000);
    expect(await looked).toMatchObject({
      why: 'unreachable',
      message: expect.stringContaining('timed out'),
    });
  });
});

describe('the disk encryption set, of an environment without a subscription', () => {
  const set: Fetch = async (input) =>
    new URL(String(input)).pathname === SET_ID
      ? Response.json({ id: SET_ID, name: 'des', location: 'westeurope', properties: {} })
      : Response.json({ error: { code: 'ResourceNotFound', message: '' } }, { status: 404 });
  const reasons = async (nodes: NodesLocation) => {
    const { problems } = await readerOver(set).reader.set(SET_ID, nodes);
    return problems.map(({ kind }) => kind);
  };

  test('is not in another subscription or region when those of the nodes are not known', async () => {
    const found = await reasons({ location: undefined, subscriptionId: undefined });
    expect(found).not.toContain('wrongSubscription');
    expect(found).not.toContain('wrongRegion');
  });

  test('is compared with those of the nodes', async () => {
    const other = await reasons({ location: 'eastus', subscriptionId: 'other' });
    expect(other).toEqual(expect.arrayContaining(['wrongSubscription', 'wrongRegion']));
    const same = await reasons({ location: 'West Europe', subscriptionId: SUBSCRIPTION.toUpperCase() });
    expect(same).not.toContain('wrongSubscription');
    expect(same).not.toContain('wrongRegion');
  });

  const reading = { source: 'kubernetes', what: 'x', atMs: 0 } as const;
  const options = (values: Record<string, string>) =>
    ({
      kind: 'options',
      reading,
      values: Object.fromEntries(
        Object.entries(values).map(([name, value]) => [name, { value, source: 'env', path: '' }]),
      ),
    }) as unknown as OptionsEvidence;
  const claim = (subscription: string) =>
    ({
      kind: 'nodeClaim',
      reading,
      name: 'a',
      conditions: [],
      providerId: `azure:///subscriptions/${subscription}/resourceGroups/MC_rg/providers/Microsoft.Compute/virtualMachines/aks-a`,
    }) as unknown as NodeClaimEvidence;
  const CONFIGURED = { [DES_OPTION]: SET_ID };

  test.each<[string, ConstructorParameters<typeof EvidenceSet>[0]['records'], NodesLocation]>([
    [
      'the provider ID of a claim',
      [options({ ...CONFIGURED, azureSubscriptionId: 'of-options' }), claim('of-nodes')],
      { location: undefined, subscriptionId: 'of-nodes' },
    ],
    [
      'the option of the controller',
      [options({ ...CONFIGURED, azureSubscriptionId: 'of-options', location: 'eastus' })],
      { location: 'eastus', subscriptionId: 'of-options' },
    ],
    ['neither', [options(CONFIGURED)], { location: undefined, subscriptionId: undefined }],
  ])('the subscription of the nodes comes from %s', async (_, records, expected) => {
    const asked: NodesLocation[] = [];
    const { reader } = readerOver(set);
    await byokChecklist({
      ...reader,
      set: (id, nodes) => {
        asked.push(nodes);
        return reader.set(id, nodes);
      },
    }).steps(new EvidenceSet({ records, atMs: 0 }));
    expect(asked).toEqual([expected]);
  });
});
