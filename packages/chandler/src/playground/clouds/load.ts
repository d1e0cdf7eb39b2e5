/** Chooses the simulated cloud of a playground, and loads it alone. */
import type { AwsOptions, RunningAws } from '@chandler/cloudsim/aws';
import type { AzureOptions, RunningAzure } from '@chandler/cloudsim/azure';
import type { PlaygroundCloudName } from './cloud-names.table.ts';
import type { CloudSimulation } from './playground-cloud.ts';

/** One cloud and its options. */
export type CloudChoice = { readonly azure: AzureOptions } | { readonly aws: AwsOptions };

/** The servers of the cloud that runs, for tests. */
export interface CloudHandles {
  azure?: RunningAzure;
  aws?: RunningAws;
}

export async function loadSimulation(choice: CloudChoice, handles: CloudHandles): Promise<CloudSimulation> {
  if ('aws' in choice) {
    const { awsSimulation } = await import('./aws.ts');
    return awsSimulation(choice.aws, (aws) => {
      handles.aws = aws;
    });
  }
  const { azureSimulation } = await import('./azure.ts');
  return azureSimulation(choice.azure, (azure) => {
    handles.azure = azure;
  });
}

/** Faults as given on the command line, and a message for every invalid one. */
export async function readFaultFlags<N extends PlaygroundCloudName>(
  cloud: N,
  pieces: readonly string[],
): Promise<FaultFlags[N]> {
  const read = {
    azure: async () => (await import('@chandler/cloudsim/azure')).readFaultFlags(pieces),
    aws: async () => (await import('@chandler/cloudsim/aws')).readFaultFlags(pieces),
  };
  return (await read[cloud]()) as FaultFlags[N];
}

// ---------------------------------------------------------------------------------------------------

interface FaultFlags {
  readonly azure: ReturnType<typeof import('@chandler/cloudsim/azure')['readFaultFlags']>;
  readonly aws: ReturnType<typeof import('@chandler/cloudsim/aws')['readFaultFlags']>;
}
