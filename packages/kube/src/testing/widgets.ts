/** A custom resource that no program defines, for tests of what holds for every kind. */
import { resourceRef } from '../client/resources.table.ts';

export const WIDGETS = resourceRef('example.com', 'v1', 'widgets', 'Widget', false);
