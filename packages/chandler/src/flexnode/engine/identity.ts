/**
 * The machine, Node and cluster that a run acts on. Once they were recorded, they decide: a config file that names others
 * was edited or copied, and undoing with it would delete objects of another machine.
 */
import type { FlexConfig } from '../config/config.ts';
import { FlexError } from '../flex-error.ts';
import { recordedConfig } from './recorded-config.ts';
import type { JournalState } from './records.ts';

/** @throws {FlexError} if the config has another identity than the recorded one. */
export function checkIdentity(journal: JournalState, config: FlexConfig, verb: string): void {
  const recorded = recordedConfig(journal);
  if (recorded === undefined) return;
  const different = IDENTITY.filter(({ of }) => of(recorded).toLowerCase() !== of(config).toLowerCase());
  if (different.length === 0) return;
  const changes = different.map(
    ({ key, of }) => `${key} is ${of(config)}, but ${of(recorded)} was bootstrapped`,
  );
  throw new FlexError({
    class: 'config',
    code: 'config.other-identity',
    where: different[0]!.key,
    message: `the config is for another machine, node or cluster: ${changes.join('; ')}`,
    remedy:
      verb === 'unbootstrap'
        ? 'Run unbootstrap with the config file that bootstrap used, or without one: the journal has a copy.'
        : `Restore these values, or run unbootstrap with them before ${verb} with the new ones.`,
  });
}

/** Objects were created under the recorded identity: from then on bootstrap must not use another one. */
export function isIdentityInUse(journal: JournalState): boolean {
  return ['arc.principalId', 'arc.connectedByUs', 'cluster.binding'].some((fact) => journal.facts.has(fact));
}

/**
 * The recorded config, with what may be newer in the file or is only there: credentials, proxies and endpoints. It has the paths
 * and names that were used.
 */
export function configOfRecord(journal: JournalState, file: FlexConfig): FlexConfig {
  const recorded = recordedConfig(journal);
  if (recorded === undefined) return file;
  const { servicePrincipal, resourceManagerEndpoint, authorityHost } = file.azure;
  return {
    ...recorded,
    azure: {
      ...recorded.azure,
      ...(servicePrincipal === undefined ? {} : { servicePrincipal }),
      ...(resourceManagerEndpoint === undefined ? {} : { resourceManagerEndpoint }),
      ...(authorityHost === undefined ? {} : { authorityHost }),
    },
    proxy: file.proxy,
    downloads: file.downloads,
  };
}

// ---------------------------------------------------------------------------------------------------

const IDENTITY: readonly { readonly key: string; readonly of: (config: FlexConfig) => string }[] = [
  { key: 'azure.subscriptionId', of: ({ azure }) => azure.subscriptionId },
  { key: 'azure.tenantId', of: ({ azure }) => azure.tenantId },
  { key: 'azure.arc.resourceGroup', of: ({ azure }) => azure.arc.resourceGroup },
  { key: 'azure.arc.machineName', of: ({ azure }) => azure.arc.machineName },
  { key: 'azure.targetCluster.resourceId', of: ({ azure }) => azure.targetCluster.resourceId },
  { key: 'agent.nodeName', of: ({ agent }) => agent.nodeName },
];
