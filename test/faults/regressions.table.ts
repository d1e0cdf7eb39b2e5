/**
 * Every bug that the fault suite has found, with the seed that found it. Every run of the suite replays the
 * seeds. Where a bug needs a particular combination of faults, the row contains that scenario, so that it
 * stays covered when the random workloads change. Maintained by hand since 2026-11.
 */
import type { CloudName } from './clouds.ts';
import type { FaultScenario } from './fault-scenario.ts';

export interface Regression {
  readonly what: string;
  /** Where it was found. Default: the first of `clouds.ts`. */
  readonly cloud?: CloudName;
  /** The module with the bug. */
  readonly module: string;
  /** The seed that found it; absent when it was found otherwise and the scenario reproduces it. */
  readonly seed?: number;
  /** The checker that found it. */
  readonly foundBy: string;
  readonly since: string;
  readonly scenario?: FaultScenario;
}

export const REGRESSIONS: readonly Regression[] = [
  {
    what: 'A VM that failed after Azure had accepted it was deleted, but its NodeClaim stayed and, if the status update was lost, got a second VM. A deleted VM blocked its whole NodePool.',
    module: 'controllers/lifecycle',
    seed: 14,
    foundBy: 'one VM per NodeClaim',
    since: '2026-11',
    scenario: { cloud: ['os-timeout@count=2'] },
  },
  {
    what: 'For up to five minutes the last event on a pod named a deleted NodeClaim or NodePools that were no longer ready, because a new reason within five minutes was treated as a duplicate.',
    module: 'controllers/provisioning',
    seed: 23,
    foundBy: 'every pod runs or is explained',
    since: '2026-11',
  },
  {
    what: 'Calls that were delayed by a 429 were sent although another 429 had meanwhile extended the delay.',
    module: 'arm',
    seed: 76,
    foundBy: 'rate limits',
    since: '2026-11',
    scenario: { cloud: ['throttle=2@rate=0.3'] },
  },
  {
    what: 'An HTML page with status 200 was parsed as a managed cluster without settings. Nodes were launched with defaults, and all of them drifted after the next read.',
    module: 'arm',
    seed: 83,
    foundBy: 'no writes when stable',
    since: '2026-11',
    scenario: { cloud: ['non-json@rate=0.2'], quiet: true },
  },
  {
    what: 'Pods that were nominated to a node that then disappeared were never scheduled again.',
    module: 'controllers/provisioning',
    seed: 38,
    foundBy: 'every pod runs or is explained',
    since: '2026-11',
  },
  {
    what: 'When the regional core quota was exhausted, a NodeClaim was created and deleted every two seconds while its pods were pending.',
    module: 'cloud/azure/errors',
    foundBy: 'bounded launches',
    since: '2026-11',
    scenario: { cloud: ['quota-regional'] },
  },
  {
    what: 'Only the launch record of the first failed NodeClaim was saved. Every later write failed repeatedly, because the patch had no resource version.',
    module: 'controllers/journeys',
    seed: 6,
    foundBy: 'no errors when stable',
    since: '2026-11',
    scenario: { cloud: ['cse@count=3'], quiet: true },
  },
  {
    what: 'A failed launch updated its NodeClaim, was triggered by its own update and retried at once: ten times a second, without backoff, as long as the failure lasted.',
    module: 'controllers/lifecycle',
    seed: 168,
    foundBy: 'no write loops',
    since: '2026-11',
    scenario: { cloud: ['subnet-full'] },
  },
  {
    what: 'An event that the server rejected was treated as sent, so its pod had no event for five minutes. An event that was delayed carried the time of sending, so an old event looked new.',
    module: 'kube',
    seed: 83,
    foundBy: 'every pod runs or is explained',
    since: '2026-11',
  },
  {
    what: 'A NodeClaim whose creation succeeded without a response was created again under another name when the watch lagged.',
    module: 'controllers/provisioning',
    seed: 416,
    foundBy: 'bounded launches',
    since: '2026-11',
  },
  {
    what: 'A Node that was deleted before its NodeClaim had a provider ID was removed alone. The NodeClaim waited forever for the deleted Node, with an unused VM.',
    module: 'controllers/termination',
    seed: 554,
    foundBy: 'convergence',
    since: '2026-11',
  },
  {
    what: 'A token that expired while the managed cluster was read was treated as a missing permission. Nodes were launched with a guessed network, and all of them drifted after the next read.',
    module: 'cloud/azure/cluster',
    seed: 1931,
    foundBy: 'no writes when stable',
    since: '2026-11',
  },
  {
    what: 'Pods without constraints were planned onto in-flight nodes whose capacity was reserved for other pods. For those pods another VM was launched every ten seconds, until the first was ready.',
    module: 'state',
    seed: 3315,
    foundBy: 'bounded launches',
    since: '2026-11',
  },
  {
    what: 'While the API server was unreachable, the status update of each NodePool was retried every second, without backoff, and an error was logged each time.',
    module: 'controllers/pools',
    seed: 6974,
    foundBy: 'no write loops',
    since: '2026-11',
  },
  {
    what: 'Pods whose matching sizes were unavailable got the event that no instance type has enough resources, as if they had requested too much.',
    module: 'scheduling',
    seed: 2435,
    foundBy: 'every pod runs or is explained',
    since: '2026-11',
  },
  {
    what: 'A disruption command with two replacements, of which only one fitted under the limit of the NodePool by then, created that one before it was rolled back. Until it was deleted the pool exceeded its limit.',
    module: 'controllers/disruption',
    seed: 71230,
    foundBy: 'NodePool limits',
    since: '2026-11',
  },
  {
    what: 'A disruption command with replacements in two NodePools created the first before it saw that the second exceeded the limit of its NodePool. After the rollback the first pool was over its limit.',
    module: 'controllers/disruption',
    seed: 91016,
    foundBy: 'NodePool limits',
    since: '2026-11',
  },
  {
    what: 'Nodes that a disruption command replaced did not count for the limit of their NodePool. When the replacement failed and other NodeClaims had taken its room, the rollback left the pool over its limit.',
    module: 'controllers/provisioning',
    seed: 101445,
    foundBy: 'NodePool limits',
    since: '2026-11',
  },
  {
    what: 'With a limit that allowed no further node, consolidation planned all pods of a spread over hosts onto one node. kube-scheduler compares with the nodes that are being removed, so the pods got new nodes, which were consolidated again, in circles.',
    module: 'scheduling',
    seed: 101100,
    foundBy: 'no disruption in circles',
    since: '2026-11',
  },
  {
    what: 'Two consolidation commands, each planned on top of the other one, were validated without it and rejected in turn, for as long as the cluster existed. They counted for the budgets, so that drifted nodes were not replaced either.',
    module: 'controllers/disruption',
    seed: 90360,
    foundBy: 'convergence',
    since: '2026-11',
  },
  {
    what: 'kube-scheduler placed the pods of a consolidated node otherwise than planned, so that one needed a new node, which was consolidated again, every 36 seconds.',
    module: 'controllers/disruption',
    seed: 111670,
    foundBy: 'no disruption in circles',
    since: '2026-11',
  },
  {
    what: 'A new leader that had been cut off from the API server evicted a pod that had got do-not-disrupt meanwhile: it had the lease again before its pod store.',
    module: 'controllers/termination',
    seed: 111822,
    foundBy: 'drain rules',
    since: '2026-11',
  },
  {
    what: 'When one replacement of a disruption command failed, another one that had no VM yet was launched although the nodes stayed. Its NodePool was over its limit.',
    module: 'controllers/disruption',
    seed: 120176,
    foundBy: 'NodePool limits',
    since: '2026-11',
  },
  {
    what: 'A controller that had been suspended deleted a node whose replacement had been deleted meanwhile: its store still showed the replacement.',
    module: 'controllers/disruption',
    seed: 130323,
    foundBy: 'replacement before removal',
    since: '2026-11',
  },
  {
    what: 'While a watch was 25 seconds behind, five controllers that write the status of one NodePool repeated their writes on the old version: 100 conflicts in a minute.',
    module: 'kube',
    seed: 161322,
    foundBy: 'no write loops',
    since: '2026-11',
  },
  {
    what: 'An instance was stopped before its NodeClaim named it, so that the message about it found no NodeClaim. The claim took the stopped instance and waited for its node for ever.',
    module: 'cloud/aws',
    cloud: 'aws',
    seed: 14553,
    foundBy: 'convergence',
    since: '2026-11',
  },
  {
    what: 'A new process did not know which zone has which ID. During a zonal shift an instance that EC2 did not show counted as gone, and its Node was deleted while the instance existed.',
    module: 'cloud/aws',
    cloud: 'aws',
    seed: 22524,
    foundBy: 'finalizer order',
    since: '2026-11',
  },
  {
    what: 'The removal of an instance profile failed while IAM did not show it yet. The next attempt found nothing, the node class was let go, and the profile stayed.',
    module: 'cloud/aws',
    cloud: 'aws',
    seed: 22966,
    foundBy: 'no leaked resources',
    since: '2026-11',
  },
  {
    what: 'A VM that was created before the refusal of another one, while its key was still enabled, started afterwards and cleared the refusal: launches with the disk encryption set went on and failed.',
    module: 'cloud/azure',
    seed: 180463,
    foundBy: 'a refused disk encryption set holds launches',
    since: '2026-11',
  },
  {
    what: 'A disruption command needed the room that another command of the pass was about to free under the limits of the NodePool. The node was still there, and the command was rolled back.',
    module: 'disruption',
    cloud: 'aws',
    seed: 30175,
    foundBy: 'no errors when stable',
    since: '2026-11',
  },
  {
    what: 'The answer to the deletion of an instance profile was lost. Each further attempt was denied, because a profile that does not exist has no tags that the policy asks for, and the node class was never let go.',
    module: 'cloud/aws',
    cloud: 'aws',
    seed: 30122,
    foundBy: 'convergence',
    since: '2026-11',
  },
  {
    what: 'A NodeClaim lost its finalizer and was gone while its request to launch had no answer. Nothing gave back what the request held, so that its launch templates stayed.',
    module: 'cloud/aws',
    cloud: 'aws',
    seed: 33084,
    foundBy: 'no leaked resources',
    since: '2026-11',
  },
  {
    what: 'Three on-demand nodes and one in a reservation were replaced by a node at the price of the three: the price of the reservation, a ten-millionth, counted as a saving.',
    module: 'disruption',
    cloud: 'aws',
    seed: 30798,
    foundBy: 'consolidation costs less',
    since: '2026-11',
  },
  {
    what: 'After a drifted node of the same workload, launches for pods of a consolidated node were taken for an effect of the drift: the new node was consolidated again, every 36 seconds for five minutes.',
    module: 'controllers/disruption',
    seed: 190602,
    foundBy: 'no disruption in circles',
    since: '2026-11',
  },
  {
    what: 'An EC2NodeClass was deleted while the creation of a NodeClaim was in flight. It lost its finalizer although the NodeClaim used it by then.',
    module: 'cloud/aws',
    cloud: 'aws',
    seed: 34131,
    foundBy: 'finalizer order',
    since: '2026-11',
  },
  {
    what: 'Three NodeClaims of one request were deleted by a new process. The instance that the first one got counted as that of a NodeClaim that was gone, so the third one got none, lost its finalizer, and its instance ran until garbage collection.',
    module: 'cloud/aws',
    cloud: 'aws',
    seed: 41062,
    foundBy: 'finalizer order',
    since: '2026-11',
  },
  {
    what: 'A process that was new asked about an instance that EC2 did not list yet, took it for gone, and removed the finalizer of its Node while the instance ran.',
    module: 'cloud/aws',
    cloud: 'aws',
    seed: 41117,
    foundBy: 'finalizer order',
    since: '2026-11',
  },
  {
    what: 'While a webhook denied the deletion of a drifted node, its replacement was deleted as an empty node. The next attempt deleted the drifted node all the same.',
    module: 'controllers/disruption',
    cloud: 'azure',
    seed: 601282,
    foundBy: 'replacement before removal',
    since: '2026-11',
  },
];
