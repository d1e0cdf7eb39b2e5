/** Which extensions a VM gets, in which order. */
import type { AzureEnvironment } from '../../../arm/index.ts';
import type { ExtensionPlan } from './vm-plan.ts';

/** The script first: billing starts once the node has its configuration. */
export function extensionPlans(
  cseCommand: string | undefined,
  environment: Pick<AzureEnvironment, 'aksBilling'>,
): readonly ExtensionPlan[] {
  return [
    ...(cseCommand === undefined ? [] : [{ kind: 'customScript', command: cseCommand } as const]),
    ...(environment.aksBilling ? [{ kind: 'billing' } as const] : []),
  ];
}
