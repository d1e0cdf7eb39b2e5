/**
 * Which VMs have a custom script extension that failed, in one query for all of them. Resource Graph lags behind,
 * so this is a hint where to look first; nothing is concluded from it.
 */
import { type ArmClients, toArmError } from '../../../arm/index.ts';
import { CUSTOM_SCRIPT_EXTENSION } from '../vm/extension-object.ts';

/** One page: more failures at once than that are found one by one. */
const PAGE_SIZE = 1000;

/** Names of VMs, in lower case. @throws {ArmError} */
export async function vmsWithFailedExtension(
  clients: Pick<ArmClients, 'resourceGraph' | 'subscriptionId'>,
  resourceGroup: string,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  try {
    const graph = await clients.resourceGraph();
    const request = {
      query: failedExtensionsQuery(resourceGroup),
      subscriptions: [clients.subscriptionId],
      options: { resultFormat: 'objectArray', top: PAGE_SIZE },
    } as const;
    const answer = await graph.resources(
      { ...request, subscriptions: [...request.subscriptions] },
      { abortSignal: signal },
    );
    const rows: readonly unknown[] = Array.isArray(answer.data) ? answer.data : [];
    return new Set(rows.flatMap(vmOfProviderId));
  } catch (error) {
    throw toArmError(error);
  }
}

export function failedExtensionsQuery(resourceGroup: string): string {
  return [
    'Resources',
    "where type == 'microsoft.compute/virtualmachines/extensions'",
    `where resourceGroup == '${resourceGroup.toLowerCase()}'`,
    `where name == '${CUSTOM_SCRIPT_EXTENSION}'`,
    "where properties.provisioningState == 'Failed'",
    'project id',
  ].join(' | ');
}

// ---------------------------------------------------------------------------------------------------

function vmOfProviderId(row: unknown): readonly string[] {
  const id = (row as { readonly id?: unknown } | null)?.id;
  const match = typeof id === 'string' ? /\/virtualMachines\/([^/]+)\/extensions\//i.exec(id) : null;
  return match === null ? [] : [match[1]!.toLowerCase()];
}
