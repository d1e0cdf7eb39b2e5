/**
 * Failures of the extension in which the provisioning script has no exit code: it did not run, or nobody could read how
 * it ended. First match wins; the last row matches all. The texts are those of the Azure VM agent, of the custom script
 * extension and of Azure itself, up to 2026-11.
 */
import { NO_CODE_HINT } from './hints.table.ts';

export interface NoCodeRow {
  readonly id: string;
  readonly says: RegExp;
  /** A part of a sentence. */
  readonly summary: string;
  readonly hint: string;
  readonly confirm: readonly string[];
  /** Another VM of the same node class would fail in the same way. */
  readonly deterministic: boolean;
}

const HANDLER_LOG =
  'az vm run-command invoke -g {resourceGroup} -n {vm} --command-id RunShellScript --scripts "tail -n 50 /var/log/azure/custom-script/handler.log; tail -n 50 /var/log/waagent.log"';

const EXTENSIONS =
  'az vm extension list -g {resourceGroup} --vm-name {vm} --query "[].{name:name,type:typePropertiesType,settings:settings}"';

export const NO_CODE_ROWS: readonly NoCodeRow[] = [
  {
    id: 'two-scripts',
    says: /'commandToExecute' and 'script' were both specified|'commandToExecute' was specified both/i,
    summary: 'the extension rejected its settings and did not run the script',
    hint: 'Two writers configure the extension: Azure keeps the settings of both. Find what else writes the extension of this VM (Azure Policy, another tool), and exempt the node resource group from it.',
    confirm: [EXTENSIONS, 'az policy state list -g {resourceGroup} --query "[].policyAssignmentName" -o tsv'],
    deterministic: true,
  },
  {
    id: 'settings-not-read',
    says: /failed to get configuration/i,
    summary: 'the extension could not read its settings and did not run the script',
    hint: 'The message says what is wrong with the settings: they cannot be decrypted, are incomplete, or are not valid. A new VM usually works. If every VM fails, find what else writes the extension of this VM (Azure Policy, another tool).',
    confirm: [HANDLER_LOG, EXTENSIONS],
    deterministic: false,
  },
  {
    id: 'malformed-status',
    says: /Malformed status file/i,
    summary:
      'the VM agent could not read the status file of the extension, so the result of the script is not known',
    hint: 'Check the log of the extension and the free space of the OS disk on the VM: the file is empty or cut if the disk is full or the VM agent restarted. A new VM usually works.',
    confirm: [HANDLER_LOG],
    deterministic: false,
  },
  {
    id: 'agent-silent',
    says: /VMAgentStatusCommunicationError|has not reported status for (?:the )?VM agent/i,
    summary: 'the VM agent has not reported any status, so the result of the script is not known',
    hint: 'Check whether the VM boots, whether its VM agent runs, and whether it can reach 168.63.129.16 (ports 80 and 32526): firewalls on the VM and route tables must not block this address.',
    confirm: NO_CODE_HINT.confirm,
    deterministic: false,
  },
];
