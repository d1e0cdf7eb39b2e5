export type { ConditionedObject } from './conditions/condition-set.ts';
