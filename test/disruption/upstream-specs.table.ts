/**
 * Specs of Karpenter v1.15's disruption (pkg/controllers/disruption, by test file and name), and the test here about the same
 * behaviour. They were paired by their names; the bodies of the specs were not compared one by one. Specs without a row have
 * no counterpart yet, or none was looked for. Test files are those of packages/chandler/src/disruption.
 */
export const UPSTREAM_SPECS: Readonly<Record<string, readonly (readonly [spec: string, test: string])[]>> = {
  'balanced_adversarial_test.go': [
    [
      'should use source pricing that ignores availability',
      'candidates.test.ts: the price of a node comes from its zone and capacity type, also when nobody can launch it now',
    ],
  ],
  'balanced_integration_test.go': [
    [
      'should reject replacing a well-packed node',
      'spot-and-balanced.test.ts: rejects a move that saves a smaller share than it disrupts',
    ],
    [
      'should choose delete when pods fit on existing nodes',
      'consolidation.test.ts: is deleted when its pods fit on another, and the other stays because it receives them',
    ],
    [
      'should choose replace when pods need a new cheaper node',
      'consolidation.test.ts: is replaced by a cheaper one, and only types below its price are allowed, on spot',
    ],
  ],
  'balanced_scoring_test.go': [
    [
      'should attribute savings proportionally in cross-NodePool scenarios',
      'spot-and-balanced.test.ts: shares the savings of several pools by the price of their nodes, and each Balanced pool must approve',
    ],
    [
      'should reject when any Balanced pool rejects',
      'spot-and-balanced.test.ts: shares the savings of several pools by the price of their nodes, and each Balanced pool must approve',
    ],
  ],
  'balanced_test.go': [
    [
      'should reject a marginal move',
      'spot-and-balanced.test.ts: rejects a move that saves a smaller share than it disrupts',
    ],
    [
      'should reject a well-packed node with zero savings',
      'spot-and-balanced.test.ts: rejects a move that saves a smaller share than it disrupts',
    ],
  ],
  'consolidation_test.go': [
    [
      'can delete nodes',
      'consolidation.test.ts: is deleted when its pods fit on another, and the other stays because it receives them',
    ],
    [
      'can merge 3 nodes into 1 if the candidates have both spot and on-demand',
      'consolidation.test.ts: are replaced by one',
    ],
    [
      'can replace node maintaining zonal topology spread',
      'constraints.test.ts: pods spread over zones stay spread: each node is replaced in its zone',
    ],
    [
      "won't delete node if it would violate pod anti-affinity",
      'constraints.test.ts: pods that must not share a node do not',
    ],
  ],
  'drift_test.go': [
    [
      'should only consider 3 nodes allowed to be disrupted because of budgets',
      'emptiness-and-drift.test.ts: within the budget',
    ],
    ['should respect budgets for multiple nodepools', 'emptiness-and-drift.test.ts: within the budget'],
    [
      'should continue to the next drifted node if the first cannot reschedule all pods',
      'emptiness-and-drift.test.ts: one that cannot be replaced does not hold up the others',
    ],
    [
      'should ignore nodes without the drifted status condition',
      'candidates.test.ts: is a candidate for drift when its claim is Drifted',
    ],
    [
      'should ignore nodes with the drifted status condition set to false',
      'candidates.test.ts: is a candidate for drift when its claim is Drifted',
    ],
    [
      'should ignore nodes with the karpenter.sh/do-not-disrupt annotation set to true',
      'candidates.test.ts: what blocks a node, with the event of Karpenter',
    ],
    [
      'should not create replacements for drifted nodes that have pods with the karpenter.sh/do-not-disrupt annotation set to true',
      'candidates.test.ts: what blocks a node, with the event of Karpenter',
    ],
    [
      "should not create replacements for drifted nodes that have pods with the karpenter.sh/do-not-disrupt annotation set to true when the NodePool's TerminationGracePeriod is not nil",
      'emptiness-and-drift.test.ts: a blocked pod of a claim with a terminationGracePeriod gets no place',
    ],
    [
      "should not create replacements for drifted nodes that have pods with the blocking PDBs when the NodePool's TerminationGracePeriod is not nil",
      'emptiness-and-drift.test.ts: a blocked pod of a claim with a terminationGracePeriod gets no place',
    ],
    [
      'should not drift nodes with pods that have a duration-based do-not-disrupt annotation that is still active',
      'candidates.test.ts: until their duration is over',
    ],
    [
      'should drift nodes with pods that have an invalid do-not-disrupt annotation format',
      'pod-blocks.test.ts: with an invalid value is returned for the event',
    ],
    [
      'should not drift nodes until the longest duration-based do-not-disrupt grace period expires across multiple pods',
      'candidates.test.ts: until their duration is over',
    ],
    [
      'should replace drifted nodes',
      'emptiness-and-drift.test.ts: replaces every drifted node, each with a command of its own, the oldest first, whatever the price',
    ],
    [
      'should drift empty nodes before non-empty nodes',
      'emptiness-and-drift.test.ts: nodes without pods go first, so that no pod moves to one of them',
    ],
    [
      'should drift one non-empty node at a time, starting with the earliest drift',
      'emptiness-and-drift.test.ts: replaces every drifted node, each with a command of its own, the oldest first, whatever the price',
    ],
    [
      'should not consider static nodepool for drift',
      'candidates.test.ts: a static node is a candidate for static drift only',
    ],
  ],
  'emptiness_test.go': [
    [
      'should allow all empty nodes to be disrupted',
      'emptiness-and-drift.test.ts: deletes all empty nodes in one command, the most expensive first',
    ],
    [
      'should allow no empty nodes to be disrupted',
      'emptiness-and-drift.test.ts: takes as many as the budget allows, and pools do not share budgets',
    ],
    [
      'should only allow 3 empty nodes to be disrupted',
      'emptiness-and-drift.test.ts: takes as many as the budget allows, and pools do not share budgets',
    ],
    [
      'should allow 2 nodes from each nodePool to be deleted',
      'emptiness-and-drift.test.ts: takes as many as the budget allows, and pools do not share budgets',
    ],
    [
      'should allow all nodes from each nodePool to be deleted',
      'emptiness-and-drift.test.ts: takes as many as the budget allows, and pools do not share budgets',
    ],
    [
      'can delete empty nodes',
      'emptiness-and-drift.test.ts: deletes all empty nodes in one command, the most expensive first',
    ],
    [
      'should ignore nodes without the consolidatable status condition',
      'candidates.test.ts: what blocks a node, with the event of Karpenter',
    ],
    [
      'should ignore nodes with the karpenter.sh/do-not-disrupt annotation',
      'candidates.test.ts: what blocks a node, with the event of Karpenter',
    ],
    [
      'should ignore nodes that have pods',
      'candidates.test.ts: is a candidate for consolidation and for no other method',
    ],
    [
      'should ignore nodes with the consolidatable status condition set to false',
      'candidates.test.ts: what blocks a node, with the event of Karpenter',
    ],
    [
      'can delete multiple empty nodes',
      'emptiness-and-drift.test.ts: deletes all empty nodes in one command, the most expensive first',
    ],
    [
      'considers pending pods when consolidating',
      'consolidation.test.ts: and a node that pending pods are planned on is no candidate',
    ],
    [
      'will consider a node with a DaemonSet pod as empty',
      'costs.test.ts: is 1 without pods that move: DaemonSet pods and finished pods do not',
    ],
    [
      'will consider a node with terminating Deployment pods as empty',
      'costs.test.ts: counts a terminating pod of a StatefulSet, which comes back, and no other terminating pod',
    ],
    [
      'will not consider a node with a terminating StatefulSet pod as empty',
      'costs.test.ts: counts a terminating pod of a StatefulSet, which comes back, and no other terminating pod',
    ],
    [
      'should not consolidate static NodePool nodes',
      'candidates.test.ts: what blocks a node, with the event of Karpenter',
    ],
    [
      'should not disrupt a node that hosts virtual buffer pods',
      'candidates.test.ts: buffer pods keep a node from emptiness, also when it is not empty',
    ],
    [
      'should not consider a node with real pods AND buffer pods as empty',
      'candidates.test.ts: buffer pods keep a node from emptiness, also when it is not empty',
    ],
  ],
  'repair_terminatefirst_test.go': [
    [
      'should issue a delete-only command for a static NodePool at its node limit',
      'terminate-first.test.ts: replaces nodes of static NodePools one for one, within limits.nodes',
    ],
    [
      'should replace-first for a static NodePool below its node limit',
      'terminate-first.test.ts: replaces nodes of static NodePools one for one, within limits.nodes',
    ],
    [
      'does not terminate-first a static NodePool at its limit when TerminateFirstRepair is disabled',
      'terminate-first.test.ts: replaces nodes of static NodePools one for one, within limits.nodes',
    ],
    [
      'does not terminate-first when TerminateFirstRepair is disabled',
      'terminate-first.test.ts: deletes first with its own gate, also for pods that may not be evicted',
    ],
    [
      'should issue a delete-only command for a reserved NodePool whose reservation is full with no fallback',
      'terminate-first.test.ts: deletes first with its own gate, also for pods that may not be evicted',
    ],
    [
      'should carry a blocking pod in the terminate-first plan for a reserved NodePool whose reservation is full',
      'terminate-first.test.ts: deletes first with its own gate, also for pods that may not be evicted',
    ],
    [
      'replaces-first for a static NodePool below its limit even when TerminateFirstRepair is disabled',
      'terminate-first.test.ts: deletes first with its own gate, also for pods that may not be evicted',
    ],
    [
      'does not terminate-first when only the drift gate is on',
      'terminate-first.test.ts: deletes first with its own gate, also for pods that may not be evicted',
    ],
    [
      'should replace-first regardless of the reservation when TerminateFirstRepair is disabled',
      'terminate-first.test.ts: deletes first with its own gate, also for pods that may not be evicted',
    ],
  ],
  'repair_test.go': [
    [
      'should delete an empty unhealthy node without pre-spinning a replacement',
      'repair.test.ts: deletes an unhealthy node without pods',
    ],
    [
      'should commit an in-place reboot (no replacement, no termination) for a RebootNode policy',
      'repair.test.ts: launches nothing and moves nothing, and the price stays',
    ],
    [
      "should inherit the NodeClaim's TGP as the reboot bound when the policy sets none",
      'repair.test.ts: the bound is the shorter one of the claim and the policy',
    ],
    [
      'should escalate to replacement when the fault recurs after two successful reboots',
      'repair.test.ts: becomes a replacement after two reboots in a day',
    ],
    [
      'should reboot again once earlier reboots age out of the window',
      'repair.test.ts: becomes a replacement after two reboots in a day',
    ],
    [
      'should not repair before the toleration duration elapses',
      'repair.test.ts: waits for the toleration, from the transition and not before the node was created',
    ],
    [
      'should use a matching reason-specific policy instead of the fallback',
      'repair.test.ts: a policy for the reason comes before the fallback, which serves every listed condition',
    ],
    [
      'should suppress an eligible fallback while a matching reason-specific policy is waiting',
      'repair.test.ts: a policy for the reason that still waits holds the fallback back',
    ],
    [
      'should use the condition fallback for an unknown reason',
      'repair.test.ts: a policy for the reason comes before the fallback, which serves every listed condition',
    ],
    [
      'should not repair a node carrying the do-not-repair annotation',
      'repair.test.ts: is vetoed by do-not-repair "true", which is reported once a policy is due',
    ],
    [
      'should not reboot a node carrying the do-not-repair annotation',
      'repair.test.ts: is vetoed by do-not-repair, too',
    ],
    [
      'should report the do-not-repair veto ahead of an unbounded drain',
      'repair.test.ts: the veto is named before the missing bound',
    ],
    [
      "should not report the do-not-repair veto while the node is still within its policy's toleration",
      'repair.test.ts: is vetoed by do-not-repair "true", which is reported once a policy is due',
    ],
    [
      'should still repair a node carrying only the do-not-disrupt annotation',
      'repair.test.ts: ignores do-not-disrupt of the node, not a nomination, a deletion or a reboot',
    ],
    [
      'should still repair a node whose do-not-repair annotation is not "true"',
      'repair.test.ts: is vetoed by do-not-repair "true", which is reported once a policy is due',
    ],
    [
      'should not repair when the disruption budget is zero',
      'repair.test.ts: waits for the budget of the reason Unhealthy, for which nodes that are not ready do not count',
    ],
    [
      'should repair with the full policy decision once a blocking budget lifts',
      'repair.test.ts: waits for the budget of the reason Unhealthy, for which nodes that are not ready do not count',
    ],
    [
      'should stop repairing a NodePool when more than 20% of its nodes are unhealthy',
      'repair.test.ts: stops in a NodePool of which more than a fifth is unhealthy, rounded up, also by conditions that wait',
    ],
    [
      'should round the repair circuit-breaker threshold up for small NodePools',
      'repair.test.ts: stops in a NodePool of which more than a fifth is unhealthy, rounded up, also by conditions that wait',
    ],
    [
      'should repair the higher-priority condition first',
      'repair.test.ts: goes by score: priority, and half an hour of waiting for each step of it',
    ],
    [
      'should break a tie by node name between candidates resolved at different times',
      'repair.test.ts: goes by score: priority, and half an hour of waiting for each step of it',
    ],
    [
      'should not score a node using a matching policy whose toleration has not elapsed',
      'repair.test.ts: goes by score: priority, and half an hour of waiting for each step of it',
    ],
    [
      'should resolve the governing condition using only policies matching its reason',
      'repair.test.ts: a policy for the reason comes before the fallback, which serves every listed condition',
    ],
    [
      'should order a node by its most urgent condition, not just its highest-priority one',
      'repair.test.ts: goes by score: priority, and half an hour of waiting for each step of it',
    ],
    [
      'should stamp min(policy TGP, NodeClaim TGP) before requesting deletion',
      'repair.test.ts: the bound is the shorter one of the claim and the policy',
    ],
    [
      'should act on and meter the highest-priority eligible condition',
      'repair.test.ts: a more disruptive action and the shortest drain of all matches win',
    ],
    [
      'should not bypass a blocking pod without a bounded drain',
      'repair.test.ts: needs a bound for its drain, of the claim or of the policy',
    ],
    [
      'should size replacement capacity for a blocking pod when the drain is bounded',
      'repair.test.ts: launches room for the pods that are blocked, too',
    ],
    [
      'should repair a static NodePool with a one-for-one replacement from the same pool',
      'terminate-first.test.ts: replaces nodes of static NodePools one for one, within limits.nodes',
    ],
    [
      'should honor a static NodePool node limit before reserving replacement capacity',
      'terminate-first.test.ts: replaces nodes of static NodePools one for one, within limits.nodes',
    ],
    [
      'should explicitly exclude standalone NodeClaims that have no safe replacement template',
      'repair.test.ts: is not possible for a claim without a NodePool',
    ],
    [
      'should not repair a node whose condition does not match any policy',
      'repair.test.ts: is off without policies, and leaves conditions alone that no policy names',
    ],
    [
      'should not repair when the NodeRepair feature gate is disabled',
      'repair.test.ts: is off without policies, and leaves conditions alone that no policy names',
    ],
    [
      'should repair an unhealthy node that never initialized',
      'repair.test.ts: needs no budget for a node that never initialized, and uses none',
    ],
    [
      'should not repair a node that never registered',
      'repair.test.ts: needs no budget for a node that never initialized, and uses none',
    ],
    [
      'should repair without disruption budget',
      'repair.test.ts: needs no budget for a node that never initialized, and uses none',
    ],
    [
      'should not consume disruption budget for initialized nodes',
      'repair.test.ts: needs no budget for a node that never initialized, and uses none',
    ],
    [
      'should measure the toleration from when the last reboot finished',
      'repair.test.ts: the toleration begins anew when a reboot has ended',
    ],
    [
      'should not repair a rebooting node',
      'repair.test.ts: ignores do-not-disrupt of the node, not a nomination, a deletion or a reboot',
    ],
    [
      'should repair a node nominated for pending pods',
      'repair.test.ts: needs no budget for a node that never initialized, and uses none',
    ],
  ],
  'singlenodeconsolidation_test.go': [
    [
      'should sort candidates by savings ratio descending',
      'costs.test.ts: nodes are ordered by price saved per disruption, then by disruption, then by name, whatever their order',
    ],
    [
      'should sort candidates by savings ratio with different disruption costs',
      'costs.test.ts: nodes are ordered by price saved per disruption, then by disruption, then by name, whatever their order',
    ],
  ],
  'staticdrift_test.go': [
    [
      'should respect disruption budgets (Nodes Count) for static drift',
      'emptiness-and-drift.test.ts: replaces one for one from the template, within the budget',
    ],
    [
      'should not drift nodes when we cannot acquire limits',
      'emptiness-and-drift.test.ts: as far as limits.nodes leaves room',
    ],
    [
      'should drift nodes when we can acquire limits',
      'emptiness-and-drift.test.ts: as far as limits.nodes leaves room',
    ],
    [
      'should drift partially when we can acquire some limits',
      'emptiness-and-drift.test.ts: as far as limits.nodes leaves room',
    ],
    [
      'should wait until nodes are deprovisioned when we are overscaled',
      'emptiness-and-drift.test.ts: not while there are more nodes than replicas',
    ],
    [
      'should ignore nodes without the drifted status condition',
      'candidates.test.ts: a static node is a candidate for static drift only',
    ],
    [
      'should ignore nodes with the drifted status condition set to false',
      'candidates.test.ts: a static node is a candidate for static drift only',
    ],
    [
      'should ignore nodes with the karpenter.sh/do-not-disrupt annotation',
      'candidates.test.ts: what blocks a node, with the event of Karpenter',
    ],
  ],
  'suite_test.go': [
    [
      'should not consider nodes that are not managed as part of disruption count',
      'budgets.test.ts: are initialized or rebooting, and their instance is not terminating',
    ],
    [
      'should not consider nodes that are not initialized as part of disruption count',
      'budgets.test.ts: are initialized or rebooting, and their instance is not terminating',
    ],
    [
      'should not consider nodes that have the terminating status condition as part of disruption count',
      'budgets.test.ts: are initialized or rebooting, and their instance is not terminating',
    ],
    [
      'should consider nodes with a deletion timestamp set and MarkedForDeletion to the disruption count',
      'budgets.test.ts: are disrupting when deleted, in a command, rebooting, or not ready; not ready does not count for repair',
    ],
    [
      'should consider not ready nodes to the disruption count',
      'budgets.test.ts: are disrupting when deleted, in a command, rebooting, or not ready; not ready does not count for repair',
    ],
    [
      'should not consider not ready nodes for the Unhealthy repair budget',
      'budgets.test.ts: are disrupting when deleted, in a command, rebooting, or not ready; not ready does not count for repair',
    ],
    [
      'should still consider marked-for-deletion nodes for the Unhealthy repair budget',
      'budgets.test.ts: are disrupting when deleted, in a command, rebooting, or not ready; not ready does not count for repair',
    ],
    [
      'should consider rebooting nodes to the disruption count for all reasons, while draining and once issued',
      'budgets.test.ts: are disrupting when deleted, in a command, rebooting, or not ready; not ready does not count for repair',
    ],
    [
      'should have a standard disruptionCost for a pod with no priority or disruptionCost specified',
      'costs.test.ts: the eviction cost of a pod',
    ],
    [
      'should have a higher disruptionCost for a pod with a positive deletion disruptionCost',
      'costs.test.ts: the eviction cost of a pod',
    ],
    [
      'should have a lower disruptionCost for a pod with a positive deletion disruptionCost',
      'costs.test.ts: the eviction cost of a pod',
    ],
    ['should have higher costs for higher deletion costs', 'costs.test.ts: the eviction cost of a pod'],
    [
      'should have a higher disruptionCost for a pod with a higher priority',
      'costs.test.ts: the eviction cost of a pod',
    ],
    [
      'should have a lower disruptionCost for a pod with a lower priority',
      'costs.test.ts: the eviction cost of a pod',
    ],
    ['should prefer disruption-cost over pod-deletion-cost', 'costs.test.ts: the eviction cost of a pod'],
    [
      'should prefer disruption-cost over pod-deletion-cost when the gate is on',
      'costs.test.ts: leaves out pod-deletion-cost where the controller writes it',
    ],
    [
      'should ignore pod-deletion-cost for consolidation scoring when the gate is on',
      'costs.test.ts: leaves out pod-deletion-cost where the controller writes it',
    ],
    [
      'should fall back to pod-deletion-cost for consolidation scoring when the gate is off',
      'costs.test.ts: the eviction cost of a pod',
    ],
    [
      'should not consider candidates that have do-not-disrupt pods scheduled and no terminationGracePeriod',
      'candidates.test.ts: do not block drift of a claim with a terminationGracePeriod, and do block consolidation of it',
    ],
    [
      'should not consider candidates that have do-not-disrupt mirror pods scheduled',
      'candidates.test.ts: also when a DaemonSet or the kubelet runs them, but not when they are over',
    ],
    [
      'should not consider candidates that have do-not-disrupt daemonset pods scheduled',
      'candidates.test.ts: also when a DaemonSet or the kubelet runs them, but not when they are over',
    ],
    [
      'should consider candidates that have do-not-disrupt pods scheduled with a terminationGracePeriod set for eventual disruption',
      'candidates.test.ts: do not block drift of a claim with a terminationGracePeriod, and do block consolidation of it',
    ],
    [
      'should consider candidates that have PDB-blocked pods scheduled with a terminationGracePeriod set for eventual disruption',
      'candidates.test.ts: do not block drift of a claim with a terminationGracePeriod, and do block consolidation of it',
    ],
    [
      'should not consider candidates that have do-not-disrupt pods scheduled with a terminationGracePeriod set for graceful disruption',
      'candidates.test.ts: do not block drift of a claim with a terminationGracePeriod, and do block consolidation of it',
    ],
    [
      'should not consider candidates that have PDB-blocked pods scheduled with a terminationGracePeriod set for graceful disruption',
      'candidates.test.ts: do not block drift of a claim with a terminationGracePeriod, and do block consolidation of it',
    ],
    [
      'should not consider candidates that have do-not-disrupt pods scheduled without a terminationGracePeriod set for eventual disruption',
      'candidates.test.ts: do not block drift of a claim with a terminationGracePeriod, and do block consolidation of it',
    ],
    [
      'should not consider candidates that have PDB-blocked pods scheduled without a terminationGracePeriod set for eventual disruption',
      'candidates.test.ts: do not block drift of a claim with a terminationGracePeriod, and do block consolidation of it',
    ],
    [
      'should consider candidates that have do-not-disrupt terminating pods',
      'candidates.test.ts: also when a DaemonSet or the kubelet runs them, but not when they are over',
    ],
    [
      'should consider candidates that have do-not-disrupt terminal pods',
      'candidates.test.ts: also when a DaemonSet or the kubelet runs them, but not when they are over',
    ],
    [
      'should not consider candidates that have do-not-disrupt on nodes',
      'candidates.test.ts: what blocks a node, with the event of Karpenter',
    ],
    [
      'should not consider candidates that have multiple PDBs on the same pod',
      'candidates.test.ts: what blocks a node, with the event of Karpenter',
    ],
    [
      'should not consider candidates that have fully blocking PDBs',
      'candidates.test.ts: what blocks a node, with the event of Karpenter',
    ],
    [
      'should consider candidates that have fully blocking PDBs on mirror pods',
      'candidates.test.ts: a budget does not count for pods that a drain leaves alone',
    ],
    [
      'should not consider candidates that have do-not-disrupt pods without a terminationGracePeriod set for graceful disruption',
      'candidates.test.ts: do not block drift of a claim with a terminationGracePeriod, and do block consolidation of it',
    ],
    [
      'should not consider candidates that have fully blocking PDBs without a terminationGracePeriod set for graceful disruption',
      'candidates.test.ts: do not block drift of a claim with a terminationGracePeriod, and do block consolidation of it',
    ],
    [
      'should consider candidates that have fully blocking PDBs on terminal pods',
      'candidates.test.ts: a budget does not count for pods that a drain leaves alone',
    ],
    [
      'should consider candidates that have fully blocking PDBs on terminating pods',
      'candidates.test.ts: a budget does not count for pods that a drain leaves alone',
    ],
    [
      'should not consider candidates that has just a Node representation',
      'candidates.test.ts: what blocks a node, with the event of Karpenter',
    ],
    [
      'should not consider candidate that has just a NodeClaim representation',
      'candidates.test.ts: what blocks a node, with the event of Karpenter',
    ],
    [
      'should not consider candidates that are nominated',
      'candidates.test.ts: what blocks a node, with the event of Karpenter',
    ],
    [
      'should not consider candidates that are deleting',
      'candidates.test.ts: what blocks a node, with the event of Karpenter',
    ],
    [
      'should not consider candidates that are MarkedForDeletion',
      'candidates.test.ts: what blocks a node, with the event of Karpenter',
    ],
    [
      "should not consider candidates that aren't yet initialized",
      'candidates.test.ts: what blocks a node, with the event of Karpenter',
    ],
    [
      "should not consider candidates that registered but aren't yet initialized",
      'candidates.test.ts: what blocks a node, with the event of Karpenter',
    ],
    [
      'should not consider candidates that are not owned by a NodePool (no karpenter.sh/nodepool label)',
      'candidates.test.ts: what blocks a node, with the event of Karpenter',
    ],
    [
      'should not consider candidates that are have a non-existent NodePool',
      'candidates.test.ts: what blocks a node, with the event of Karpenter',
    ],
    [
      'should not consider candidates that are actively being processed in the queue',
      'candidates.test.ts: what blocks a node, with the event of Karpenter',
    ],
  ],
  'terminatefirst_test.go': [
    [
      'issues a delete-only command for a static NodePool at its node limit when TerminateFirstDrift is enabled',
      'terminate-first.test.ts: at the limit of nodes is deleted first, within budgets',
    ],
    [
      'blocks instead of terminating first when the static NodePool at its node limit is NotReady',
      'terminate-first.test.ts: at the limit stays without the gate, and when its pool is not ready or is being deleted',
    ],
    [
      'replaces-first for a static NodePool below its node limit even when TerminateFirstDrift is enabled',
      'terminate-first.test.ts: below the limit is replaced first, and those without room wait',
    ],
    [
      'replaces-first for a static NodePool when TerminateFirstDrift is disabled',
      'terminate-first.test.ts: below the limit is replaced first, and those without room wait',
    ],
    [
      'issues a delete-only command when the reservation is full',
      'terminate-first.test.ts: is deleted first if it holds a place in one, before nodes that hold none',
    ],
    [
      "still drifts other static NodePools when one NodePool's instance types can't be resolved",
      'terminate-first.test.ts: a pool whose instance types are not known does not stop the others',
    ],
    [
      "replaces-first when the template's on-demand offerings are unavailable",
      'terminate-first.test.ts: is replaced first if one has room, other capacity is allowed, or the gate is off',
    ],
    [
      "terminates first the candidate holding an offered reservation slot ahead of those that don't",
      'terminate-first.test.ts: is deleted first if it holds a place in one, before nodes that hold none',
    ],
    [
      'blocks a non-reserved node carrying a stale reservation label when the reservations are full',
      'terminate-first.test.ts: stays if it holds none, if its label is stale, or if its reservation is not offered',
    ],
    [
      'blocks a node whose reservation is no longer offered when the reservations are full',
      'terminate-first.test.ts: stays if it holds none, if its label is stale, or if its reservation is not offered',
    ],
    [
      'replaces-first when the reservation has capacity',
      'terminate-first.test.ts: is replaced first if one has room, other capacity is allowed, or the gate is off',
    ],
    [
      'replaces-first regardless of the reservation when TerminateFirstDrift is disabled',
      'terminate-first.test.ts: below the limit is replaced first, and those without room wait',
    ],
    [
      'only terminates reserved candidates first when the reservation is full',
      'terminate-first.test.ts: is deleted first if it holds a place in one, before nodes that hold none',
    ],
    [
      'issues a delete-only command when the reservation is full and there is no fallback',
      'terminate-first.test.ts: is deleted first when its pods fit in the place that it frees',
    ],
    [
      'does NOT terminate-first when more reschedulable pods need the reservation than the freed slot can hold',
      'terminate-first.test.ts: stays when its pods need more than the place that it frees',
    ],
    [
      'does NOT terminate-first when the reservation is full AND otherwise unavailable (something else wrong)',
      'terminate-first.test.ts: stays when the reservation is not offered any more',
    ],
    [
      'does NOT drift when TerminateFirstDrift is disabled and the reservation is full with no fallback (Blocked)',
      'terminate-first.test.ts: stays without the gate, and with the gate of repair alone',
    ],
    [
      'replaces-first when the reservation is full but an on-demand fallback exists',
      'terminate-first.test.ts: is replaced first when the reservation has room, or other capacity is allowed',
    ],
    [
      'replaces-first when the reservation still has a spare slot',
      'terminate-first.test.ts: is replaced first when the reservation has room, or other capacity is allowed',
    ],
    [
      'weighted: a full-but-healthy reserved NodePool replaces-first onto a lower-weight on-demand NodePool (does NOT terminate-first)',
      'terminate-first.test.ts: is replaced first by a node of another NodePool',
    ],
    [
      'weighted: an unavailable reserved NodePool replaces-first onto a lower-weight on-demand NodePool',
      'terminate-first.test.ts: is replaced first by a node of another NodePool',
    ],
  ],
};
