/**
 * The images of a node class: asks for them and puts the answer into the status. Which images fit, which versions are
 * kept while the maintenance window is closed, the module `images/` decides.
 */
import type { AKSNodeClass } from '../../../api/index.ts';
import { Condition, MINUTE_MS, type Part } from './part.ts';
import { isCurrent, type NodeClassImage } from './usable.ts';

export const IMAGES_REQUEUE_MS = 5 * MINUTE_MS;

export interface ImagesQuestion {
  readonly nodeClass: AKSNodeClass;
  readonly kubernetesVersion: string;
  /** What the status holds now, in its order. */
  readonly current: readonly NodeClassImage[];
  /** ImagesReady is not True: newest versions, whatever the window. */
  readonly takeNewest: boolean;
}

export type ImagesAnswer =
  | { readonly images: readonly NodeClassImage[] }
  | { readonly refused: { readonly reason: string; readonly message: string } };

export type FindImages = (question: ImagesQuestion) => Promise<ImagesAnswer>;

export function imagesPart(find: FindImages): Part {
  return {
    name: 'images',
    conditions: [Condition.images],
    async reconcile(draft) {
      const { nodeClass, conditions, status } = draft;
      const version = conditions.get(Condition.kubernetesVersion);
      if (!isCurrent(version, nodeClass.metadata.generation) || status.kubernetesVersion === undefined) {
        // The version part has its own error and its own requeue; without it there is nothing to look up.
        return {};
      }
      const answer = await find({
        nodeClass,
        kubernetesVersion: status.kubernetesVersion,
        current: status.images ?? [],
        takeNewest: !conditions.isTrue(Condition.images),
      });
      if ('refused' in answer || answer.images.length === 0) {
        delete status.images;
        const { reason, message } = 'refused' in answer ? answer.refused : NOTHING_FOUND;
        conditions.setFalse(Condition.images, reason, message);
      } else {
        status.images = answer.images.map(({ id, requirements }) => ({
          id,
          requirements: [...requirements],
        }));
        conditions.setTrue(Condition.images);
      }
      return { requeueAfterMs: IMAGES_REQUEUE_MS };
    },
  };
}

// ---------------------------------------------------------------------------------------------------

const NOTHING_FOUND = {
  reason: 'ImagesNotFound',
  message: 'no node image matches the AKSNodeClass and the Kubernetes version',
};
