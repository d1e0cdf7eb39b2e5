/** Layer 6 on Azure: what the node itself says about its machine, by which the controller replaces it. */
import { type Cause, conditionOf, seen } from '../../../causes/index.ts';

const SHOW_NODE = 'kubectl describe node {node}';

export const AZURE_NODES: readonly Cause[] = [
  conditionRow(
    'preempted',
    'PreemptionScheduled',
    'True',
    'Azure takes the spot machine back',
    'Nothing: it is drained and replaced. Allow more sizes and zones, or on-demand, where that comes too often.',
  ),
  conditionRow(
    'unhealthy',
    'kubernetes.azure.com/NodeHealthy',
    'False',
    'AKS finds the node unhealthy',
    'Nothing, where node repair is switched on: it is replaced. Else delete its claim.',
  ),
  conditionRow(
    'maintenance',
    'VMEventScheduled',
    'True',
    'Azure has announced maintenance of the machine',
    'Look at the message; drain the node beforehand if its pods must not be interrupted.',
    'suspicious',
  ),
];

// ---------------------------------------------------------------------------------------------------

function conditionRow(
  name: string,
  type: string,
  status: string,
  title: string,
  fix: string,
  weight: 'broken' | 'suspicious' = 'broken',
): Cause {
  return {
    id: `azure-nodes.${name}`,
    layer: 'scheduling',
    specificity: 'exact',
    title,
    symptom: `The Node has ${type} ${status}.`,
    summary: `${title} ({node}): {problem}`,
    fix,
    confirm: [SHOW_NODE],
    recognise: (evidence) => {
      for (const node of evidence.all('node')) {
        const condition = conditionOf(node, type);
        if (condition?.status !== status) continue;
        return {
          weight,
          facts: { node: node.name, problem: condition.message ?? condition.reason ?? type },
          seen: [seen(node, `${type} is ${status}: ${condition.message ?? ''}`)],
        };
      }
      return undefined;
    },
  };
}
