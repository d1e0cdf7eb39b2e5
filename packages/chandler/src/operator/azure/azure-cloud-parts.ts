/** From settings and wires to the parts of Azure, in the one way that command line, playground and suites share. */
import type { Fetch } from '@chandler/kube';
import type { Losing } from '../../cloud/azure/index.ts';
import type { AzureControllerValues } from '../../settings/index.ts';

import type { MakeCloudParts } from '../cloud-parts.ts';
import { withAzureFence, withoutAzureWrites } from '../read-only.ts';
import { azureAccess } from './azure-access.ts';
import { type AzureParts, azureParts } from './azure-parts.ts';
import { withCallLog } from './call-log.ts';

export interface AzureWires {
  /** To Azure, and to the price list. */
  readonly fetch: Fetch;
  /** To the bootstrapping server, which wants a body with GET. Default: the same. */
  readonly bootstrapFetch?: Fetch;
  readonly readFile: (path: string) => string;
  /** Of this program, for the user agent. */
  readonly version: string;
  /** PEM of what the credentials of the process trust as the API server: asked for anew where it may change. */
  readonly clusterCaPem?: Pem | (() => Promise<Pem | undefined>) | undefined;
  /** Deliberate defects of the controller: suites and the playground have them, production has none. */
  readonly losing?: Losing | undefined;
}

type Pem = string | Uint8Array;

export function azureCloudParts(
  settings: { readonly values: AzureControllerValues },
  wires: AzureWires,
): MakeCloudParts {
  return ({ world, client, namespace, observe, fence }): AzureParts => {
    const isLogged = () => settings.values.enableAzureSdkLogging.value;
    const logged = withCallLog(wires.fetch, world, isLogged);
    const leading = fence === undefined ? logged : withAzureFence(logged, fence);
    const send = observe ? withoutAzureWrites(logged, world.metrics) : leading;
    const access = azureAccess({
      world,
      values: settings.values,
      fetch: send,
      readFile: wires.readFile,
      version: wires.version,
    });
    return azureParts({
      world,
      access,
      fetch: send,
      bootstrapFetch: wires.bootstrapFetch ?? send,
      values: () => settings.values,
      client,
      namespace,
      observe,
      losing: wires.losing,
      clientConfigCA: () => asBase64(wires.clusterCaPem),
    });
  };
}

// ---------------------------------------------------------------------------------------------------

async function asBase64(pem: AzureWires['clusterCaPem']): Promise<string | undefined> {
  const now = typeof pem === 'function' ? await pem() : pem;
  return now === undefined ? undefined : Buffer.from(now).toString('base64');
}
