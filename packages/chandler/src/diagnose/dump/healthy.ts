/** Whether a Node or a NodeClaim in a dump is healthy: it is Ready, and not being deleted. */
import type { ReadObject } from '../../causes/index.ts';
import { conditionsOf } from '../evidence/shapes.ts';

export function isHealthy(object: ReadObject): boolean {
  return (
    object.metadata.deletionTimestamp === undefined &&
    conditionsOf(object).some(({ type, status }) => type === 'Ready' && status === 'True')
  );
}
