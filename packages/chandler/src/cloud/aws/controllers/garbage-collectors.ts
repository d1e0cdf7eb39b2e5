/** When to look for instances and launch templates that belong to nobody. How to find and remove them, others know. */
import { type Controller, itemBackoff, type Result, singleton } from '@chandler/kube';
import type { CloudControllerContext } from '../../index.ts';

export interface GarbageFunctions {
  /** Terminates instances of this cluster without a claim. */
  readonly instances?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Deletes launch templates of this cluster that nobody has used for a while. */
  readonly launchTemplates?: ((signal: AbortSignal) => Promise<void>) | undefined;
}

/** After a start launches of the process before may have left something: then more often. */
const EAGER_ROUNDS = 20;
const EAGER_MS = 10_000;
const INSTANCES_MS = 2 * 60_000;
const TEMPLATES_MS = 60_000;

export function garbageCollectors(
  { world }: Pick<CloudControllerContext, 'world'>,
  { instances, launchTemplates }: GarbageFunctions,
): readonly Controller[] {
  let rounds = 0;
  return [
    ...(instances === undefined
      ? []
      : [
          singleton({
            name: 'instance.garbagecollection',
            world,
            everyMs: INSTANCES_MS,
            limiter: itemBackoff({ baseMs: 5_000, maxMs: INSTANCES_MS }),
            async run({ signal }): Promise<Result> {
              await instances(signal);
              rounds += 1;
              return { requeueAfterMs: rounds <= EAGER_ROUNDS ? EAGER_MS : INSTANCES_MS };
            },
          }),
        ]),
    ...(launchTemplates === undefined
      ? []
      : [
          singleton({
            name: 'launchtemplate.garbagecollection',
            world,
            everyMs: TEMPLATES_MS,
            limiter: itemBackoff({ baseMs: 5_000, maxMs: TEMPLATES_MS }),
            run: ({ signal }) => launchTemplates(signal),
          }),
        ]),
  ];
}
