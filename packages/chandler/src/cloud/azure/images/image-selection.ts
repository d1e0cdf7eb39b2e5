/** Which of the status's images a VM gets, what AKS calls it, and whether a VM's image is one of them still. */
import { type ValueRequirement, valuesOf } from '../../../bootstrap/index.ts';
import type { Drift } from '../../index.ts';

import { FAMILIES } from './families.table.ts';
import { parseImageId } from './image-id.ts';

export interface StatusImage {
  readonly id: string;
  readonly requirements: readonly ValueRequirement[];
}

/** The first that fits the instance type; nothing when none does. */
export function selectImage(
  images: readonly StatusImage[],
  instanceType: { readonly requirements: readonly ValueRequirement[] },
): StatusImage | undefined {
  return images.find((image) =>
    image.requirements.every(({ key }) => {
      const wanted = valuesOf(image.requirements, key);
      const offered = valuesOf(instanceType.requirements, key);
      if (wanted === undefined) return offered === undefined || offered.length > 0;
      return offered?.some((value) => wanted.includes(value)) ?? false;
    }),
  );
}

/** `aks-ubuntu-containerd-22.04-gen2`; nothing for an image that is none of AKS' own. */
export function distroOf(imageId: string): string | undefined {
  const definition = parseImageId(imageId)?.definition.toLowerCase();
  return definition === undefined ? undefined : DISTROS.get(definition);
}

/** A VM drifts when its image is not among those that would be taken now. An unknown image does not drift. */
export function imageDrift(
  imageId: string | undefined,
  images: readonly { readonly id: string }[],
): Drift | undefined {
  if (imageId === undefined || imageId === '' || images.length === 0) return undefined;
  const wanted = images.map((image) => image.id);
  if (wanted.some((id) => id.toLowerCase() === imageId.toLowerCase())) return undefined;
  const own = parseImageId(imageId)?.base.toLowerCase();
  const successor = wanted.find((id) => parseImageId(id)?.base.toLowerCase() === own);
  return {
    reason: 'ImageDrift',
    message: `the VM uses image ${imageId}; new VMs use ${successor ?? wanted.join(', ')}`,
  };
}

// ---------------------------------------------------------------------------------------------------

const DISTROS: ReadonlyMap<string, string> = new Map(
  Object.values(FAMILIES).flatMap(({ definitions }) =>
    Object.values(definitions)
      .flat()
      .map(({ name, distro }) => [name.toLowerCase(), distro] as const),
  ),
);
