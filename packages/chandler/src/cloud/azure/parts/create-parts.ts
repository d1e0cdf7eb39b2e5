/** From options and wires to the parts of Azure, in the one way that command line, playground and suites share. */
import { type CloudWires, type PartsRequest, withCloudFence, withoutCloudWrites } from '../../index.ts';

import type { DecorateLaunch } from '../launch-steps.ts';
import type { AzureControllerValues } from '../options/options.ts';
import { azureAccess } from './access.ts';
import { azureWrite } from './azure-write.ts';
import { withCallLog } from './call-log.ts';
import { type AzureParts, azureParts } from './parts.ts';

export function createAzureParts(request: PartsRequest, decorateLaunch?: DecorateLaunch): AzureParts {
  const { world, client, namespace, observe, fence, wires } = request;
  const values = () => request.values() as unknown as AzureControllerValues;
  const logged = withCallLog(wires.fetch, world, () => values().enableAzureSdkLogging.value);
  const leading = fence === undefined ? logged : withCloudFence(logged, azureWrite, fence);
  const send = observe ? withoutCloudWrites(logged, azureWrite, world.metrics, 'azure') : leading;
  const { readFile, version } = wires;
  const access = azureAccess({ world, values: values(), fetch: send, readFile, version });
  return azureParts({
    world,
    access,
    fetch: send,
    bootstrapFetch: wires.fetchWithBody ?? send,
    values,
    client,
    namespace,
    observe,
    decorateLaunch,
    clientConfigCA: () => asBase64(wires.clusterCaPem),
  });
}

// ---------------------------------------------------------------------------------------------------

async function asBase64(pem: CloudWires['clusterCaPem']): Promise<string | undefined> {
  const now = typeof pem === 'function' ? await pem() : pem;
  return now === undefined ? undefined : Buffer.from(now).toString('base64');
}
