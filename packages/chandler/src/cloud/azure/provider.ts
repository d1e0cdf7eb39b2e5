/** Azure's row of the registry. */
import { AZURE_LABEL_RULES, type LabelRules } from '../../api/index.ts';
import type { CloudProvider } from '../index.ts';

import type { DecorateLaunch } from './launch-steps.ts';
import { azureOptions } from './options/index.ts';
import { createAzureParts } from './parts/create-parts.ts';
import { AZURE_STAGES } from './stages.ts';
import { AZURE_TRAITS } from './traits.ts';

export const azureProvider: CloudProvider = createAzureProvider();

/** With decorators around the steps of a launch, for the playground and suites. */
export function createAzureProvider(decorateLaunch?: DecorateLaunch): CloudProvider {
  return {
    ...AZURE_TRAITS,
    options: azureOptions,
    stages: AZURE_STAGES,
    labelRules: AZURE_LABEL_RULES as LabelRules,
    createParts: (request) => createAzureParts(request, decorateLaunch),
  };
}
