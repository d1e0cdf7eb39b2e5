/** Facts about the objects in question that commands need: resource group, machine, node, pool. */
import { type EvidenceSet, isTrue } from '../causes/index.ts';
import { machineAt } from './evidence/azure-eye.ts';

/** Of the claim that is named; else of the one that is not a node yet. */
export function backgroundFacts(evidence: EvidenceSet, claimName?: string): Readonly<Record<string, string>> {
  const claims = evidence.all('nodeClaim');
  const claim =
    claims.find(({ name }) => name === claimName) ??
    claims.find((each) => !isTrue(each, 'Initialized')) ??
    claims[0];
  const at = machineAt(claim?.providerId ?? '');
  const node = evidence.first('node');
  const options = evidence.first('options')?.values ?? {};
  const nodeClass = evidence.first('nodeClass');
  const known: Readonly<Record<string, string | undefined>> = {
    claim: claim?.name,
    nodePool: claim?.nodePool ?? evidence.first('nodePool')?.name,
    nodeClass: claim?.nodeClass ?? nodeClass?.name,
    resourceGroup: at?.resourceGroup ?? options['nodeResourceGroup']?.value,
    vm: at?.name,
    node: node?.name ?? claim?.nodeName,
    cluster: options['clusterName']?.value,
    clusterGroup: options['armResourceGroup']?.value,
    location: options['location']?.value ?? node?.labels['topology.kubernetes.io/region'],
    size: evidence.first('vm')?.size,
    identity: options['azureClientId']?.value,
    set: nodeClass?.diskEncryptionSet?.id,
    apiServer: evidence.first('cluster')?.apiServerHost ?? hostOf(options['clusterEndpoint']?.value ?? ''),
  };
  return Object.fromEntries(
    Object.entries(known).filter((fact): fact is [string, string] => (fact[1] ?? '') !== ''),
  );
}

// ---------------------------------------------------------------------------------------------------

function hostOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).hostname : undefined;
}
