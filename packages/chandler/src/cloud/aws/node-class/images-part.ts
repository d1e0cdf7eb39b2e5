/** The images of a node class: asks for them and puts the answer into the status. Which ones fit, `images/` decides. */
import type { AwsClusterReader } from '../cluster/index.ts';
import { type FoundImages, type ImageReader, imagesStatus } from '../images/index.ts';
import { Condition, type Draft, MINUTE_MS, type Part, type PartResult, unresolved } from './part.ts';

export interface ImagesPartDeps {
  readonly cluster: AwsClusterReader;
  readonly images: Pick<ImageReader, 'find'>;
}

const FOUND_REQUEUE_MS = 5 * MINUTE_MS;

export function imagesPart({ cluster, images }: ImagesPartDeps): Part {
  return {
    name: 'images',
    condition: Condition.images,
    async reconcile(draft, signal) {
      let found: Awaited<ReturnType<ImageReader['find']>>;
      try {
        const { kubernetesVersion } = cluster.current();
        found = await images.find(draft.nodeClass.spec, kubernetesVersion.value, signal);
      } catch (thrown) {
        signal.throwIfAborted();
        return unresolved(draft, Condition.images, thrown);
      }
      if ('problem' in found) {
        const { reason, path, message } = found.problem;
        // An alias that leads to no image may lead to one later; one that is wrong stays so until it is changed.
        return refuse(draft, reason, `${path}: ${message}`, reason === 'AMINotFound');
      }
      if (found.images.length === 0) return refuseEmpty(draft, found);
      draft.status.amis = imagesStatus(found.images);
      draft.conditions.setTrue(Condition.images, undefined, skippedText(draft, found));
      return { requeueAfterMs: FOUND_REQUEUE_MS };
    },
  };
}

// ---------------------------------------------------------------------------------------------------

function refuse({ status, conditions }: Draft, reason: string, message: string, again: boolean): PartResult {
  delete status.amis;
  conditions.setFalse(Condition.images, reason, message);
  return again ? { requeueAfterMs: MINUTE_MS } : {};
}

function refuseEmpty(draft: Draft, { otherArchitectures, skipped }: FoundImages): PartResult {
  if (otherArchitectures.length > 0) {
    const names = otherArchitectures.slice(0, 5).map(({ id, architecture }) => `${id} (${architecture})`);
    const message = `spec.amiSelectorTerms: all images that match are of architectures that no node has: ${names.join(', ')}; select images for x86_64 or arm64`;
    return refuse(draft, 'UnsupportedArchitecture', message, true);
  }
  const reasons = skipped.map(({ message }) => message);
  const message = [
    'AMISelector did not match any AMIs: check the ids, names, tags and owners of spec.amiSelectorTerms',
    ...reasons,
  ].join('; ');
  return refuse(draft, 'AMINotFound', message, true);
}

/** Not for an alias: AWS does not publish every variant in every region. */
function skippedText({ nodeClass }: Draft, { skipped }: FoundImages): string {
  if (nodeClass.spec.amiSelectorTerms.some(({ alias }) => alias !== undefined)) return '';
  return skipped.map(({ message }) => message).join('; ');
}
