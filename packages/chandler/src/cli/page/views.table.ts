/** The views of the page, in the order of its menu. */
import type { wire } from '../../dashboard/index.ts';

/** Of a recording: rows and what happened. */
export const RECORDED_VIEWS: readonly wire.View[] = ['cluster', 'timeline'];

/** Of every cluster. */
export const CLUSTER_VIEWS: readonly wire.View[] = [
  'cluster',
  'pending',
  'claims',
  'savings',
  'timeline',
  'what-if',
];
