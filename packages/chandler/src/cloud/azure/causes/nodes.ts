/** Layer 6 on Azure: conditions of a Node about its VM, by which the controller replaces it. */
import { type Cause, conditionOf, seen } from '../../../causes/index.ts';

const SHOW_NODE = 'kubectl describe node {node}';

export const AZURE_NODES: readonly Cause[] = [
  conditionRow(
    'preempted',
    'PreemptionScheduled',
    'True',
    'Azure evicts the spot VM',
    'No action needed: the node is drained and replaced. If it happens too often, allow more VM sizes and zones, or on-demand.',
  ),
  {
    ...conditionRow(
      'unhealthy',
      'kubernetes.azure.com/NodeHealthy',
      'False',
      'AKS reports the node as unhealthy',
      'If node repair is enabled, the node is replaced automatically. Otherwise delete its NodeClaim.',
    ),
    failsContainers: true,
  },
  conditionRow(
    'maintenance',
    'VMEventScheduled',
    'True',
    'Azure has scheduled maintenance of the VM',
    'The message of the condition says what is scheduled. Drain the node beforehand if its pods must not be interrupted.',
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
    symptom: `The condition ${type} of the Node is ${status}.`,
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
