/** Azure's commands for the texts of general causes, and the facts that they name. */
import type { EvidenceSet, NodeClaimEvidence } from '../../../causes/index.ts';
import type { CloudCommands } from '../../index.ts';

import { vmLocation } from './azure-evidence.ts';

const RUN = 'az vm run-command invoke -g {resourceGroup} -n {vm} --command-id RunShellScript --scripts';
const VIEW = 'az vm get-instance-view -g {resourceGroup}';

export const COMMANDS: CloudCommands = {
  nodeClassResource: 'aksnodeclass',
  showBootLog: 'az vm boot-diagnostics get-boot-log -g {resourceGroup} -n {vm}',
  showKubeletLog: `${RUN} "journalctl -u kubelet --no-pager | tail -n 50"`,
  showClock: `${RUN} "date -u; chronyc tracking"`,
  showInstanceStatus: `${VIEW} -n {vm} --query instanceView.statuses`,
  showInstanceAgent: `${VIEW} -n {vm} --query instanceView.vmAgent`,
  showInstanceDisk: 'az vm show -g {resourceGroup} -n {vm} --query storageProfile.osDisk.managedDisk',
  showNodeStatus: `${VIEW} -n {node} --query instanceView.statuses`,
  showInstanceHistory: 'az monitor activity-log list --resource-id {vmId} --offset 1d -o table',
  testApiServer: `${RUN} "nslookup {apiServer}; nc -vz -w 5 {apiServer} 443"`,
  osDiskSize: 'spec.osDiskSizeGB',
  repairDelay: '10 minutes',
  pullPermission: 'AcrPull',
  checkIdentity: 'Check workload identity, client ID and tenant.',
  billingScope: 'subscription',
  auditLog: 'the activity log of the resource group',
};

export function azureFacts(
  evidence: EvidenceSet,
  claim: NodeClaimEvidence | undefined,
): Readonly<Record<string, string | undefined>> {
  const at = vmLocation(claim?.providerId ?? '');
  const options = evidence.first('options')?.values ?? {};
  const node = evidence.first('node');
  return {
    resourceGroup: at?.resourceGroup ?? options['nodeResourceGroup']?.value,
    vm: at?.name,
    cluster: options['clusterName']?.value,
    clusterGroup: options['armResourceGroup']?.value,
    location: options['location']?.value ?? node?.labels['topology.kubernetes.io/region'],
    size: evidence.first('vm')?.size,
    identity: options['azureClientId']?.value || '<client ID of the controller>',
    kubeletIdentity: options['kubeletIdentityClientId']?.value,
    set: evidence.first('nodeClass')?.diskEncryptionSet?.id,
    apiServer: evidence.first('cluster')?.apiServerHost ?? hostOf(options['clusterEndpoint']?.value ?? ''),
  };
}

// ---------------------------------------------------------------------------------------------------

function hostOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).hostname : undefined;
}
