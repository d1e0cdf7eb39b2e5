/**
 * Answers of the page load modules, tables of prices and rules of kinds, in turns of the event loop of up to a second. A controller
 * that leads has no time for that: leases and probes wait. So a controller with a page does all of it once while it starts.
 */
import { type World, withoutSecrets } from '@chandler/kube';
import { CATALOGUES, type CloudName } from '../../../cloud/registry.ts';
import { runSimulation } from '../../simulate/run-simulation.ts';
import { STANDARD_INPUT } from '../../simulate/sources.ts';

/** What fails is logged: the controller can do its work, and the page loads what it needs later. */
export async function warmPage(world: World, cloud: CloudName, work = simulateExample): Promise<void> {
  try {
    await work(world, cloud);
  } catch (error) {
    const text = withoutSecrets(error instanceof Error ? error.message : String(error));
    world.log.warn('what the page needs could not be loaded ahead', { error: text });
  }
}

/** Simulates a pod and plans disruption for a NodePool of the cloud, which are in no cluster. */
export async function simulateExample(world: World, cloud: CloudName): Promise<void> {
  const { group, kind } = CATALOGUES.find(({ name }) => name === cloud)!.nodeClasses[0]!;
  await runSimulation({
    files: [STANDARD_INPUT],
    readStandardInput: async () => manifests(group, kind),
    live: undefined,
    catalogue: undefined,
    zones: [],
    pools: [],
    bound: false,
    scheduling: { improveEffort: 0 },
    consolidateAtMs: world.clock.now(),
    validator: async () => {
      const { offlineValidator } = await import('../../../playground/offline-validation.ts');
      return offlineValidator(world);
    },
    complain: () => undefined,
  });
}

// ---------------------------------------------------------------------------------------------------

/** As text, because the parser is loaded, too. */
function manifests(group: string, kind: string): string {
  return `
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: example }
spec:
  template:
    spec:
      nodeClassRef: { group: ${group}, kind: ${kind}, name: example }
      requirements: []
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: example }
spec:
  selector: { matchLabels: { app: example } }
  template:
    metadata: { labels: { app: example } }
    spec:
      containers: [{ name: example, image: example, resources: { requests: { cpu: 100m } } }]
`;
}
