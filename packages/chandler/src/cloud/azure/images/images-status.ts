/**
 * What `status.images` of a node class becomes: the newest images when they may be renewed, else those already there,
 * with new kinds of image added and old ones dropped. And how the condition ImagesReady reads. Pure; the status
 * controller writes it.
 */
import { AzureLabel, KubernetesLabel, type ReportedRequirement } from '../../../api/index.ts';
import type { ImageDefinition } from './families.table.ts';
import { parseImageId } from './image-id.ts';

/** One entry of `status.images`. */
export interface NodeImage {
  readonly id: string;
  readonly requirements: ReportedRequirement[];
}

export type ImagesReason = 'ImagesReady' | 'SIGRequiredForFIPS' | 'ImagesNotFound';

export interface ImagesStatus {
  readonly images: readonly NodeImage[];
  readonly ready: boolean;
  readonly reason: ImagesReason;
  readonly message: string;
  /** Ids that a later renewal would bring; empty when everything is up to date. */
  readonly held: readonly string[];
}

export interface ImagesStatusInput {
  readonly current: readonly NodeImage[];
  /** The newest images of today, in order of preference. */
  readonly goal: readonly NodeImage[];
  /** Whether ImagesReady was True for what is there now. */
  readonly wasReady: boolean;
  readonly windowOpen: boolean;
  readonly fips: boolean;
  readonly useSig: boolean;
}

export function imagesStatus(input: ImagesStatusInput): ImagesStatus {
  if (input.fips && !input.useSig) {
    return no(
      'SIGRequiredForFIPS',
      'FIPS images are available only in shared image galleries; set USE_SIG, or set fipsMode to Disabled',
    );
  }
  if (input.goal.length === 0) {
    return no(
      'ImagesNotFound',
      'no image in this region matches the combination of imageFamily, fipsMode and trustedLaunch',
    );
  }
  const renew = !input.wasReady || input.windowOpen;
  const images = renew ? input.goal : keepRecorded(input.current, input.goal);
  const kept = new Set(images.map((image) => image.id));
  const held = input.goal.map((image) => image.id).filter((id) => !kept.has(id));
  return { images, ready: true, reason: 'ImagesReady', message: '', held };
}

/** The VMs that an image is for, as the status lists them: shorter keys first. */
export function imageRequirements(definition: ImageDefinition): ReportedRequirement[] {
  return [
    requirement(KubernetesLabel.arch, definition.architecture),
    requirement(AzureLabel.skuHyperVGeneration, definition.hyperVGeneration),
  ].sort((a, b) => a.key.length - b.key.length || (a.key < b.key ? -1 : 1));
}

// ---------------------------------------------------------------------------------------------------

function keepRecorded(current: readonly NodeImage[], goal: readonly NodeImage[]): NodeImage[] {
  const recorded = new Map(current.map((image) => [baseOf(image.id), image.id]));
  return goal.map((image) => ({ ...image, id: recorded.get(baseOf(image.id)) ?? image.id }));
}

function baseOf(id: string): string {
  return (parseImageId(id)?.base ?? id).toLowerCase();
}

function requirement(key: string, value: string): ReportedRequirement {
  return { key, operator: 'In', values: [value] };
}

function no(reason: ImagesReason, message: string): ImagesStatus {
  return { images: [], ready: false, reason, message, held: [] };
}
