/** Options of `chandler check` about the live subscription of Azure. */

export const LIVE_AZURE_OPTIONS = {
  liveAzure: {
    flag: 'live-azure',
    type: 'boolean',
    default: false,
    doc: 'Also read the subscription of Azure, with the credentials of the environment or of the Azure CLI; nothing is changed there',
  },
  azureCluster: {
    flag: 'azure-cluster',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'ID',
    doc: 'With --live-azure: the resource ID of the AKS cluster. Default: that of the state',
  },
  armActions: {
    flag: 'arm-actions',
    type: 'boolean',
    default: false,
    doc: 'Print the actions of Azure that --live-azure needs, and check nothing',
  },
} as const;
