/** Joins catalogue, maintenance window and status: the answer to "which images does this node class start from". */
import type { Clock } from '@chandler/kube';
import type { AKSNodeClass } from '../../../api/index.ts';
import type { Sourced } from '../../../settings/index.ts';

import { knownFamilies } from './family.ts';
import type { ImageCatalogue } from './image-catalogue.ts';
import { type ImagesReason, imagesStatus, type NodeImage } from './images-status.ts';
import { maintenanceWindow } from './maintenance-window.ts';

export interface FindImagesOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly catalogue: ImageCatalogue;
  readonly useSig: Sourced<boolean>;
  /** `data` of the ConfigMap `upcoming-maintenance-window`; undefined when there is none. */
  readonly getMaintenanceConfigMap: () => Promise<Readonly<Record<string, string>> | undefined>;
}

export interface FindImagesQuestion {
  readonly nodeClass: AKSNodeClass;
  readonly kubernetesVersion: string;
  readonly current: readonly NodeImage[];
  /** Newest versions, whatever the window. */
  readonly takeNewest: boolean;
}

export type FindImagesAnswer =
  | { readonly images: readonly NodeImage[] }
  | { readonly refused: { readonly reason: Exclude<ImagesReason, 'ImagesReady'>; readonly message: string } };

/** @throws when a gallery or the ConfigMap cannot be read, or the window cannot be understood. */
export function imageFinder(options: FindImagesOptions) {
  return async (question: FindImagesQuestion): Promise<FindImagesAnswer> => {
    const spec = question.nodeClass.spec ?? {};
    if (spec.imageFamily !== undefined && !knownFamilies().includes(spec.imageFamily)) {
      const message = `spec.imageFamily: ${spec.imageFamily} is not supported; supported families are ${knownFamilies().join(', ')}`;
      return { refused: { reason: 'ImagesNotFound', message } };
    }
    const fips = spec.fipsMode === 'FIPS';
    const version: Sourced<string> = {
      value: question.kubernetesVersion,
      source: 'cluster',
      path: 'status.kubernetesVersion',
    };
    const reachable = !fips || options.useSig.value;
    const status = imagesStatus({
      current: question.current,
      goal: reachable ? await options.catalogue.newest(spec, version) : [],
      wasReady: !question.takeNewest,
      windowOpen: question.takeNewest || (await isOpen(options)),
      fips,
      useSig: options.useSig.value,
    });
    if (status.reason === 'ImagesReady') return { images: status.images };
    return { refused: { reason: status.reason, message: status.message } };
  };
}

/** The window could not be understood: nothing is renewed, and the message says what to mend. */
export class MaintenanceWindowError extends Error {
  override readonly name = 'MaintenanceWindowError';
}

// ---------------------------------------------------------------------------------------------------

async function isOpen({ clock, getMaintenanceConfigMap }: FindImagesOptions): Promise<boolean> {
  const window = maintenanceWindow(await getMaintenanceConfigMap(), clock.now());
  if (window.state === 'malformed') throw new MaintenanceWindowError(window.message);
  return window.state === 'open';
}
