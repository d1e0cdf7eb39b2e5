/** Which views of the page there are where. */
import { VIEWS, type wire } from '../../dashboard/index.ts';

/** Of a recording: rows and what happened. */
export const RECORDED_VIEWS: readonly wire.View[] = ['cluster', 'timeline'];

/** Of every cluster. */
export const CLUSTER_VIEWS: readonly wire.View[] = VIEWS.filter((view) => view !== 'playground');
