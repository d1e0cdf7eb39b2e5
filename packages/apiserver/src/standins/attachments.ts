/** VolumeAttachments: a CSI volume is attached to a node while a pod there uses it. */
import { createHash } from 'node:crypto';
import {
  Controller,
  ignoreApiErrors,
  type KubeClient,
  keyOfObject,
  type NamedObject,
  type Pod,
  type Result,
  type Stored,
  storeSource,
  VOLUME_ATTACHMENTS,
  type VolumeAttachment,
  type World,
} from '@chandler/kube';
import { isFinished, nameOf, namespaceOf } from './object-facts.ts';
import { claimNames } from './scheduler/volumes.ts';
import { writeStatus } from './status.ts';
import { BY_NODE, type Watched } from './watched.ts';

export function attachmentController(options: {
  world: World;
  watched: Watched;
  client: KubeClient;
}): Controller {
  const { world, watched } = options;
  return new Controller({
    name: 'standin.attachment',
    world,
    concurrency: 2,
    reconcile: (node) => reconcile(options, node),
    sources: [
      storeSource(watched.pods, {
        filter: ({ object }) => Boolean(object.spec.nodeName) && claimNames(object).length > 0,
        keys: ({ object }) => [object.spec.nodeName ?? ''],
      }),
      storeSource(watched.attachments, { keys: ({ object }) => [object.spec.nodeName] }),
    ],
  });
}

// ---------------------------------------------------------------------------------------------------

async function reconcile(
  { watched, client }: { watched: Watched; client: KubeClient },
  node: string,
): Promise<Result> {
  const wanted = new Map<string, VolumeAttachment>();
  for (const pod of watched.pods.store.by(BY_NODE, node)) {
    if (isFinished(pod)) continue;
    for (const attachment of attachmentsOf(watched, pod, node)) wanted.set(nameOf(attachment), attachment);
  }
  for (const attachment of watched.attachments.store.by(BY_NODE, node)) {
    if (wanted.delete(nameOf(attachment)))
      await writeStatus(client, VOLUME_ATTACHMENTS, attachment, { attached: true });
    else await ignoreApiErrors(client.delete(VOLUME_ATTACHMENTS, keyOfObject(attachment)), 'notFound');
  }
  for (const attachment of wanted.values()) {
    const created = await ignoreApiErrors(client.create(VOLUME_ATTACHMENTS, attachment), 'alreadyExists');
    if (created) await writeStatus(client, VOLUME_ATTACHMENTS, created, { attached: true });
  }
  return {};
}

function attachmentsOf(watched: Watched, pod: Stored<Pod>, node: string): (VolumeAttachment & NamedObject)[] {
  return claimNames(pod).flatMap((name) => {
    const claim = watched.claims.store.get({ namespace: namespaceOf(pod), name });
    const volume = claim?.spec.volumeName
      ? watched.volumes.store.get({ name: claim.spec.volumeName })
      : undefined;
    if (!volume?.spec.csi) return [];
    const { driver, volumeHandle } = volume.spec.csi;
    const hash = createHash('sha256').update(`${volumeHandle}${driver}${node}`).digest('hex');
    return [
      {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'VolumeAttachment',
        metadata: { name: `csi-${hash}` },
        spec: { attacher: driver, nodeName: node, source: { persistentVolumeName: nameOf(volume) } },
      },
    ];
  });
}
