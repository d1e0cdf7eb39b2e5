/** The deletion of a Node by the controllers of NodeClaims. */
import { isApiError, type KubeClient, keyOfObject, NODES, type Node, type Stored } from '@chandler/kube';

/** Deletes this Node, and no later one of its name. A Node that is being deleted, or is gone, is left alone. */
export async function deleteNode(client: KubeClient, node: Stored<Node>): Promise<void> {
  if (node.metadata.deletionTimestamp !== undefined) return;
  const preconditions = { uid: node.metadata.uid };
  try {
    await client.delete(NODES, keyOfObject(node), { preconditions });
  } catch (error) {
    if (!isApiError(error, 'notFound', 'conflict')) throw error;
  }
}
