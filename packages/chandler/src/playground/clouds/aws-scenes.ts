/** What scenarios do to a simulated AWS beyond its API, and what they check there. */
import type { AwsServer } from '@chandler/cloudsim/aws';
import type { AwsAction, AwsCheck, CloudAction, CloudCheck, NodesOf } from './cloud-actions.ts';

export interface AwsScenes {
  perform(action: CloudAction): void;
  failureOf(check: CloudCheck, nodesOf: NodesOf): Promise<string | undefined>;
}

export function awsScenes(server: AwsServer): AwsScenes {
  /** Names of the nodes whose instances were interrupted. */
  const interrupted = new Set<string>();
  return {
    perform(action) {
      const own = action as AwsAction;
      if ('releaseImages' in own) server.releaseImages();
      else if ('accessEntry' in own) setAccessEntry(server, own.accessEntry);
      else if ('interruptSpot' in own)
        for (const { id, nodeName } of spotInstances(server).slice(0, own.interruptSpot.instances)) {
          interrupted.add(nodeName);
          server.instances.interruptSpot(id);
        }
      else throw new Error(`AWS does not know the action ${JSON.stringify(action)}`);
    },
    async failureOf(check, nodesOf) {
      const own = check as AwsCheck;
      if ('consoleSays' in own) return consoleFailure(server, own.consoleSays);
      if ('latestImage' in own) return imageFailure(server, await nodesOf(own.latestImage.app));
      if ('interruptedGone' in own) return goneFailure(server, interrupted);
      if ('noPodOnInterrupted' in own) {
        const { app } = own.noPodOnInterrupted;
        const still = (await nodesOf(app)).filter((node) => interrupted.has(node));
        return still.length === 0 ? undefined : `pods of ${app} still run on ${still.join(', ')}`;
      }
      throw new Error(`AWS does not know the check ${JSON.stringify(check)}`);
    },
  };
}

// ---------------------------------------------------------------------------------------------------

/** Oldest first. */
function spotInstances(server: AwsServer) {
  return server.instances
    .list()
    .filter(({ spot, state }) => spot && state === 'running')
    .sort((one, other) => one.launchedMs - other.launchedMs || (one.id < other.id ? -1 : 1));
}

/** Of the role of the nodes. */
function setAccessEntry({ account, cluster, settings }: AwsServer, to: 'create' | 'delete'): void {
  const { arn } = account.roles.get(settings.nodeRoleName)!;
  if (to === 'create') cluster.accessEntries.set(arn, 'EC2_LINUX');
  else cluster.accessEntries.delete(arn);
}

function consoleFailure(server: AwsServer, text: string): string | undefined {
  const outputs = server.instances
    .list()
    .map(({ serialLines }) => serialLines.map((line) => line.text).join(''));
  return outputs.some((output) => output.includes(text))
    ? undefined
    : `none of ${outputs.length} instances has written "${text}" to its serial output`;
}

function imageFailure(server: AwsServer, nodes: readonly string[]): string | undefined {
  const { images } = server.account;
  const newest = [...images.values()]
    .map(({ CreationDate }) => CreationDate ?? '')
    .sort()
    .at(-1);
  const old = server.instances
    .list()
    .filter(
      ({ nodeName, state, imageId }) =>
        state === 'running' && nodes.includes(nodeName) && images.get(imageId)?.CreationDate !== newest,
    );
  if (nodes.length === 0) return 'no pod is running';
  return old.length === 0 ? undefined : `${old.length} nodes run an older AMI, such as ${old[0]!.imageId}`;
}

function goneFailure(server: AwsServer, interrupted: ReadonlySet<string>): string | undefined {
  const left = server.instances
    .list()
    .filter(({ nodeName, state }) => interrupted.has(nodeName) && state !== 'terminated');
  if (interrupted.size === 0) return 'no instance was interrupted';
  return left.length === 0 ? undefined : `${left.map(({ id, state }) => `${id} is ${state}`).join(', ')}`;
}
