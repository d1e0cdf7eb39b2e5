/**
 * What stops the disruption of a pool, as conditions: settings that cannot be read, by field and value, and a freeze. Both go
 * away when they are over. `disruption/` decides what they mean.
 */
import { Controller, type Result, storeSource } from '@chandler/kube';
import { ChandlerAnnotation, conditionsOf, writeStatus } from '../../api/index.ts';
import { freezeHolding, freezeText, poolProblems } from '../../disruption/index.ts';
import { type ControllerContext, scopeOf } from '../context.ts';
import { freezeSource } from '../disruption/freeze-watch.ts';
import { POOLS, poolNamed } from './pool-store.ts';

/** A condition has at most 32 KiB. */
const MAX_TEXT = 8_000;
const UNKNOWN_MS = 1_000;
const DAY_MS = 24 * 60 * 60_000;

export function poolDisruptionSettings(context: ControllerContext): Controller {
  const { world, stores, freezes, settings } = context;
  const names = () => [...stores.pools.store.values()].map(({ metadata }) => metadata.name);
  return new Controller({
    name: 'nodepool.disruption',
    world,
    concurrency: 10,
    sources: [storeSource(stores.pools), freezeSource(freezes, names)],
    async reconcile(name, run): Promise<Result> {
      const pool = poolNamed(context, name);
      if (pool === undefined) return {};
      if (!freezes.known) return { requeueAfterMs: UNKNOWN_MS };
      const nowMs = world.clock.now();
      const conditions = conditionsOf('NodePool', pool, nowMs);
      const problems = poolProblems(pool, settings.saving, nowMs);
      const freeze = freezeHolding(pool, freezes.current(), nowMs);
      if (problems.length === 0) conditions.clear('DisruptionSettingsInvalid');
      else {
        const texts = problems.map(({ field, value, message }) => `${field}: "${value}": ${message}`);
        const message = `No node is disrupted until this is repaired: ${texts.join('; ')}`;
        conditions.setTrue('DisruptionSettingsInvalid', 'InvalidValue', message.slice(0, MAX_TEXT));
      }
      if (freeze === undefined) conditions.clear('DisruptionFrozen');
      else conditions.setTrue('DisruptionFrozen', 'Frozen', freezeText(freeze).slice(0, MAX_TEXT));
      await writeStatus(scopeOf(context, run).client, POOLS, pool, conditions);
      if (
        pool.metadata.annotations?.[ChandlerAnnotation.disruptionSurge] === 'true' &&
        !settings.disruptionSurge
      )
        context.events.publish({
          resource: POOLS,
          object: pool,
          type: 'Warning',
          reason: 'DisruptionSurgeDisabled',
          message: `The annotation ${ChandlerAnnotation.disruptionSurge} has no effect: the controller runs without --disruption-surge.`,
          dedupeValues: [pool.metadata.uid],
          dedupeMs: DAY_MS,
        });
      return freeze?.untilMs === undefined ? {} : { requeueAfterMs: Math.max(1_000, freeze.untilMs - nowMs) };
    },
  });
}
