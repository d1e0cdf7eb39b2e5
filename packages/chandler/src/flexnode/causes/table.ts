/** All causes of a flex node that does not become Ready, in the order of equal matches. */
import { type FlexCause, type FoundCause, findFlexCauses } from './cause.ts';
import type { FlexEvidence } from './evidence.ts';
import { AUTHENTICATION } from './rows/authentication.ts';
import { MACHINE } from './rows/machine.ts';
import { NETWORK } from './rows/network.ts';
import { RUNTIME } from './rows/runtime.ts';

export interface FlexCauseTable {
  readonly name: string;
  readonly about: string;
  readonly causes: readonly FlexCause[];
}

export const FLEX_CAUSES: readonly FlexCauseTable[] = [
  { name: 'The machine', about: 'Kernel, settings, ports, disks.', causes: MACHINE },
  {
    name: 'The connection to the cluster',
    about: 'Names, routes, proxies, certificates, the clock.',
    causes: NETWORK,
  },
  { name: 'Identity and permissions', about: 'The Arc agent, tokens, roles, names.', causes: AUTHENTICATION },
  { name: 'Runtime and pod network', about: 'containerd, runc, CNI, and the node itself.', causes: RUNTIME },
];

export function explain(evidence: FlexEvidence): readonly FoundCause[] {
  return findFlexCauses(
    FLEX_CAUSES.flatMap(({ causes }) => causes),
    evidence,
  );
}
