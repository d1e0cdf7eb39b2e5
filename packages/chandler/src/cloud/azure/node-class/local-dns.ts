/**
 * Whether new nodes run the DNS cache. Required and Disabled say so themselves; Preferred means on where nothing
 * prevents it, and once on it stays on while the mode stays Preferred, so that nodes do not flip.
 */
import { rethrowProgramError } from '@chandler/kube';
import type { AKSNodeClass } from '../../../api/index.ts';
import { Condition, type Draft, MINUTE_MS, type Part, type PartResult } from './part.ts';
import { isCurrent } from './usable.ts';

export const LOCAL_DNS_REQUEUE_MS = 5 * MINUTE_MS;
/** From this minor on AKS turns Preferred on. */
export const PREFERRED_FROM_MINOR = 36;

export interface LocalDnsDeps {
  /** Whether the provision mode can set it up at all. */
  readonly supported: () => boolean;
  /** `none` is a network plugin of one's own. */
  readonly networkPlugin: () => string;
  readonly networkPolicy: () => string;
  /** Whether a network policy other than kube-system/konnectivity-agent exists; cilium and calico bring kinds of their own. */
  readonly hasNetworkPolicies: (engine: 'cilium' | 'calico') => Promise<boolean>;
  /** Whether there is a DaemonSet kube-system/node-local-dns. */
  readonly hasNodeLocalDns: () => Promise<boolean>;
}

export function localDnsPart(deps: LocalDnsDeps): Part {
  return {
    name: 'local DNS',
    conditions: [Condition.localDns],
    async reconcile(draft) {
      const mode = draft.nodeClass.spec?.localDNS?.mode;
      if (mode === 'Required') return decide(draft, 'Enabled');
      if (mode !== 'Preferred') return decide(draft, 'Disabled');
      if (draft.status.localDNSState === 'Enabled') return decide(draft, 'Enabled');
      return preferred(deps, draft);
    },
  };
}

// ---------------------------------------------------------------------------------------------------

async function preferred(deps: LocalDnsDeps, draft: Draft): Promise<PartResult> {
  const version = draft.conditions.get(Condition.kubernetesVersion);
  if (!isCurrent(version, draft.nodeClass.metadata.generation))
    return { requeueAfterMs: LOCAL_DNS_REQUEUE_MS };
  try {
    const state = (await speaksAgainst(deps, draft)) ? 'Disabled' : 'Enabled';
    return {
      ...decide(draft, state),
      ...(state === 'Enabled' ? {} : { requeueAfterMs: LOCAL_DNS_REQUEUE_MS }),
    };
  } catch (thrown) {
    rethrowProgramError(thrown);
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    // An API server that does not answer changes nothing about what was decided before.
    if (isCurrent(draft.conditions.get(Condition.localDns), draft.nodeClass.metadata.generation))
      return { requeueAfterMs: LOCAL_DNS_REQUEUE_MS, error };
    draft.conditions.setFalse(
      Condition.localDns,
      'CheckingClusterRequirementsFailed',
      `the controller could not determine whether the cluster supports LocalDNS: ${error.message}`,
    );
    return { requeueAfterMs: LOCAL_DNS_REQUEUE_MS, error };
  }
}

/** Cheap gates first; the last two ask the API server. */
async function speaksAgainst(deps: LocalDnsDeps, { nodeClass, status }: Draft): Promise<boolean> {
  if (!deps.supported() || minorOf(status.kubernetesVersion) < PREFERRED_FROM_MINOR) return true;
  if (deps.networkPlugin().toLowerCase() === 'none' || isUbuntu2004(nodeClass)) return true;
  const engine = deps.networkPolicy().toLowerCase();
  if ((engine === 'cilium' || engine === 'calico') && (await deps.hasNetworkPolicies(engine))) return true;
  return deps.hasNodeLocalDns();
}

/** The one Ubuntu that is certified without an explicit version is too old for it. */
function isUbuntu2004({ spec }: AKSNodeClass): boolean {
  return spec?.fipsMode === 'FIPS' && (spec.imageFamily === undefined || spec.imageFamily === 'Ubuntu');
}

function minorOf(version: string | undefined): number {
  return Number(/^\d+\.(\d+)/.exec(version ?? '')?.[1] ?? 0);
}

function decide(draft: Draft, state: 'Enabled' | 'Disabled'): PartResult {
  draft.status.localDNSState = state;
  draft.conditions.setTrue(Condition.localDns);
  return {};
}
