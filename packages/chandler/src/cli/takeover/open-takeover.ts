/** Connects to the cluster for one command of `chandler takeover`, and reads the plan. */
import { KubeClient, shapedTransport, type World } from '@chandler/kube';
import { cloudNamed } from '../../cloud/registry.ts';
import { isAccessError } from '../../readiness/index.ts';
import type { OptionValues } from '../../settings/index.ts';
import { connectToCluster } from '../controller/cluster.ts';
import { type Call, Failure, namedKubeconfig } from '../verb.ts';
import { parseName } from './find-deployments.ts';
import type { SHARED_OPTIONS } from './options.ts';
import { type Picture, readPicture } from './picture.ts';

export type SharedCall = Pick<Call, 'env' | 'interrupted' | 'world'>;
export type SharedValues = OptionValues<typeof SHARED_OPTIONS>;

export interface OpenTakeover {
  readonly client: KubeClient;
  readonly host: string;
  readonly world: World;
  readonly picture: Picture;
}

/** @throws {Failure} when the cluster cannot be reached or refuses the work, and the reason of an interrupt. */
export async function inTakeover<T>(
  { env, interrupted, world: openWorld }: SharedCall,
  options: SharedValues,
  work: (open: OpenTakeover) => Promise<T>,
): Promise<T> {
  const named = {
    karpenter: parseName('--karpenter', options.karpenter.value),
    chandler: parseName('--chandler', options.chandler.value),
  };
  const world = await openWorld();
  const kubeconfig = namedKubeconfig(options.kubeconfig);
  const connection = await connectToCluster({ kubeconfig, context: options.context.value, env, world });
  const { transport, host, credentials, close } = connection;
  const traffic = { world, host, userAgent: 'chandler-takeover', limited: false, timeoutMs: 20_000 };
  const client = new KubeClient({ transport: shapedTransport(transport, traffic) });
  try {
    const picture = await readPicture({
      client,
      named,
      cloudName: cloudNamed(String(options.cloud.value)),
      caPem: await credentials.trusted(),
      signal: interrupted,
    });
    return await work({ client, host, world, picture });
  } catch (error) {
    interrupted.throwIfAborted();
    throw isAccessError(error) ? new Failure(`the cluster ${host}: ${error.message}`) : error;
  } finally {
    await close();
  }
}
