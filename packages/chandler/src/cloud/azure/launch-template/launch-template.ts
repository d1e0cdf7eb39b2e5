/**
 * Everything that is decided about a VM before it is requested, apart from its network: custom data, image, tags,
 * placement, OS disk and the key of that disk. The image family decides the image; the bootstrapper of the provision
 * mode writes the custom data.
 */
import type { Clock } from '@chandler/kube';
import {
  BootstrapError,
  type Bootstrapper,
  type Rendered,
  type RenderedVariable,
} from '../../../bootstrap/index.ts';
import type { Stage } from '../../../journey/index.ts';
import type { Sourced } from '../../../settings/index.ts';
import { CloudError } from '../../index.ts';

import { distroOf, resolveFamily, type StatusImage, selectImage } from '../images/index.ts';
import {
  DEFAULT_OS_DISK_GB,
  type EphemeralRefusals,
  ephemeralPlacement,
  wantsUltraSsd,
} from '../instance-types/index.ts';
import type { DiskPlacement } from '../sizes/index.ts';
import { diskEncryptionFact } from '../stages.ts';
import { type Tags, vmTags } from '../vm/tags.ts';
import { type BootstrapInputRequest, bootstrapInput, nodeVersion } from './bootstrap-input.ts';
import { launchFailure } from './launch-failure.ts';

export interface LaunchTemplateRequest extends Omit<BootstrapInputRequest, 'mode'> {
  /** Of the provision mode. */
  readonly bootstrapper: Bootstrapper;
  /** Of the OS disk; undefined where the platform's key is used. */
  readonly diskEncryptionSet?: Sourced<string> | undefined;
  readonly clock: Pick<Clock, 'now'>;
  /** Local disks that Azure refused before. Default none. */
  readonly ephemeralRefusals?: Pick<EphemeralRefusals, 'isRefused'>;
}

export interface LaunchTemplate {
  /** Base64. */
  readonly customData: string;
  /** For the custom script extension, where the mode has one. A secret. */
  readonly cseCommand?: string;
  readonly imageId: string;
  readonly tags: Tags;
  readonly placement: Placement;
  /** Of the node: for the claim's metadata too. */
  readonly labels: Readonly<Record<string, string>>;
  readonly variables: readonly RenderedVariable[];
  readonly osDisk: OsDisk;
  readonly ultraSsd: boolean;
  readonly stages: readonly Stage[];
}

export interface OsDisk {
  readonly sizeGB: number;
  readonly ephemeralPlacement?: DiskPlacement;
  readonly diskEncryptionSet?: Sourced<string>;
}

export interface Placement {
  /** As nodes carry it: `eastus-1`, or `0`. */
  readonly zone: string;
  readonly capacityType: 'on-demand' | 'spot';
}

/** @throws {CloudError} when no image fits, a value is none, or the bootstrapping server gives nothing. */
export async function buildLaunchTemplate(request: LaunchTemplateRequest): Promise<LaunchTemplate> {
  const { bootstrapper, clock, instanceType, offering, nodeClass, claim, diskEncryptionSet } = request;
  const spec = nodeClass.spec ?? {};
  const sizeGB = spec.osDiskSizeGB ?? DEFAULT_OS_DISK_GB;
  const placement = ephemeralPlacement(
    instanceType.sku.disks,
    sizeGB,
    (local) => request.ephemeralRefusals?.isRefused(instanceType.name, local, sizeGB) ?? false,
  );
  const ultraSsd = wantsUltraSsd(claim.spec.requirements);
  const image = imageFor(request);
  try {
    const chosen = {
      family: resolveFamily(spec, nodeVersion(request)),
      distro: distroOf(image.id),
      ephemeralOsDisk: placement !== undefined,
      ultraSsd,
    };
    const { input, labels } = bootstrapInput({ ...request, mode: bootstrapper.mode }, chosen);
    const rendered = await bootstrapper.script(input);
    return {
      customData: rendered.customData,
      ...(rendered.cseCommand === undefined ? {} : { cseCommand: rendered.cseCommand }),
      imageId: image.id,
      tags: tagsOf(request),
      placement: { zone: offering.zone, capacityType: offering.capacityType },
      labels,
      variables: rendered.variables,
      osDisk: {
        sizeGB,
        ...(placement === undefined ? {} : { ephemeralPlacement: placement }),
        ...(diskEncryptionSet === undefined ? {} : { diskEncryptionSet }),
      },
      ultraSsd,
      stages: stages(request, image, rendered, clock.now()),
    };
  } catch (error) {
    if (error instanceof BootstrapError) throw launchFailure(error);
    throw error;
  }
}

// ---------------------------------------------------------------------------------------------------

function imageFor({ nodeClass, instanceType }: LaunchTemplateRequest): StatusImage {
  const images = nodeClass.status?.images ?? [];
  const image = selectImage(images, instanceType);
  if (image !== undefined) return image;
  const listed =
    images.length === 0 ? 'its list of images is empty' : `none of its ${images.length} images matches`;
  throw new CloudError(
    'CreateFailed',
    `AKSNodeClass ${nodeClass.metadata.name} has no image for ${instanceType.name} (${instanceType.sku.architecture}): ${listed}`,
    { reason: 'ImageNotFound' },
  );
}

function tagsOf({ claim, nodeClass, nodePool, options }: LaunchTemplateRequest): Tags {
  return vmTags({
    clusterName: options.clusterName.value,
    additionalTags: options.additionalTags.value,
    nodeClassTags: nodeClass.spec?.tags ?? {},
    nodePool: nodePool?.metadata.name ?? claim.metadata.labels?.['karpenter.sh/nodepool'],
    claim: {
      name: claim.metadata.name ?? '',
      uid: claim.metadata.uid ?? '',
      nodeClass: nodeClass.metadata.name ?? '',
    },
  });
}

function stages(
  request: LaunchTemplateRequest,
  image: StatusImage,
  rendered: Rendered,
  atMs: number,
): readonly Stage[] {
  const { offering, bootstrapper, instanceType } = request;
  const version = nodeVersion(request);
  return [
    { name: 'image', atMs, outcome: 'ok', facts: { image: { value: image.id, source: 'NodeClass' } } },
    {
      name: 'bootstrap',
      atMs,
      outcome: 'ok',
      facts: {
        mode: bootstrapper.mode,
        bytes: rendered.bytes,
        kubernetesVersion: { value: version.value, source: version.source },
      },
    },
    {
      name: 'launchTemplate',
      atMs,
      outcome: 'ok',
      facts: {
        size: instanceType.name,
        zone: offering.zone,
        capacityType: offering.capacityType,
        diskEncryptionSet: diskEncryptionFact(request.diskEncryptionSet),
      },
    },
  ];
}
