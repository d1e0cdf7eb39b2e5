/** AWS's row of the registry. */
import { AWS_LABEL_RULES } from '../../api/index.ts';
import type { CloudProvider } from '../index.ts';

import { awsOptions } from './options/index.ts';
import { createAwsParts } from './parts/create-parts.ts';
import { AWS_STAGES } from './stages.ts';
import { awsTraits } from './traits.ts';

export const awsProvider: CloudProvider = {
  ...awsTraits(),
  options: awsOptions,
  stages: AWS_STAGES,
  labelRules: AWS_LABEL_RULES,
  createParts: createAwsParts,
};
