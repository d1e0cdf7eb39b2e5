/** Forgets SSM parameters whose image is deprecated, so that a new image is used within minutes and not within a day. */
import { type Controller, itemBackoff, singleton } from '@chandler/kube';
import type { CloudControllerContext } from '../../index.ts';
import type { ImageReader } from '../images/index.ts';

const PERIOD_MS = 30 * 60_000;

export function ssmInvalidation(
  { world }: Pick<CloudControllerContext, 'world'>,
  images: Pick<ImageReader, 'dropOutdated'>,
): Controller {
  return singleton({
    name: 'providers.ssm.invalidation',
    world,
    everyMs: PERIOD_MS,
    limiter: itemBackoff({ baseMs: 5_000, maxMs: PERIOD_MS }),
    async run({ signal, log }) {
      const parameters = await images.dropOutdated(signal);
      if (parameters.length > 0) log.info('dropped parameters of deprecated images', { parameters });
    },
  });
}
