/** All examples, by the id of the check. */
import { ALIGNMENT_EXAMPLES } from './alignment.table.ts';
import { DELIVERY_EXAMPLES } from './delivery.table.ts';
import type { ExampleTable } from './example.ts';
import { NODE_CLASS_EXAMPLES } from './node-classes.table.ts';
import { NODE_POOL_EXAMPLES } from './node-pools.table.ts';
import { TERRAFORM_EXAMPLES } from './terraform.table.ts';
import { VALUES_EXAMPLES } from './values.table.ts';
import { WORKLOAD_EXAMPLES } from './workloads.table.ts';

export const EXAMPLES: ExampleTable = {
  ...ALIGNMENT_EXAMPLES,
  ...DELIVERY_EXAMPLES,
  ...NODE_CLASS_EXAMPLES,
  ...NODE_POOL_EXAMPLES,
  ...TERRAFORM_EXAMPLES,
  ...VALUES_EXAMPLES,
  ...WORKLOAD_EXAMPLES,
};
