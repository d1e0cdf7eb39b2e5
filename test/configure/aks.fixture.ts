/** A simulated subscription in which nothing is configured, and `chandler configure aks` for its cluster. */
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
// Loaded here, because loading takes real time, and the clock of the test is virtual.
import '../../packages/chandler/src/cloud/azure/index.ts';
import '../../packages/chandler/src/configure/aks/index.ts';
import type { PlaygroundAzureOptions } from '@chandler/cloudsim/azure/testing';
import type { VirtualWorld } from '@chandler/kube/testing';
import { type VmCloudOptions, vmCloud } from '../azure/vm-cloud.fixture.ts';
import { aFolder, type Kill, killedAt, type Ran, runConfigure } from './configure.fixture.ts';
import { operatorEnvironment } from './operator-environment.ts';

export interface TestAks extends Awaited<ReturnType<typeof anAks>> {}

export async function anAks(azure: PlaygroundAzureOptions = {}, options: VmCloudOptions = {}) {
  const folder = aFolder();
  const cloud = await vmCloud({
    ...options,
    azure: {
      configured: false,
      ...azure,
      ...(azure.cluster === false ? {} : { cluster: { workloadIdentity: true, ...azure.cluster } }),
    },
  });
  const { server } = cloud;
  const { settings } = server;
  const env = operatorEnvironment(server, folder);
  const journal = join(folder, 'journal.json');
  const target = ['-g', settings.clusterResourceGroup, '-n', settings.clusterName];
  const world = { ...cloud.world, clock: cloud.clock } as VirtualWorld;
  const aks = (
    args: readonly string[],
    more: Partial<Parameters<typeof runConfigure>[1]> = {},
  ): Promise<Ran> =>
    runConfigure(['aks', ...target, '--journal', journal, ...args], {
      world,
      env,
      fetch: cloud.fetch,
      ...more,
    });
  return {
    ...cloud,
    folder,
    env,
    aks,
    /** As `aks`, and the process ends at one of the calls that change something. Undefined: it made fewer of them. */
    async aksKilled(args: readonly string[], kill: Kill): Promise<Ran | undefined> {
      const { killed, ...killing } = killedAt(
        cloud.fetch,
        kill,
        ({ method }) => method === 'PUT' || method === 'DELETE',
      );
      const ran = await aks(args, killing);
      return killed() ? ran : undefined;
    },
    journal: () =>
      existsSync(journal)
        ? { text: readFileSync(journal, 'utf8'), mode: statSync(journal).mode & 0o777 }
        : undefined,
    /** What a configuration is made of, by the names that Azure gives. */
    made() {
      const names = (type: string) =>
        server.resources
          .list(type)
          .map(({ id }) => id)
          .sort();
      return {
        identities: names('Microsoft.ManagedIdentity/userAssignedIdentities'),
        credentials: names('Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials'),
        roles: cloud.azure.roles
          .roles()
          .map(({ roleName }) => roleName)
          .sort(),
        assignments: cloud.azure.roles
          .list({ scope: '/' })
          .map(({ id }) => id)
          .sort(),
      };
    },
    async close() {
      await cloud.close();
      rmSync(folder, { recursive: true });
    },
  };
}
