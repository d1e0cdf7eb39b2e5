/**
 * A cluster with its controller in virtual time, in an Azure that allows what the roles of `chandler configure aks` allow, without one
 * action; what happens in it, and what `why` says then. Of Azure, `why` has only what the controller left in the cluster.
 */
// Loaded before time moves.
import '../../packages/chandler/src/cloud/azure/index.ts';
import '../../packages/chandler/src/configure/aks/index.ts';
import { join } from 'node:path';
import type { VirtualWorld } from '@chandler/kube/testing';
import { azureDiagnosis } from '../../packages/chandler/src/cloud/azure/diagnosis.ts';
import type { Explanation, Subject } from '../../packages/chandler/src/diagnose/index.ts';
import type { Playground } from '../../packages/chandler/src/playground/index.ts';
import { runConfigure } from '../configure/configure.fixture.ts';
import { operatorEnvironment } from '../configure/operator-environment.ts';
import {
  askWhy,
  MINUTE_MS,
  POOL,
  pendingPod,
  removeClaim,
  requestReboot,
  startFailure,
} from '../playground/permission-scenarios.ts';
import { type ScenarioHarness, SMALL_CATALOGUE, startUnled } from '../playground/scenario-harness.ts';
import { aController } from '../why/cluster-objects.ts';
import type { ScenarioName } from './permissions.table.ts';

export interface Answer {
  readonly explanation: Explanation;
  /** Calls that Azure denied: `GET /subscriptions/…`. */
  readonly denied: readonly string[];
}

/** What `why` says after this happened without this action. */
export async function whyWithout(action: string | undefined, name: ScenarioName): Promise<Answer> {
  const { args = [], faults = [], byok = false, act } = SCENARIOS[name];
  const harness = await startUnled(
    {
      azure: {
        faults,
        azure: {
          catalogue: SMALL_CATALOGUE,
          configured: false,
          cluster: { workloadIdentity: true },
          ...(byok ? { byok: {} } : {}),
        },
        server: { tokenLifetimeMs: 30 * 24 * 3600_000 },
      },
    },
    args,
    async (playground, world, folder) => {
      const { azure } = playground.azure!;
      if (byok) azure.setClusterDiskEncryptionSet(azure.byok.diskEncryptionSetId);
      await configure(playground, world, folder);
      if (action !== undefined) azure.withhold(action);
    },
  );
  try {
    const started = await startFailure(harness);
    if (started !== undefined && name !== 'start') throw started;
    const stopped = started && stoppedController(started.message);
    const explanation = await askWhy(harness, await act(harness), azureDiagnosis(), stopped);
    return { explanation, denied: deniedCalls(harness.playground) };
  } finally {
    await harness.stop();
  }
}

// ---------------------------------------------------------------------------------------------------------------

interface Scenario {
  readonly args?: readonly string[];
  readonly faults?: readonly string[];
  readonly byok?: true;
  readonly act: (harness: ScenarioHarness) => Promise<Subject>;
}

/** Of the kubelets, in the node resource group. */
const KUBELETS =
  '/subscriptions/00000000-0000-4000-8000-000000000001/resourceGroups/MC_playground_playground_eastus/providers/Microsoft.ManagedIdentity/userAssignedIdentities/playground-agentpool';

const SCENARIOS: Readonly<Record<ScenarioName, Scenario>> = {
  pod: { act: (harness) => pendingPod(harness) },
  running: { act: (harness) => pendingPod(harness).then(() => POOL) },
  deleteClaim: { act: (harness) => pendingPod(harness).then(() => removedClaim(harness)) },
  leftovers: { act: leaveParts },
  neverJoins: { faults: ['never-register'], act: (harness) => pendingPod(harness, 20).then(() => POOL) },
  reboot: { act: requestReboot },
  identities: {
    args: [`--node-identities=${KUBELETS}`],
    act: (harness) => pendingPod(harness),
  },
  encryption: { byok: true, act: (harness) => pendingPod(harness) },
  start: { act: (harness) => pendingPod(harness) },
};

/** As an operator with role Owner does; then the controller has the roles of the new identity instead. */
async function configure({ azure }: Playground, world: VirtualWorld, folder: string): Promise<void> {
  const { arm, azure: own } = azure!;
  const { settings } = arm;
  const env = operatorEnvironment(arm, folder);
  const target = ['-g', settings.clusterResourceGroup, '-n', settings.clusterName];
  const journal = ['--journal', join(folder, 'journal.json')];
  const { fetch } = arm;
  const ran = await runConfigure(['aks', ...target, ...journal, '--apply', '--yes'], { world, env, fetch });
  if (ran.code !== 0) throw new Error(`${ran.err}${ran.out}`);
  const { objectId } = arm.context.tokens.identities()[0]!;
  const made = own.roles.list({ scope: '/' }).filter(({ principalId }) => principalId !== objectId);
  own.roles.revoke(objectId, `/subscriptions/${settings.subscriptionId}`);
  for (const { role, scope } of made) own.roles.assign(objectId, role.guid, scope);
}

async function removedClaim(harness: ScenarioHarness): Promise<Subject> {
  return { kind: 'nodeclaim', name: await removeClaim(harness) };
}

/** Azure has deleted the VM, and neither its disk nor its network interface. */
async function leaveParts(harness: ScenarioHarness): Promise<Subject> {
  await pendingPod(harness);
  const { arm } = harness.playground.azure!;
  const { store } = arm.context;
  const parts = [...arm.resources.list('Microsoft.Compute/disks'), ...arm.resources.nics()].map(({ id }) =>
    structuredClone(store.get(id)!),
  );
  await removeClaim(harness);
  for (const { managedBy: _, ...part } of parts) {
    const { virtualMachine: __, ...properties } = part.properties;
    store.put({ ...part, properties });
  }
  await harness.world.clock.advance(20 * MINUTE_MS);
  return POOL;
}

/** The Deployment of the controller, and a replica that has ended with these words. */
function stoppedController(message: string) {
  return aController({
    ready: 0,
    stopped: { reason: 'CrashLoopBackOff', message: `chandler controller: ${message}` },
  });
}

function deniedCalls({ azure }: Playground): readonly string[] {
  const denied = azure!.arm.resources.calls().filter(({ status }) => status === 403);
  return [...new Set(denied.map(({ method, path }) => `${method} ${path}`))];
}
