/** Deliberate bugs of disruption, each with the situations in which it is visible. See `deliberate-bugs.ts`. */
import { DISRUPTED_TAINT } from '../../packages/chandler/src/api/index.ts';
import { blind, hiding, type Outgoing, rewriting, swallowing } from './bug-seams.ts';
import type { DeliberateBug } from './deliberate-bug.ts';
import { TURN_MS } from './disruption-workload.ts';
import type { KillableWorld } from './killable-world.ts';

const COMMAND = 'chandler.sh/disruption-command';
const OPEN = '"budgets":[{"nodes":"100%"}]';

export const DISRUPTION_BUGS: readonly DeliberateBug[] = [
  {
    name: 'budgets of NodePools are ignored',
    foundBy: 'disruption budgets',
    scenario: { disruption: ['share'] },
    seams: { kubeFetch: blind(/"budgets":\[[^\]]*\]/g, OPEN) },
  },
  {
    name: 'a budget that is lowered later is not seen',
    foundBy: 'disruption budgets',
    scenario: { disruption: ['closed'] },
    seams: { kubeFetch: blind(/"budgets":\[\{"nodes":"0"\}\]/g, OPEN) },
  },
  {
    name: 'the window of a budget is never open',
    foundBy: 'disruption budgets',
    scenario: { disruption: ['window'] },
    seams: { kubeFetch: blind(/"duration":"30m"/g, '"duration":"0m"') },
  },
  {
    name: 'the share of a budget is rounded up to the next node but one',
    foundBy: 'disruption budgets',
    scenario: { disruption: ['share'] },
    seams: { kubeFetch: blind(/"nodes":"34%"/g, '"nodes":"3"') },
  },
  {
    name: 'the share of a budget is rounded down',
    foundBy: 'convergence',
    scenario: { disruption: ['tenth'] },
    seams: { kubeFetch: blind(/"nodes":"10%"/g, '"nodes":"0"') },
  },
  {
    name: 'PodDisruptionBudgets do not keep a node',
    foundBy: 'nothing blocked is disrupted',
    scenario: { disruption: ['guarded'] },
    seams: { kubeFetch: blind(/"disruptionsAllowed":0/g, '"disruptionsAllowed":9') },
  },
  {
    name: 'do-not-disrupt for a duration does not keep a node',
    foundBy: 'nothing blocked is disrupted',
    scenario: { disruption: ['lasting'] },
    seams: { kubeFetch: blind(/"karpenter\.sh\/do-not-disrupt":"4m"/g, '"ignored":"4m"') },
  },
  {
    name: 'do-not-disrupt on a node does not keep it',
    foundBy: 'nothing blocked is disrupted',
    scenario: { disruption: ['kept'] },
    seams: { kubeFetch: blind(/"karpenter\.sh\/do-not-disrupt":"true"/g, '"ignored":"true"') },
  },
  {
    name: 'the strategy of a Deployment that is rolled is not read',
    foundBy: 'surging pods have successors',
    scenario: { disruption: ['recreated'] },
    seams: { kubeFetch: blind(/"type":"Recreate"/g, '"type":"RollingUpdate"') },
  },
  {
    name: 'validation does not see a pod that was bound after the plan',
    foundBy: 'nothing blocked is disrupted',
    scenario: { disruption: ['visited'] },
    seams: { kubeFetch: hiding(/\/pods$/, /"name":"visitor"/) },
  },
  {
    name: 'validation does not see a price that has changed after the plan',
    foundBy: 'consolidation costs less',
    scenario: { disruption: ['repriced'] },
    seams: { kubeFetch: hiding(/\/nodeoverlays$/, /"price":"0\.5"/) },
  },
  {
    name: 'pods of a consolidated node are not placed',
    foundBy: 'consolidated pods fit',
    scenario: { disruption: ['full'] },
    seams: { kubeFetch: blind(/"cpu":"2900m"/g, '"cpu":"100m"', TURN_MS - 5_000) },
  },
  {
    name: 'a node is deleted before its replacement is initialized',
    foundBy: 'replacement before removal',
    scenario: { disruption: ['drifting'] },
    seams: {
      kubeFetch: blind(
        /"type":"Initialized","status":"(?:Unknown|False)"/g,
        '"type":"Initialized","status":"True"',
      ),
    },
  },
  {
    name: 'the taint of a command stays after its rollback',
    foundBy: 'commands are finished',
    scenario: { disruption: ['failing'] },
    seams: { kubeFetch: (send, world) => rewriting(keepingTaints())(send, world) },
  },
  {
    name: 'the command is not recorded on its NodeClaims',
    foundBy: 'commands are finished',
    scenario: { disruption: ['drifting'] },
    seams: { kubeFetch: rewriting(withoutCommand) },
  },
  {
    name: 'replacements are launched again after a restart',
    foundBy: 'commands are finished',
    scenario: { disruption: ['drifting'], killAtReplacement: true },
    seams: {
      kubeFetch: (send, world) =>
        world.name === 'p1'
          ? send
          : hiding(/\/nodeclaims$/, /"chandler\.sh\/replacement-for"/)(
              rewriting(renamed)(send, world),
              world,
            ),
    },
  },
  {
    name: 'a drifted node is never replaced',
    foundBy: 'convergence',
    scenario: { disruption: ['drifting'] },
    seams: { kubeFetch: swallowing(/"type":"Drifted","status":"True"/) },
  },
];

// ---------------------------------------------------------------------------------------------------

/** A taint of disruption that was written once is written again with every later change of the taints. */
function keepingTaints(): (request: Outgoing) => Partial<Outgoing> | undefined {
  const tainted = new Set<string>();
  return ({ method, path, body }) => {
    const taints = body?.spec?.taints as readonly { readonly key: string }[] | undefined;
    if (method !== 'PATCH' || !/\/nodes\/[^/]+$/.test(path) || taints === undefined) return undefined;
    if (taints.some(({ key }) => key === DISRUPTED_TAINT.key)) tainted.add(path);
    else if (tainted.has(path))
      return { body: { ...body, spec: { ...body.spec, taints: [...taints, DISRUPTED_TAINT] } } };
    return undefined;
  };
}

function withoutCommand({ method, body }: Outgoing): Partial<Outgoing> | undefined {
  if (method !== 'PATCH' || body?.metadata?.annotations?.[COMMAND] === undefined) return undefined;
  const { [COMMAND]: _, ...annotations } = body.metadata.annotations;
  return { body: { ...body, metadata: { ...body.metadata, annotations } } };
}

function renamed({ method, path, body }: Outgoing, { name }: KillableWorld): Partial<Outgoing> | undefined {
  const command = body?.metadata?.annotations?.['chandler.sh/replacement-for'];
  if (method !== 'POST' || !path.endsWith('/nodeclaims') || command === undefined) return undefined;
  return { body: { ...body, metadata: { ...body.metadata, name: `${body.metadata.name}-${name}` } } };
}
