/** Connects to the cluster for one command of `chandler takeover`, and reads what it is about. */
import { cloudNamed } from '../../cloud/registry.ts';
import type { OptionValues } from '../../settings/index.ts';
import { type ClusterCall, inCluster, type OpenCluster } from '../check/open-cluster.ts';
import { parseName } from './find-deployments.ts';
import type { SHARED_OPTIONS } from './options.ts';
import { type Picture, readPicture } from './picture.ts';

export type SharedValues = OptionValues<typeof SHARED_OPTIONS>;

export interface OpenTakeover extends OpenCluster {
  readonly picture: Picture;
}

/** @throws {Failure} when the cluster cannot be reached or refuses the work, and the reason of an interrupt. */
export async function inTakeover<T>(
  call: ClusterCall,
  options: SharedValues,
  work: (open: OpenTakeover) => Promise<T>,
): Promise<T> {
  const named = {
    karpenter: parseName('--karpenter', options.karpenter.value),
    chandler: parseName('--chandler', options.chandler.value),
  };
  return inCluster(
    call,
    options,
    async (cluster) => {
      const picture = await readPicture({
        client: cluster.client,
        named,
        cloudName: cloudNamed(String(options.cloud.value)),
        caPem: await cluster.trusted(),
        signal: call.interrupted,
      });
      return work({ ...cluster, picture });
    },
    'chandler-takeover',
  );
}
