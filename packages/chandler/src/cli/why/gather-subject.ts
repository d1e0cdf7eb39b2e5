/** Gathers what a source of answers has about an object, with a plan of the built-in catalogue where one is needed. */
import { type Gathered, gather, type Subject } from '../../diagnose/index.ts';
import { PLANNER_WORLD } from './planner-world.ts';
import { cataloguePlanner } from './sizes.ts';
import type { OpenSource } from './source.ts';

/** @param byok disks of nodes must be encrypted with a customer-managed key. */
export function gatherSubject(source: OpenSource, subject: Subject, byok: boolean): Promise<Gathered> {
  const reader = source.reader();
  return gather(subject, {
    reader,
    cloud: source.cloud,
    planner: cataloguePlanner(PLANNER_WORLD, reader, source.cloud),
    expectsCustomerKey: byok,
    ...(source.namespace === undefined ? {} : { namespace: source.namespace }),
  });
}
