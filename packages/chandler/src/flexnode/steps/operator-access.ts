/**
 * Access to the cluster with the operator's credential, which stays in memory, and the bindings that this machine created
 * with it: their names are recorded before they are created, and until they are deleted.
 */
import type { ManagedClusterFacts } from '../azure/azure-client.ts';
import { isLocalAccountsDisabled } from '../azure/azure-failure.ts';
import type { ClusterAddress, ClusterCredential } from '../azure/cluster-client.ts';
import { readKubeconfig } from '../azure/kubeconfig.ts';
import { FlexError } from '../flex-error.ts';
import type { Facts, StepContext } from '../step.ts';

/** Names of our bindings, separated by commas. */
export const BINDING = 'cluster.binding';
/** Those of them that are deleted as soon as the Node is Ready. */
export const TEMPORARY_BINDING = 'cluster.bindingTemporary';

export interface Operator {
  readonly address: ClusterAddress;
  readonly credential: ClusterCredential;
  /** The kubeconfig as Azure returned it. */
  readonly text: string;
}

/** The admin kubeconfig, or on clusters without local accounts the user kubeconfig with a token of the operator. */
export async function operatorAccess(
  context: StepContext,
  cluster: Pick<ManagedClusterFacts, 'localAccountsDisabled'>,
): Promise<Operator> {
  const { azure, signal } = context;
  const options = { checkAuthority: !context.dryRun };
  if (!cluster.localAccountsDisabled) {
    try {
      const text = await azure.kubeconfig('admin', signal);
      const { address, credential } = await readKubeconfig(text, options);
      if (credential !== undefined) return { address, credential, text };
    } catch (error) {
      if (!isLocalAccountsDisabled(error)) throw error;
    }
  }
  context.say('local accounts are disabled; using the token of the operator');
  const text = await azure.kubeconfig('user', signal);
  const { address, credential } = await readKubeconfig(text, options);
  if (credential !== undefined) return { address, credential, text };
  return { address, credential: { kind: 'token', token: await azure.clusterToken(signal) }, text };
}

export function namesIn(
  facts: Pick<Facts, 'get'>,
  fact: typeof BINDING | typeof TEMPORARY_BINDING | 'cluster.bindingBefore',
): readonly string[] {
  const names = facts.get(fact);
  return names === undefined || names === '' ? [] : names.split(',');
}

export function hasTemporaryBindings(facts: Pick<Facts, 'get'>): boolean {
  return namesIn(facts, TEMPORARY_BINDING).length > 0;
}

/**
 * Deletes the bindings that the node no longer needs: those for its first certificate, and those of the mode before. A
 * failure is reported and not thrown, because the node itself is fine; the next bootstrap retries.
 */
export async function deleteTemporaryBindings(context: StepContext): Promise<void> {
  const { azure, cluster, facts, signal, say } = context;
  const names = namesIn(facts, TEMPORARY_BINDING);
  if (names.length === 0) return;
  try {
    const { address, credential } = await operatorAccess(context, await azure.cluster(signal));
    for (const name of names) await cluster.deleteBinding(address, credential, name, signal);
  } catch (error) {
    if (signal.aborted || !(error instanceof FlexError)) throw error;
    say(
      `the bindings ${names.join(', ')} are no longer needed and could not be deleted: ${error.facts.message}`,
    );
    return;
  }
  const rest = namesIn(facts, BINDING).filter((name) => !names.includes(name));
  await facts.set(BINDING, rest.join(','));
  await facts.delete(TEMPORARY_BINDING);
  say('deleted bindings that are no longer needed', { bindings: names.join(',') });
}
