/** `chandler plan --history`: the last commands of disruption that the controller executed, from its ConfigMap. */
import { CONFIG_MAPS, isApiError, KubeClient, type KubeObject, type Transport } from '@chandler/kube';
import { escapeStrings } from '../../causes/index.ts';
import { KEPT_COMMANDS_NAME, type KeptCommand, readKeptCommands } from '../../diagnose/index.ts';
import { HOURS_PER_MONTH } from '../../disruption/index.ts';
import { type LiveOptions, throughCluster } from '../simulate/live.ts';
import { columns } from '../simulate/render-table.ts';
import { count, money } from '../simulate/words.ts';
import { Failure } from '../verb.ts';

/** The newest first. @throws {Failure} when the cluster cannot be read. */
export async function readHistory(options: LiveOptions): Promise<readonly KeptCommand[]> {
  return throughCluster(options, (transport) => listHistory(transport, options.signal));
}

/** Of every namespace: only the controller knows in which one it runs. */
export async function listHistory(
  transport: Transport,
  signal: AbortSignal,
): Promise<readonly KeptCommand[]> {
  const client = new KubeClient({ transport });
  const fieldSelector = `metadata.name=${KEPT_COMMANDS_NAME}`;
  try {
    const { items } = await client.list<KubeObject>(CONFIG_MAPS, { fieldSelector, signal });
    return readKeptCommands(Object.assign({}, ...items.map((item) => item['data'] ?? {})));
  } catch (error) {
    if (!isApiError(error, 'forbidden')) throw error;
    throw new Failure(
      `ConfigMaps cannot be listed with these credentials; the history is in the ConfigMap ${KEPT_COMMANDS_NAME} of the controller's namespace`,
    );
  }
}

export function renderHistory(given: readonly KeptCommand[]): string {
  const commands = escapeStrings(given);
  if (commands.length === 0) return 'No commands of disruption are kept.\n';
  const rows = commands.map((command) => {
    const { endedAt, reason, decision, nodes, nodeCount, replacements, priceBefore, priceAfter } = command;
    const more = nodeCount - 1;
    const monthly = (priceBefore - priceAfter) * HOURS_PER_MONTH;
    return [
      endedAt.replace(/\.\d+Z$/, 'Z'),
      reason,
      decision,
      `${nodes[0] ?? ''}${more > 0 ? ` and ${count(more, 'other')}` : ''}`,
      `${replacements.length}`,
      `${command.podsMoved}`,
      money(monthly),
      command.message === undefined ? command.outcome : `${command.outcome}: ${command.message}`,
    ];
  });
  const headings = ['ENDED', 'REASON', 'DECISION', 'NODES', '>LAUNCHED', '>PODS', '>SAVED/MONTH', 'OUTCOME'];
  return `${columns(headings, rows).join('\n')}\n`;
}
