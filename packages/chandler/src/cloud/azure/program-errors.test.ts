/** A bug while Azure or the cluster is read is not taken for an answer of Azure: every reader passes it on. */
import { PROGRAM_ERRORS, throwAtCall, virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { type ArmClients, toArmError } from '../../arm/index.ts';
import { BootstrapTokenWatch } from './cluster/bootstrap-token.ts';
import { clusterOptions, clusterReaders } from './cluster/cluster.fixture.ts';
import { ClusterDetector } from './cluster/detector.ts';
import {
  NOW_MS,
  readersOf,
  refusal,
  SET_ID,
  soundWorld,
} from './disk-encryption/evidence/evidence.fixture.ts';
import { DiskEncryptionEvidence } from './disk-encryption/evidence/gather.ts';
import { LaunchEvidence } from './disk-encryption/evidence/launch-evidence.ts';
import { azureReader } from './evidence/azure-reader.ts';
import { TOKEN } from './options/options.fixture.ts';
import { LoadBalancerPools } from './vm/load-balancers.ts';

/** A key that cannot be read makes the readers look at deleted keys too, a role without actions at its definition. */
const THOROUGH = soundWorld({
  key: refusal(404, 'KeyNotFound'),
  roles: [{ scope: SET_ID, roleDefinitionId: '/providers/Microsoft.Authorization/roleDefinitions/own' }],
});

type Reader = readonly [name: string, read: (call: number, error?: Error) => Promise<{ calls: number }>];

const READERS: readonly Reader[] = [
  [
    'the disk encryption set, its vault and its key',
    async (call, error) => {
      const { it, calls } = throwAtCall(readersOf(THOROUGH), call, error);
      const evidence = new DiskEncryptionEvidence({
        readers: it,
        launches: new LaunchEvidence(),
        subscriptionId: SET_ID.split('/')[2]!,
        location: 'westeurope',
        now: () => NOW_MS,
      });
      await evidence.about(SET_ID);
      return { calls: calls() };
    },
  ],
  [
    'the values of the cluster',
    async (call, error) => {
      const { it, calls } = throwAtCall(clusterReaders(), call, error);
      await new ClusterDetector({
        world: virtualWorld(),
        readers: it,
        options: () => clusterOptions(),
      }).refresh();
      return { calls: calls() };
    },
  ],
  [
    'the bootstrap token',
    async (call, error) => {
      const { it, calls } = throwAtCall({ getSecret: async () => undefined }, call, error);
      await new BootstrapTokenWatch({
        world: virtualWorld(),
        token: () => ({ value: TOKEN, source: 'env', path: 'KUBELET_BOOTSTRAP_TOKEN' }),
        getSecret: () => it.getSecret(),
      }).check();
      return { calls: calls() };
    },
  ],
  [
    'the load balancers, although older pools are known',
    async (call, error) => {
      const { it, calls } = throwAtCall(network(), call, error);
      const { clock } = virtualWorld();
      const clients = { network: async () => it } as unknown as ArmClients;
      const pools = new LoadBalancerPools({ clients, clock, resourceGroup: 'MC_rg' });
      const known = await pools.get();
      await pools.refresh(known);
      return { calls: calls() };
    },
  ],
  ...(['vm', 'serialLog', 'cluster', 'clusterOfNodes', 'set'] as const).map(
    (method) =>
      [
        `${method} for \`why\``,
        async (call: number, error?: Error) => {
          const { it, calls } = throwAtCall(sdk(), call, error);
          const clients = {
            compute: async () => it,
            containerService: async () => it,
            subscriptionId: 's',
          } as unknown as ArmClients;
          const reader = azureReader({
            clients,
            world: virtualWorld(),
            fetch: async () => new Response('boot'),
          });
          const at = { subscription: 's', resourceGroup: 'MC_group_name_region', name: 'vm' };
          if (method === 'set') await reader.set(SET_ID, { location: 'westeurope', subscriptionId: 's' });
          else await reader[method](at);
          return { calls: calls() };
        },
      ] as const,
  ),
];

describe.each(READERS)('a bug while %s is read', (_, read) => {
  test('is thrown from every call, not taken for an answer', async () => {
    const { calls } = await read(-1);
    expect(calls).toBeGreaterThan(0);
    for (let call = 0; call < calls; call++)
      for (const bug of PROGRAM_ERRORS) await expect(read(call, bug)).rejects.toBe(bug);
  });
});

test.each(PROGRAM_ERRORS)('%s is not an error of Azure', (bug) => {
  expect(() => toArmError(bug)).toThrow(bug);
});

function network() {
  return { loadBalancers: { list: () => listOf([{ name: 'kubernetes' }]) } };
}

function sdk() {
  return {
    virtualMachines: {
      get: async () => ({}),
      retrieveBootDiagnosticsData: async () => ({ serialConsoleLogBlobUri: 'https://blob/console' }),
    },
    managedClusters: { get: async () => ({ name: 'other' }), list: () => listOf([{ name: 'name' }]) },
    diskEncryptionSets: { get: async () => ({ location: 'westeurope' }) },
  };
}

/** As an SDK lists: page by page. */
function listOf<T>(items: readonly T[]): { byPage(): AsyncIterable<readonly T[]> } {
  return {
    async *byPage() {
      yield items;
    },
  };
}
