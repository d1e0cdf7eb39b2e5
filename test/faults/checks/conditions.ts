/**
 * Conditions change only as the table in `packages/chandler/src/api/conditions` allows, with known reasons;
 * the observed generation never decreases.
 */
import { allowedTransition, knownReason } from '../../../packages/chandler/src/api/index.ts';
import type { ObservedChange, ObservedObject } from '../server-state/kube-state.ts';
import type { Check, MakeCheck, View } from './check.ts';

export const conditionTransitions: MakeCheck = (view): Check => ({
  name: 'condition transitions',
  onKube({ kind: of, object, before, type }) {
    const kind = kindOf(view, of);
    if (kind === undefined || type === 'DELETED') return;
    const earlier = before?.metadata.uid === object.metadata.uid ? conditions(before) : new Map();
    const now = conditions(object);
    for (const name of new Set([...earlier.keys(), ...now.keys()])) {
      const [from, to] = [earlier.get(name), now.get(name)];
      const what = `${kind} ${object.metadata.name} ${name}`;
      if (!allowedTransition(kind, name, from?.status ?? 'absent', to?.status ?? 'absent'))
        view.violated(this.name, `${what}: ${from?.status ?? 'absent'} > ${to?.status ?? 'absent'}`);
      if (to !== undefined && !knownReason(kind, name, to.status, to.reason ?? ''))
        view.violated(this.name, `${what}: ${to.status} for the unknown reason ${to.reason}`);
      if ((to?.observedGeneration ?? 0) < (from?.observedGeneration ?? 0) && to !== undefined)
        view.violated(
          this.name,
          `${what}: generation ${from?.observedGeneration} > ${to.observedGeneration}`,
        );
    }
  },
});

// ---------------------------------------------------------------------------------------------------

type Kind = Parameters<typeof knownReason>[0];

/** Undefined: it has no conditions of ours. */
function kindOf({ nodeClasses }: View, of: ObservedChange['kind']): Kind | undefined {
  if (of === 'classes') return nodeClasses.kind as Kind;
  return of === 'claims' ? 'NodeClaim' : of === 'pools' ? 'NodePool' : undefined;
}

interface Seen {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly observedGeneration?: number;
}

function conditions(object: ObservedObject | undefined): Map<string, Seen> {
  return new Map(
    (object?.status?.conditions ?? []).map((each: Seen & { readonly type: string }) => [each.type, each]),
  );
}
