/** Chooses the simulated cloud of a playground, and loads it alone. */
import type { AzureOptions, RunningAzure } from '@chandler/cloudsim/azure';
import type { PlaygroundCloudName } from './cloud-names.table.ts';
import type { CloudSimulation } from './playground-cloud.ts';

/** One cloud and its options. */
export interface CloudChoice {
  readonly azure: AzureOptions;
}

/** The servers of the cloud that runs, for tests. */
export interface CloudHandles {
  azure?: RunningAzure;
}

export async function loadSimulation(choice: CloudChoice, handles: CloudHandles): Promise<CloudSimulation> {
  const { azureSimulation } = await import('./azure.ts');
  return azureSimulation(choice.azure, (azure) => {
    handles.azure = azure;
  });
}

/** Faults as given on the command line, for the options of the cloud, and a message for every invalid one. */
export async function readFaultFlags(cloud: PlaygroundCloudName, pieces: readonly string[]) {
  const modules = { azure: () => import('@chandler/cloudsim/azure') };
  return (await modules[cloud]()).readFaultFlags(pieces);
}
