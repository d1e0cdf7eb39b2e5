/** What evidence takes from an AKSNodeClass beyond what every node class has. */
import type { KubeObject } from '@chandler/kube';
import type { AKSNodeClass } from '../../../api/index.ts';
import type { NodeClassEvidence } from '../../../causes/index.ts';
import { REFUSED_AT_LAUNCH } from '../disk-encryption/index.ts';

export function nodeClassFacts(
  object: KubeObject | undefined,
): Pick<NodeClassEvidence, 'diskEncryptionSet' | 'findings'> {
  const status = (object as Partial<AKSNodeClass> | undefined)?.status;
  return { diskEncryptionSet: status?.diskEncryptionSet, findings: launchFindings(status?.conditions ?? []) };
}

// ---------------------------------------------------------------------------------------------------

function launchFindings(
  conditions: readonly { readonly status: string; readonly reason?: string; readonly message?: string }[],
): NodeClassEvidence['findings'] {
  return conditions.flatMap(({ status, reason = '', message = '' }) =>
    status === 'False' && message.includes(REFUSED_AT_LAUNCH)
      ? [{ reason, witness: 'launch' as const, message }]
      : [],
  );
}
