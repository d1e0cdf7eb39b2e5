/**
 * Empty nodes, one in every domain that new nodes can be in. With them a spread is judged over all these domains, as the
 * planners see it, and not only over those that have a node in the end.
 */
import type { SchedulingInput } from '../../packages/chandler/src/scheduling/index.ts';
import { choicesOf, claimFinalNode, type FinalNode, type Labels } from '../scheduling/final-nodes.ts';
import { planClaim } from './read-plan.ts';

export function domainNodes(input: SchedulingInput): FinalNode[] {
  return input.pools.flatMap(({ nodePool, instanceTypes }) => {
    const { metadata, spec } = nodePool.spec.template;
    const types =
      typeof instanceTypes === 'string' ? (input.catalogues?.[instanceTypes] ?? []) : instanceTypes;
    return labelSets(spec.requirements).flatMap((own, at) => {
      const claim = planClaim(
        input,
        {
          nodePool: nodePool.metadata.name!,
          labels: { ...metadata?.labels, ...own },
          requirements: spec.requirements,
          instanceTypes: types.map(({ name }) => name),
          pods: [],
          minValuesRelaxed: false,
        },
        at,
      );
      return choicesOf(input, claim).map((choice, number) => {
        const node = claimFinalNode(input, claim, choice);
        return { ...node, name: `${node.name}-domain-${number}` };
      });
    });
  });
}

// ---------------------------------------------------------------------------------------------------

type Requirements = SchedulingInput['pools'][number]['nodePool']['spec']['template']['spec']['requirements'];

/** The values that the requirements list, one of each label at a time. */
function labelSets(requirements: Requirements): Labels[] {
  const listed = requirements.filter(({ operator }) => operator === 'In');
  const longest = Math.max(1, ...listed.map(({ values = [] }) => values.length));
  return Array.from({ length: longest }, (_, at) =>
    Object.fromEntries(listed.map(({ key, values = [] }) => [key, values[at % values.length]!])),
  );
}
