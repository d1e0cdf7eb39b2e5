/**
 * The specs of Karpenter v1.15's disruption (pkg/controllers/disruption, by test file and name; an entry of a table has the name
 * of its table before it), and the test here that shows the same behaviour. The scenarios were compared one by one. Paths are
 * from the root; those without a folder are in packages/chandler/src/disruption.
 */
type Rows<T extends string> = Readonly<Record<string, readonly (readonly [spec: string, of: T])[]>>;

export const UPSTREAM_SPECS: Rows<string> = {
  'balanced_adversarial_test.go': [
    [
      'should not allow NaN price to poison NodePool totals',
      'test/disruption/balanced.test.ts: are not spoiled by a price that is no number',
    ],
    [
      'should populate perPool entries for all pools even on early return',
      'test/disruption/balanced.test.ts: of two Balanced pools: both are scored, also when the first rejects',
    ],
    [
      'should sum candidate costs correctly with nil instanceType',
      'test/disruption/balanced.test.ts: count the disruption of nodes of unknown price',
    ],
    [
      'should use source pricing that ignores availability',
      'candidates.test.ts: the price of a node comes from its zone and capacity type, also when nobody can launch it now',
    ],
    [
      'should approve single-node pool DELETE with expected scoring',
      'test/disruption/balanced.test.ts: approve the deletion of the only node',
    ],
  ],
  'balanced_integration_test.go': [
    [
      'should approve replacing an oversized node',
      'test/disruption/balanced.test.ts: has its oversized node replaced, and the approval has the numbers',
    ],
    [
      'should reject replacing a well-packed node',
      'test/disruption/balanced.test.ts: keeps its well packed node of the cheapest type',
    ],
    [
      'should approve consolidating multiple underutilized nodes',
      'test/disruption/balanced.test.ts: has several nodes that are hardly used consolidated',
    ],
    [
      'should block disruption when budget is 0%',
      'test/disruption/balanced.test.ts: keeps its node where the budget is closed, and nothing is approved',
    ],
    [
      'should consolidate empty nodes before non-empty nodes when budget is limited',
      'test/disruption/budgets-and-empty.test.ts: comes before nodes with pods where the budget is one, also with the policy Balanced',
    ],
    [
      'should choose delete when pods fit on existing nodes',
      'test/disruption/balanced.test.ts: deletes a node whose pods fit on another, and saves its whole price',
    ],
    [
      'should choose replace when pods need a new cheaper node',
      'test/disruption/balanced.test.ts: replaces a node by a cheaper one, and saves the difference',
    ],
    [
      'should select highest-ratio candidates first when nodes have heterogeneous prices and pod counts',
      'test/disruption/balanced.test.ts: takes the best of several, and the worst is not before it',
    ],
    [
      'should apply scoring to Balanced pools while non-Balanced pools consolidate normally',
      'test/disruption/balanced.test.ts: is scored while another NodePool is not',
    ],
  ],
  'balanced_scoring_test.go': [
    [
      'should produce totals from ALL candidates, not just a filtered subset',
      'test/disruption/balanced.test.ts: count all nodes, also those that are no candidates',
    ],
    [
      'should accumulate disruption from zero-priced candidates',
      'test/disruption/balanced.test.ts: count the disruption of nodes of unknown price',
    ],
    [
      'should skip non-Balanced pools and approve unconditionally',
      'test/disruption/balanced.test.ts: are not asked for other policies',
    ],
    [
      'should reject when candidate NodePool is missing from totals map',
      'test/disruption/balanced.test.ts: that are not known approve no move',
    ],
    [
      'should approve a delete command for a single Balanced NodePool',
      'test/disruption/balanced.test.ts: approve the deletion of one of ten equal nodes',
    ],
    [
      'should attribute savings proportionally in cross-NodePool scenarios',
      'test/disruption/balanced.test.ts: of two pools: savings are shared, and only the Balanced one is scored',
    ],
    [
      'should reject when any Balanced pool rejects',
      'test/disruption/balanced.test.ts: of two Balanced pools: both are scored, also when the first rejects',
    ],
    [
      'should return 0 for nil instanceType',
      'test/disruption/balanced.test.ts: the price of a node is that of its offering, and 0 where its type is not known',
    ],
    [
      'should return the offering price for a valid instanceType',
      'test/disruption/balanced.test.ts: the price of a node is that of its offering, and 0 where its type is not known',
    ],
    [
      'should compute expected ratios for different configurations',
      'test/disruption/balanced.test.ts: the ratio of a node is its price for its disruption',
    ],
    [
      'should compute correct scores: high savings low disruption',
      'test/disruption/balanced.test.ts: high savings for low disruption',
    ],
    ['should compute correct scores: equal fractions', 'test/disruption/balanced.test.ts: equal shares'],
    [
      'should compute correct scores: low savings high disruption',
      'test/disruption/balanced.test.ts: low savings for high disruption',
    ],
    [
      'should compute correct scores: zero disruption cost',
      'test/disruption/balanced.test.ts: no disruption',
    ],
    ['should compute correct scores: zero savings', 'test/disruption/balanced.test.ts: no savings'],
    ['should compute correct scores: negative savings', 'test/disruption/balanced.test.ts: a loss'],
    [
      'should REJECT a move when EstimatedSavings excludes spot offerings for an on-demand-only NodePool',
      'test/disruption/balanced.test.ts: rejects a replacement whose cheap spot offering the NodePool does not allow',
    ],
    [
      'should accept Balanced candidates',
      'test/disruption/balanced.test.ts: has its oversized node replaced, and the approval has the numbers',
    ],
    [
      'should accept WhenEmptyOrUnderutilized candidates',
      'test/disruption/replace.test.ts: is replaced by a cheaper one',
    ],
    [
      'should sort Balanced candidates by savings ratio (highest first)',
      'test/disruption/balanced.test.ts: is that of savings for disruption with the policy %s',
    ],
    [
      'should sort non-Balanced candidates by savings ratio descending',
      'test/disruption/balanced.test.ts: is the same for equal prices: fewer pods first',
    ],
    [
      'should sort all candidates by savings ratio when any uses Balanced',
      'test/disruption/balanced.test.ts: is one order for all policies',
    ],
    [
      'should emit approved event for approved pool results',
      'test/controllers/disruption-metrics.test.ts: an approved move of a Balanced NodePool has an event and counts',
    ],
    [
      'should not emit events for rejected pool results',
      'test/controllers/disruption-metrics.test.ts: a rejected move of a Balanced NodePool has no event of approval',
    ],
    [
      'should skip pools missing from perPoolResults',
      'test/disruption/balanced.test.ts: is scored while another NodePool is not',
    ],
  ],
  'balanced_test.go': [
    [
      'should approve an oversized node consolidation',
      'test/disruption/balanced.test.ts: of an oversized node',
    ],
    ['should approve a spare capacity delete', 'test/disruption/balanced.test.ts: of spare capacity'],
    ['should reject a marginal move', 'test/disruption/balanced.test.ts: that is marginal'],
    [
      'should reject a well-packed node with zero savings',
      'test/disruption/balanced.test.ts: of a well packed node that saves nothing',
    ],
    [
      'should approve a replace in a uniform pool',
      'test/disruption/balanced.test.ts: in a pool of equal nodes is approved',
    ],
    [
      'should approve low-disruption nodes and reject high-disruption nodes',
      'test/disruption/balanced.test.ts: is approved for a node with few pods and rejected for one with many',
    ],
    [
      'should produce the same score regardless of pool size',
      'test/disruption/balanced.test.ts: scores the same in a pool ten times as large',
    ],
    [
      'should approve with +Inf score when move disruption is zero and savings positive',
      'test/disruption/balanced.test.ts: that disrupts nothing scores without limit',
    ],
    [
      'should reject when both savings and disruption are zero',
      'test/disruption/balanced.test.ts: that disrupts and saves nothing is rejected',
    ],
    [
      'should reject when nodepool cost is zero',
      'test/disruption/balanced.test.ts: of a price of nothing approve no move',
    ],
    [
      'should approve when move disruption is zero (division by zero guard)',
      'test/disruption/balanced.test.ts: that disrupts nothing scores without limit',
    ],
    ['should reject at k=2 for a marginal move', 'test/disruption/balanced.test.ts: that is marginal'],
    [
      'should produce identical scores for proportionally equivalent moves',
      'test/disruption/balanced.test.ts: scores the same on demand and on spot if its shares are the same',
    ],
    [
      'should be true for Balanced policy',
      'test/disruption/balanced.test.ts: approve the deletion of one of ten equal nodes',
    ],
    [
      'should be false for WhenEmptyOrUnderutilized policy',
      'test/disruption/balanced.test.ts: are not asked for other policies',
    ],
    [
      'should be false for WhenEmpty policy',
      'test/disruption/balanced.test.ts: are not asked for other policies',
    ],
  ],
  'consolidation_test.go': [
    [
      'should not fire an event for ConsolidationDisabled when the NodePool has consolidation set to WhenEmptyOrUnderutilized',
      'test/disruption/budgets-and-empty.test.ts: is not published for a node that may be consolidated',
    ],
    [
      'should fire an event for ConsolidationDisabled when the NodePool has consolidation set to WhenEmpty',
      'test/disruption/budgets-and-empty.test.ts: the policy is WhenEmpty',
    ],
    [
      "should fire an event for ConsolidationDisabled when the NodePool has consolidateAfter set to 'Never'",
      'test/disruption/budgets-and-empty.test.ts: consolidateAfter is Never',
    ],
    [
      'should fire an event when a candidate does not have a resolvable instance type',
      'test/disruption/budgets-and-empty.test.ts: the instance type is missing',
    ],
    [
      'should fire an event when a candidate does not have the capacity type label',
      'test/disruption/budgets-and-empty.test.ts: the capacity type is missing',
    ],
    [
      'should fire an event when a candidate does not have the zone label',
      'test/disruption/budgets-and-empty.test.ts: the zone is missing',
    ],
    [
      'should correctly report eligible nodes',
      'test/controllers/disruption-metrics.test.ts: nodes that may be disrupted are counted by reason',
    ],
    [
      'should correctly report invalidated commands for emptiness disruption: when a candidate is blocked by budgets',
      'test/disruption/several-nodes.test.ts: when the budget is closed',
    ],
    [
      'should correctly report invalidated commands for emptiness disruption: when candidates are filtered out due to pod churn',
      'test/disruption/several-nodes.test.ts: when pods came or went',
    ],
    [
      'should correctly report invalidated commands for emptiness disruption: when candidates are filtered out due to candidate being nominated',
      'test/disruption/several-nodes.test.ts: when pending pods are expected on them',
    ],
    [
      'should correctly report invalidated commands for multi node disruption: when candidates are blocked by budgets',
      'test/disruption/several-nodes.test.ts: when the budget is closed',
    ],
    [
      'should correctly report invalidated commands for multi node disruption: when candidates are filtered out due to pod churn',
      'test/disruption/several-nodes.test.ts: when pods came or went',
    ],
    [
      'should correctly report invalidated commands for multi node disruption: when candidates are filtered out due to candidate being nominated',
      'test/disruption/several-nodes.test.ts: when pending pods are expected on them',
    ],
    [
      'should correctly report invalidated commands for single node disruption: when a candidate is blocked by budgets',
      'test/disruption/several-nodes.test.ts: when the budget is closed',
    ],
    [
      'should correctly report invalidated commands for single node disruption: when candidates are filtered out due to pod churn',
      'test/disruption/several-nodes.test.ts: when pods came or went',
    ],
    [
      'should correctly report invalidated commands for single node disruption: when candidates are filtered out due to candidate being nominated',
      'test/disruption/several-nodes.test.ts: when pending pods are expected on them',
    ],
    [
      'should only allow 3 empty nodes to be disrupted',
      'test/disruption/budgets-and-empty.test.ts: a budget of %s allows %d, in one command',
    ],
    [
      'should allow all empty nodes to be disrupted',
      'test/disruption/budgets-and-empty.test.ts: a budget of %s allows %d, in one command',
    ],
    [
      'should allow no empty nodes to be disrupted',
      'test/disruption/budgets-and-empty.test.ts: a budget of %s allows %d, in one command',
    ],
    [
      'should only allow 3 nodes to be deleted in multi node consolidation delete',
      'test/disruption/budgets-and-empty.test.ts: lets consolidation delete three at once where all pods fit on one',
    ],
    [
      'should only allow 3 nodes to be deleted in single node consolidation delete',
      'test/disruption/budgets-and-empty.test.ts: lets consolidation delete three, one after the other, where two pods fit on a node',
    ],
    [
      'should allow 2 nodes from each nodePool to be deleted',
      'test/disruption/budgets-and-empty.test.ts: a budget of %s allows %d, together %d',
    ],
    [
      'should allow all nodes from each nodePool to be deleted',
      'test/disruption/budgets-and-empty.test.ts: a budget of %s allows %d, together %d',
    ],
    [
      'should allow no nodes from each nodePool to be deleted',
      'test/disruption/budgets-and-empty.test.ts: a budget of %s allows %d, together %d',
    ],
    [
      "should not mark empty node consolidated if the candidates can't be disrupted due to budgets with one nodepool",
      'test/disruption/budgets-and-empty.test.ts: empty nodes of one NodePool',
    ],
    [
      "should not mark empty node consolidated if all candidates can't be disrupted due to budgets with many nodepools",
      'test/disruption/budgets-and-empty.test.ts: empty nodes of many NodePools',
    ],
    [
      "should not mark multi node consolidated if the candidates can't be disrupted due to budgets with one nodepool",
      'test/disruption/budgets-and-empty.test.ts: nodes with pods of one NodePool',
    ],
    [
      "should not mark multi node consolidated if all candidates can't be disrupted due to budgets with many nodepools",
      'test/disruption/budgets-and-empty.test.ts: nodes with pods of many NodePools',
    ],
    [
      "should not mark single node consolidated if the candidates can't be disrupted due to budgets with one nodepool",
      'test/disruption/budgets-and-empty.test.ts: nodes that go one by one, of one NodePool',
    ],
    [
      "should not mark single node consolidated if all candidates can't be disrupted due to budgets with many nodepools",
      'test/disruption/budgets-and-empty.test.ts: nodes that go one by one, of many NodePools',
    ],
    [
      'can replace node: if the candidate is on-demand node',
      'test/disruption/replace.test.ts: is replaced by a cheaper one',
    ],
    [
      'can replace node: if the candidate is spot node',
      'test/disruption/replace.test.ts: is replaced by a cheaper one',
    ],
    [
      'cannot replace spot with spot if less than minimum InstanceTypes flexibility',
      'test/disruption/replace.test.ts: stays with fewer than 15 cheaper types, and the event has the numbers',
    ],
    [
      'cannot replace spot with spot if the spotToSpotConsolidation is disabled',
      'test/disruption/replace.test.ts: stays without the gate, and the event says so',
    ],
    [
      'cannot replace spot with spot if it is part of the 15 cheapest instance types.',
      'test/disruption/replace.test.ts: stays if it is one of the 15 cheapest types',
    ],
    [
      'spot to spot consolidation should order the instance types by price before enforcing minimum flexibility.',
      'test/disruption/replace.test.ts: may become one of the 15 cheapest types, wherever they are in the list',
    ],
    [
      'spot to spot consolidation should consider the max of default and minimum number of instanceTypeOptions from minValues in requirement for truncation if minimum number of instanceTypeOptions from minValues in requirement is greater than 15.',
      'test/disruption/replace.test.ts: may become one of more types where minValues asks for more than 15',
    ],
    [
      "should handle failing filterOutSameInstanceType correctly (without a panic) when minValues isn't satisfied",
      'test/disruption/replace.test.ts: of the type of the nodes is no replacement for two, and minValues does not stop the deletion of one',
    ],
    [
      'spot to spot consolidation should consider the default for truncation if minimum number of instanceTypeOptions from minValues in requirement is less than 15.',
      'test/disruption/replace.test.ts: may become one of 15 types where minValues asks for fewer',
    ],
    [
      'Consolidation should fail if filterByPrice breaks the minimum requirement from the NodePools.: if the candidate is on-demand node',
      'test/disruption/replace.test.ts: stays if too few types are cheaper for minValues',
    ],
    [
      'Consolidation should fail if filterByPrice breaks the minimum requirement from the NodePools.: if the candidate is spot node',
      'test/disruption/replace.test.ts: stays if too few types are cheaper for minValues',
    ],
    [
      'can replace nodes if another nodePool returns no instance types: if the candidate is on-demand node',
      'test/disruption/replace.test.ts: is replaced although another NodePool has no instance types',
    ],
    [
      'can replace nodes if another nodePool returns no instance types: if the candidate is spot node',
      'test/disruption/replace.test.ts: is replaced although another NodePool has no instance types',
    ],
    [
      'can replace nodes, considers PDB: if the candidate is on-demand node',
      'test/disruption/replace.test.ts: stays while a disruption budget allows no eviction of its pods',
    ],
    [
      'can replace nodes, considers PDB: if the candidate is spot node',
      'test/disruption/replace.test.ts: stays while a disruption budget allows no eviction of its pods',
    ],
    [
      'can replace nodes, considers PDB policy: if the candidate is on-demand node',
      'test/disruption/replace.test.ts: is replaced if the budget lets go of pods that are not ready',
    ],
    [
      'can replace nodes, considers PDB policy: if the candidate is spot node',
      'test/disruption/replace.test.ts: is replaced if the budget lets go of pods that are not ready',
    ],
    [
      'can replace nodes, PDB namespace must match: if the candidate is on-demand node',
      'test/disruption/replace.test.ts: is replaced if the budget is in another namespace',
    ],
    [
      'can replace nodes, PDB namespace must match: if the candidate is spot node',
      'test/disruption/replace.test.ts: is replaced if the budget is in another namespace',
    ],
    [
      'can replace nodes, considers karpenter.sh/do-not-disrupt set to true on nodes: if the candidate is on-demand node',
      'test/disruption/replace.test.ts: is replaced, and one with the annotation stays',
    ],
    [
      'can replace nodes, considers karpenter.sh/do-not-disrupt set to true on nodes: if the candidate is spot node',
      'test/disruption/replace.test.ts: is replaced, and one with the annotation stays',
    ],
    [
      'can replace nodes, considers karpenter.sh/do-not-disrupt set to true on pods: if the candidate is on-demand node',
      'test/disruption/replace.test.ts: is replaced, and one with a pod with the annotation stays',
    ],
    [
      'can replace nodes, considers karpenter.sh/do-not-disrupt set to true on pods: if the candidate is spot node',
      'test/disruption/replace.test.ts: is replaced, and one with a pod with the annotation stays',
    ],
    [
      "won't replace node if any spot replacement is more expensive",
      'test/disruption/replace.test.ts: in one of its zones on spot keeps the node',
    ],
    [
      "won't replace on-demand node if on-demand replacement is more expensive",
      'test/disruption/replace.test.ts: on demand keeps a node of a NodePool that allows nothing else',
    ],
    ['can delete nodes', 'test/disruption/delete.test.ts: that with fewer pods is deleted'],
    [
      'does not delete nodes with pod churn, deletes nodes without pod churn',
      'test/disruption/several-nodes.test.ts: one of two empty nodes gets a pod: the other is deleted',
    ],
    [
      'can delete nodes if another nodePool has no node template',
      'test/disruption/delete.test.ts: one is deleted although another NodePool has no node class and no instance types',
    ],
    [
      'can delete nodes, when non-Karpenter capacity can fit pods',
      'test/disruption/delete.test.ts: is deleted, also where that is a node of someone else',
    ],
    [
      'can delete nodes, considers PDB',
      'test/disruption/delete.test.ts: the other is deleted where a budget blocks the pod of the first',
    ],
    [
      'can delete nodes, considers karpenter.sh/do-not-disrupt set to true on nodes',
      'test/disruption/delete.test.ts: the other is deleted where the first has the annotation',
    ],
    [
      'can delete nodes, considers karpenter.sh/do-not-disrupt set to true on pods',
      'test/disruption/delete.test.ts: the other is deleted where a pod of the first has the annotation',
    ],
    [
      "does not consolidate nodes with karpenter.sh/do-not-disrupt set to true on pods when the NodePool's TerminationGracePeriod is not nil",
      'test/disruption/delete.test.ts: none is deleted where all pods have the annotation, also with a terminationGracePeriod',
    ],
    [
      "does not consolidate nodes with pods with blocking PDBs when the NodePool's TerminationGracePeriod is not nil",
      'test/disruption/delete.test.ts: none is deleted where a budget blocks all pods, also with a terminationGracePeriod',
    ],
    [
      'does not consolidate nodes with pods that have a duration-based do-not-disrupt annotation that is still active',
      'test/disruption/delete.test.ts: the other is deleted while the time of the annotation of a pod of the first lasts',
    ],
    [
      'can consolidate nodes after duration-based do-not-disrupt annotation expires',
      'test/disruption/delete.test.ts: one is deleted when the time of the annotations of all pods is over',
    ],
    [
      'can delete nodes, considers invalid do-not-disrupt annotation format as not blocking',
      'test/disruption/delete.test.ts: one is deleted where the annotation of its pod cannot be read',
    ],
    [
      'can delete nodes, evicts pods without an ownerRef',
      'test/disruption/delete.test.ts: that with a pod without an owner is deleted as well',
    ],
    [
      "won't delete node if it would require pods to schedule on an uninitialized node",
      'test/disruption/delete.test.ts: none is deleted where the other is not initialized',
    ],
    [
      'should not consolidate pods onto a destination node that is under its consolidateAfter window',
      'test/disruption/delete.test.ts: stays while the other is within consolidateAfter, and is deleted after it',
    ],
    [
      'should consolidate pods onto a destination node with consolidateAfter set to Never',
      'test/disruption/delete.test.ts: is deleted where the other has consolidateAfter Never',
    ],
    [
      'should replace a node with a cheaper one even when consolidateAfter has not expired',
      'test/disruption/delete.test.ts: is replaced by a cheaper one once its own consolidateAfter is over',
    ],
    [
      'should consider initialized nodes before uninitialized nodes',
      'test/disruption/delete.test.ts: moves to the initialized one of a hundred nodes',
    ],
    [
      'can delete nodes with a permanently pending pod',
      'test/disruption/delete.test.ts: one is deleted although a pod is pending for good',
    ],
    [
      "won't delete nodes if it would make a non-pending pod go pending",
      'test/disruption/delete.test.ts: none is deleted where a pod would be pending then',
    ],
    [
      'can delete nodes while an invalid node pool exists',
      'test/disruption/delete.test.ts: one is deleted although another NodePool is invalid',
    ],
    [
      'should wait for the node TTL for non-empty nodes before consolidating',
      'test/controllers/disruption-commands.test.ts: of %s waits for its validation before anything is marked',
    ],
    [
      'should not consolidate if the action picks different instance types after the node TTL wait',
      'test/disruption/several-nodes.test.ts: a pod comes that needs another type: it is rejected',
    ],
    [
      'should not consolidate if the action becomes invalid during the node TTL wait',
      'test/disruption/several-nodes.test.ts: an empty node gets a protected pod: it is rejected',
    ],
    [
      'should not replace node if a pod schedules with karpenter.sh/do-not-disrupt set to true during the TTL wait',
      'test/disruption/several-nodes.test.ts: a protected pod comes to a node that is replaced: it is rejected',
    ],
    [
      'should not replace node if a pod schedules with a blocking PDB during the TTL wait',
      'test/disruption/several-nodes.test.ts: a pod with a blocking budget comes to a node that is replaced: it is rejected',
    ],
    [
      'should not delete node if pods schedule with karpenter.sh/do-not-disrupt set to true during the TTL wait',
      'test/disruption/several-nodes.test.ts: protected pods come to nodes that are deleted: it is rejected',
    ],
    [
      'should not delete node if pods schedule with a blocking PDB during the TTL wait',
      'test/disruption/several-nodes.test.ts: pods with a blocking budget come to nodes that are deleted: it is rejected',
    ],
    [
      'can merge 3 nodes into 1: if the candidate is on-demand node',
      'test/disruption/several-nodes.test.ts: that are full are replaced by one',
    ],
    [
      'can merge 3 nodes into 1: if the candidate is spot node',
      'test/disruption/several-nodes.test.ts: that are full are replaced by one',
    ],
    [
      'can merge 3 nodes into 1 if the candidates have both spot and on-demand',
      'test/disruption/several-nodes.test.ts: three nodes on spot and on demand are replaced by one',
    ],
    [
      "won't merge 2 nodes into 1 of the same type: if the candidate is on-demand node",
      'test/disruption/several-nodes.test.ts: two nodes of the cheapest type on %s: one is deleted, none is launched',
    ],
    [
      "won't merge 2 nodes into 1 of the same type: if the candidate is spot node",
      'test/disruption/several-nodes.test.ts: two nodes of the cheapest type on %s: one is deleted, none is launched',
    ],
    [
      'should wait for the node TTL for non-empty nodes before consolidating (multi-node): if the candidate is on-demand node',
      'test/controllers/disruption-commands.test.ts: of %s waits for its validation before anything is marked',
    ],
    [
      'should wait for the node TTL for non-empty nodes before consolidating (multi-node): if the candidate is spot node',
      'test/controllers/disruption-commands.test.ts: of %s waits for its validation before anything is marked',
    ],
    [
      'should consolidate multiple empty nodes via multi-nodeclaim consolidation: if the candidate is on-demand node',
      'test/disruption/several-nodes.test.ts: that are empty go in one command',
    ],
    [
      'should consolidate multiple empty nodes via multi-nodeclaim consolidation: if the candidate is spot node',
      'test/disruption/several-nodes.test.ts: that are empty go in one command',
    ],
    [
      'should continue to single nodeclaim consolidation when multi-nodeclaim consolidation fails validation after the node ttl: if the candidate is on-demand node',
      'test/disruption/several-nodes.test.ts: are not all removed when pods came to two of them in the meantime',
    ],
    [
      'should continue to single nodeclaim consolidation when multi-nodeclaim consolidation fails validation after the node ttl: if the candidate is spot node',
      'test/disruption/several-nodes.test.ts: are not all removed when pods came to two of them in the meantime',
    ],
    [
      'should consolidate the node with best savings ratio first',
      'test/disruption/delete.test.ts: is the one that saves most for its disruption',
    ],
    [
      'can replace node maintaining zonal topology spread',
      'test/disruption/delete.test.ts: of zones holds: a node is replaced in its zone',
    ],
    [
      "won't delete node if it would violate pod anti-affinity",
      'test/disruption/delete.test.ts: of hosts holds: nodes whose pods must not share one stay',
    ],
    [
      'should not schedule an additional node when receiving pending pods while consolidating',
      'test/controllers/disruption-commands.test.ts: a pod that becomes pending while a node is replaced gets no node of its own',
    ],
    [
      'should not consolidate a node that is launched for pods on a deleting node',
      'test/disruption/delete.test.ts: stays while pods of a node that is being deleted are expected on it',
    ],
    [
      'can consolidate from one reserved offering to another',
      'test/disruption/replace.test.ts: of one reservation is left for a cheaper one',
    ],
    [
      'can consolidate into reserved capacity for the same instance pool: from on-demand',
      'test/disruption/replace.test.ts: of the same type replaces a node on %s',
    ],
    [
      'can consolidate into reserved capacity for the same instance pool: from spot',
      'test/disruption/replace.test.ts: of the same type replaces a node on %s',
    ],
    [
      'should consolidate a node through deletion when ignoring preferences',
      'test/disruption/replace.test.ts: do not keep pods apart: a node is deleted',
    ],
    [
      'should consolidate a node through replacement when ignoring preferences',
      'test/disruption/replace.test.ts: for the type of the node do not keep it: it is replaced',
    ],
    [
      'should not consolidate a node by relaxing min values when policy is set to BestEffort',
      'test/disruption/replace.test.ts: minValues are not relaxed for a replacement, also with BestEffort',
    ],
    [
      'should not empty-consolidate a node with only buffer pods',
      'test/disruption/delete.test.ts: keep a node without other pods',
    ],
    [
      'should allow consolidation of a node with real pods and buffer pods to a cheaper instance',
      'test/disruption/delete.test.ts: do not keep a node with pods from a cheaper replacement',
    ],
    [
      'should skip buffer-only nodes in single-node consolidation but protect via emptiness',
      'test/disruption/delete.test.ts: keep their node, and it is in no command of another',
    ],
    [
      'should consolidate a buffer node once buffer pods are cleared',
      'test/disruption/delete.test.ts: that are gone let their node go',
    ],
    [
      'should not consolidate static NodePool nodes',
      'test/disruption/delete.test.ts: nodes of a static NodePool are not consolidated, also if their condition says so',
    ],
  ],
  'drift_test.go': [
    [
      'should correctly report eligible drifted nodes',
      'test/controllers/disruption-metrics.test.ts: nodes that may be disrupted are counted by reason',
    ],
    [
      'should only consider 3 nodes allowed to be disrupted because of budgets',
      'test/disruption/budgets-and-empty.test.ts: lets drift replace three, and commands in progress count',
    ],
    [
      'should disrupt 3 nodes, taking into account commands in progress',
      'test/disruption/budgets-and-empty.test.ts: lets drift replace three, and commands in progress count',
    ],
    [
      'should respect budgets for multiple nodepools',
      'test/disruption/budgets-and-empty.test.ts: each of ten NodePools may drift one of its three nodes',
    ],
    [
      'should continue to the next drifted node if the first cannot reschedule all pods',
      'test/disruption/drift.test.ts: whose pods fit nowhere does not hold up the next',
    ],
    [
      'should ignore nodes without the drifted status condition',
      'test/disruption/drift.test.ts: is one with the condition True: not without it, not with False',
    ],
    [
      'should ignore nodes with the drifted status condition set to false',
      'test/disruption/drift.test.ts: is one with the condition True: not without it, not with False',
    ],
    [
      'should ignore nodes with the karpenter.sh/do-not-disrupt annotation set to true',
      'test/disruption/drift.test.ts: with the annotation %s: removed %j',
    ],
    [
      'should delete drifted nodes with the karpenter.sh/do-not-disrupt annotation set to false',
      'test/disruption/drift.test.ts: with the annotation %s: removed %j',
    ],
    [
      'should not create replacements for drifted nodes that have pods with the karpenter.sh/do-not-disrupt annotation set to true',
      'test/disruption/drift.test.ts: with a protected pod stays',
    ],
    [
      "should not create replacements for drifted nodes that have pods with the karpenter.sh/do-not-disrupt annotation set to true when the NodePool's TerminationGracePeriod is not nil",
      'test/disruption/drift.test.ts: with a protected pod and a terminationGracePeriod gets no replacement for it',
    ],
    [
      "should not create replacements for drifted nodes that have pods with the blocking PDBs when the NodePool's TerminationGracePeriod is not nil",
      'test/disruption/drift.test.ts: with a pod that a budget blocks for good and a terminationGracePeriod gets no replacement for it',
    ],
    [
      'should not drift nodes with pods that have a duration-based do-not-disrupt annotation that is still active',
      'test/disruption/drift.test.ts: waits while the annotation of a pod lasts',
    ],
    [
      'should drift nodes with pods that have an invalid do-not-disrupt annotation format',
      'test/disruption/drift.test.ts: goes where the annotation of its pod cannot be read',
    ],
    [
      'should not drift nodes until the longest duration-based do-not-disrupt grace period expires across multiple pods',
      'test/disruption/drift.test.ts: waits for the longest annotation of its pods',
    ],
    ['should replace drifted nodes', 'test/disruption/drift.test.ts: is replaced'],
    [
      'should delete drifted nodes',
      'test/disruption/drift.test.ts: is deleted if its pods fit on another node',
    ],
    [
      'should delete drifted nodes when they are empty and consolidation is disabled',
      'test/disruption/drift.test.ts: that is empty is deleted, also where consolidation is disabled',
    ],
    [
      'should drift empty nodes before non-empty nodes',
      'test/disruption/drift.test.ts: that is empty goes before one with pods',
    ],
    [
      'should delete drifted nodes when they are empty and consolidatable',
      'test/disruption/drift.test.ts: that is empty and consolidatable is deleted once',
    ],
    [
      'should untaint nodes when drift replacement fails',
      'test/controllers/disruption-commands.test.ts: a replacement that vanishes takes the marks off the node, also the condition',
    ],
    [
      'can replace drifted nodes with multiple nodes',
      'test/disruption/drift.test.ts: may be replaced by several',
    ],
    [
      'should drift one non-empty node at a time, starting with the earliest drift',
      'test/disruption/drift.test.ts: goes before one that drifted later',
    ],
    [
      'should not consider static nodepool for drift',
      'test/disruption/drift.test.ts: of a static NodePool is no candidate',
    ],
  ],
  'emptiness_test.go': [
    [
      'should correctly report eligible nodes',
      'test/controllers/disruption-metrics.test.ts: nodes that may be disrupted are counted by reason',
    ],
    [
      'should allow all empty nodes to be disrupted',
      'test/disruption/budgets-and-empty.test.ts: a budget of %s allows %d, in one command',
    ],
    [
      'should allow no empty nodes to be disrupted',
      'test/disruption/budgets-and-empty.test.ts: a budget of %s allows %d, in one command',
    ],
    [
      'should only allow 3 empty nodes to be disrupted',
      'test/disruption/budgets-and-empty.test.ts: a budget of %s allows %d, in one command',
    ],
    [
      'should allow 2 nodes from each nodePool to be deleted',
      'test/disruption/budgets-and-empty.test.ts: a budget of %s allows %d, together %d',
    ],
    [
      'should allow all nodes from each nodePool to be deleted',
      'test/disruption/budgets-and-empty.test.ts: a budget of %s allows %d, together %d',
    ],
    ['can delete empty nodes', 'test/disruption/budgets-and-empty.test.ts: is deleted'],
    [
      'can delete empty and drifted nodes',
      'test/disruption/budgets-and-empty.test.ts: that is drifted goes once',
    ],
    [
      'should ignore nodes without the consolidatable status condition',
      'test/disruption/budgets-and-empty.test.ts: stays without its condition, and with one that is False',
    ],
    [
      'should ignore nodes with the karpenter.sh/do-not-disrupt annotation',
      'test/disruption/budgets-and-empty.test.ts: with the annotation %s: removed %j',
    ],
    [
      'should delete nodes with the karpenter.sh/do-not-disrupt annotation set to false',
      'test/disruption/budgets-and-empty.test.ts: with the annotation %s: removed %j',
    ],
    [
      'should ignore nodes that have pods',
      'test/disruption/budgets-and-empty.test.ts: is none that has pods',
    ],
    [
      'should ignore nodes with the consolidatable status condition set to false',
      'test/disruption/budgets-and-empty.test.ts: stays without its condition, and with one that is False',
    ],
    [
      'can delete multiple empty nodes',
      'test/disruption/budgets-and-empty.test.ts: goes with the others that are empty',
    ],
    [
      'considers pending pods when consolidating',
      'test/disruption/budgets-and-empty.test.ts: is not replaced by a smaller one while pending pods need it',
    ],
    [
      'will consider a node with a DaemonSet pod as empty',
      'test/disruption/budgets-and-empty.test.ts: is one with a DaemonSet pod',
    ],
    [
      'will consider a node with terminating Deployment pods as empty',
      'test/disruption/budgets-and-empty.test.ts: is one whose pods of a Deployment are terminating, not one with a pod of a StatefulSet',
    ],
    [
      'will not consider a node with a terminating StatefulSet pod as empty',
      'test/disruption/budgets-and-empty.test.ts: is one whose pods of a Deployment are terminating, not one with a pod of a StatefulSet',
    ],
    [
      'should wait for the node TTL for empty nodes before consolidating',
      'test/controllers/disruption-commands.test.ts: of an empty node waits for its validation before anything is marked',
    ],
    [
      'should not consolidate static NodePool nodes',
      'test/disruption/budgets-and-empty.test.ts: of a static NodePool stays, for every method',
    ],
    [
      'should not disrupt a node that hosts virtual buffer pods',
      'test/disruption/delete.test.ts: keep a node without other pods',
    ],
    [
      'should disrupt a node once buffer pods are cleared',
      'test/disruption/delete.test.ts: that are gone let their node go',
    ],
    [
      'should only protect the specific node with buffer pods, not others',
      'test/disruption/delete.test.ts: keep their node and no other',
    ],
    [
      'should not consider a node with real pods AND buffer pods as empty',
      'test/disruption/delete.test.ts: do not make a node with pods empty',
    ],
    [
      'should protect multiple nodes that each host buffer pods',
      'test/disruption/delete.test.ts: keep each of several nodes',
    ],
    [
      'should not protect a node with zero buffer pod count',
      'test/disruption/delete.test.ts: that are gone let their node go',
    ],
  ],
  'queue_test.go': [
    [
      "should keep nodes tainted when replacements haven't finished initialization",
      'test/controllers/disruption-commands.test.ts: keeps its node marked while its replacement is not initialized',
    ],
    [
      'should not return an error when handling commands before the timeout',
      'test/controllers/disruption-commands.test.ts: keeps its node marked while its replacement is not initialized',
    ],
    [
      "should not return an error when the NodeClaim doesn't exist but the NodeCliam is in cluster state",
      'test/controllers/disruption-commands.test.ts: keeps its node marked while its replacement is not initialized',
    ],
    [
      'should untaint nodes when a command times out',
      'test/controllers/disruption.test.ts: keeps its pods when the replacement is never initialized: the marks are removed for a minute',
    ],
    [
      'should emit the consolidation type in the failures metric when a command fails',
      'test/controllers/disruption-commands.test.ts: of consolidation counts its failure by the kind of consolidation',
    ],
    [
      'should fully handle a command when replacements are initialized',
      'test/controllers/disruption.test.ts: is replaced first and deleted then, and its pod moves',
    ],
    [
      'should only finish a command when all replacements are initialized',
      'test/controllers/disruption-commands.test.ts: with two replacements waits for both',
    ],
    [
      'should not wait for replacements when none are needed',
      'test/controllers/disruption-commands.test.ts: without a replacement deletes its node at once',
    ],
    [
      'should finish two commands in order as replacements are initialized',
      'test/controllers/disruption-commands.test.ts: is finished for itself: two of them end as their replacements are initialized',
    ],
    [
      'should calculate correct timeout based on queue length: very small queue - 100 commands',
      'test/controllers/disruption-commands.test.ts: %i nodes in commands: %i minutes',
    ],
    [
      'should calculate correct timeout based on queue length: small queue - 4000 commands',
      'test/controllers/disruption-commands.test.ts: %i nodes in commands: %i minutes',
    ],
    [
      'should calculate correct timeout based on queue length: medium queue - 10000 commands',
      'test/controllers/disruption-commands.test.ts: %i nodes in commands: %i minutes',
    ],
    [
      'should calculate correct timeout based on queue length: large queue - 40000 commands',
      'test/controllers/disruption-commands.test.ts: %i nodes in commands: %i minutes',
    ],
    [
      'should calculate correct timeout based on queue length: very large queue - 80000 commands (capped)',
      'test/controllers/disruption-commands.test.ts: %i nodes in commands: %i minutes',
    ],
    [
      'should calculate correct timeout based on queue length: extremely large queue - 100000 commands (capped)',
      'test/controllers/disruption-commands.test.ts: %i nodes in commands: %i minutes',
    ],
  ],
  'repair_history_test.go': [
    [
      'escalates after two committed reboots',
      'test/disruption/repair.test.ts: is tried twice, and then the node is replaced',
    ],
    [
      'does not record reboots while resolving',
      'test/disruption/repair.test.ts: is not counted by planning it',
    ],
    [
      'keys history by NodeClaim UID',
      'test/disruption/repair.test.ts: of a claim does not count for another one',
    ],
    [
      'preserves replacement action and requires a current decision',
      'test/disruption/repair.test.ts: does not count for a node that is replaced anyway, nor for one that is healthy',
    ],
    ['uses a sliding window', 'test/disruption/repair.test.ts: counts for a day, each for itself'],
  ],
  'repair_terminatefirst_test.go': [
    [
      'should issue a delete-only command for a static NodePool at its node limit',
      'test/disruption/repair-terminate-first.test.ts: at the limit is deleted first, with the bound and the condition of its policy',
    ],
    [
      'should replace-first for a static NodePool below its node limit',
      'test/disruption/repair-terminate-first.test.ts: below the limit is replaced first, gate %s',
    ],
    [
      'does not stage a replacement past limits.nodes when a slot is already reserved',
      'test/disruption/repair-terminate-first.test.ts: is deleted first where a replacement of another command takes the last place',
    ],
    [
      'does not terminate-first a static NodePool at its limit when TerminateFirstRepair is disabled',
      'test/disruption/repair-terminate-first.test.ts: without the gate',
    ],
    [
      'does not terminate-first a static NodePool at its limit when the NodePool is NotReady',
      'test/disruption/repair-terminate-first.test.ts: of a NodePool that is not ready',
    ],
    [
      'does not disrupt a static NodePool that is scaling down',
      'test/disruption/repair-terminate-first.test.ts: stays while the NodePool scales down',
    ],
    [
      'does not terminate-first when TerminateFirstRepair is disabled',
      'test/disruption/repair-terminate-first.test.ts: stays without the gate where its reservation is full, and the event says so',
    ],
    [
      'should still replace-first for a headroom (dynamic) NodePool',
      'test/disruption/repair-terminate-first.test.ts: is replaced first where capacity is to be had',
    ],
    [
      'should issue a delete-only command for a reserved NodePool whose reservation is full with no fallback',
      'test/disruption/repair-terminate-first.test.ts: is deleted first where its reservation is full, with the bound and the condition of its policy',
    ],
    [
      'should carry a blocking pod in the terminate-first plan for a reserved NodePool whose reservation is full',
      'test/disruption/repair-terminate-first.test.ts: is deleted first also with a pod that may not be evicted',
    ],
    [
      'replaces-first for a static NodePool with no node limit: gate on',
      'test/disruption/repair-terminate-first.test.ts: without a limit is replaced first, gate %s',
    ],
    [
      'replaces-first for a static NodePool with no node limit: gate off',
      'test/disruption/repair-terminate-first.test.ts: without a limit is replaced first, gate %s',
    ],
    [
      'replaces-first for a static NodePool below its limit even when TerminateFirstRepair is disabled',
      'test/disruption/repair-terminate-first.test.ts: below the limit is replaced first, gate %s',
    ],
    [
      'does not terminate-first when only the drift gate is on',
      'test/disruption/repair-terminate-first.test.ts: with the gate of drift alone',
    ],
    [
      'does not terminate-first a static NodePool at its limit when the NodePool is deleting',
      'test/disruption/repair-terminate-first.test.ts: at the limit stays while its NodePool is being deleted',
    ],
    [
      'should terminate-first when the reservation is full, even below limits.nodes',
      'test/disruption/repair-terminate-first.test.ts: is deleted first where the reservation is full, also below the limit',
    ],
    [
      "should not terminate-first when the template's on-demand offerings are unavailable",
      'test/disruption/repair-terminate-first.test.ts: is replaced first where on-demand is allowed and not available now',
    ],
    [
      "should still repair other candidates when a static NodePool's instance types can't be resolved",
      'test/disruption/repair-terminate-first.test.ts: does not keep others from repair if its instance types are not known',
    ],
    [
      'should block with the full-reservations reason when the static NodePool is NotReady',
      'test/disruption/repair-terminate-first.test.ts: its NodePool is not ready',
    ],
    [
      "should block when the reservation is full and the node's reservation is no longer offered",
      'test/disruption/repair-terminate-first.test.ts: its reservation is not offered any more',
    ],
    [
      "should block when the node's full reservation is unavailable",
      'test/disruption/repair-terminate-first.test.ts: its reservation is not available',
    ],
    [
      'should block a non-reserved node carrying a stale reservation label when the reservations are full',
      'test/disruption/repair-terminate-first.test.ts: it is not on a reservation, whatever its label',
    ],
    [
      'should replace-first when the reservation has capacity',
      'test/disruption/repair-terminate-first.test.ts: is replaced first where the reservation has room',
    ],
    [
      'should replace-first when the template allows a non-reserved fallback',
      'test/disruption/repair-terminate-first.test.ts: is replaced first where on-demand is allowed',
    ],
    [
      'should replace-first regardless of the reservation when TerminateFirstRepair is disabled',
      'test/disruption/repair-terminate-first.test.ts: is replaced first without the gate',
    ],
  ],
  'repair_test.go': [
    [
      'should pre-spin a replacement and terminate the unhealthy node only after the replacement is healthy',
      'test/controllers/repair.test.ts: is replaced when its condition is no longer tolerated, and drained only when the new node is initialized',
    ],
    [
      'should delete an empty unhealthy node without pre-spinning a replacement',
      'test/disruption/repair.test.ts: is deleted without pods',
    ],
    [
      'should commit an in-place reboot (no replacement, no termination) for a RebootNode policy',
      'test/controllers/reboot.test.ts: is tainted, drained, rebooted and initialized again; its pod waits for it, and no other node is launched',
    ],
    [
      'should leave the reboot TGP annotation unset (unbounded) when neither policy nor NodeClaim sets one',
      'test/disruption/repair.test.ts: of a reboot is that of the policy, or of the claim, or there is none',
    ],
    [
      "should inherit the NodeClaim's TGP as the reboot bound when the policy sets none",
      'test/disruption/repair.test.ts: of a reboot is that of the policy, or of the claim, or there is none',
    ],
    [
      'should remove a stale reboot TGP annotation when the new reboot is unbounded',
      'test/controllers/repair-deadline.test.ts: the bound of an earlier reboot is removed when the new reboot has none',
    ],
    [
      'should escalate to replacement when the fault recurs after two successful reboots',
      'test/disruption/repair.test.ts: is tried twice, and then the node is replaced',
    ],
    [
      'should reboot again once earlier reboots age out of the window',
      'test/disruption/repair.test.ts: counts for a day, each for itself',
    ],
    [
      'should not repair before the toleration duration elapses',
      'test/disruption/repair.test.ts: is left alone until its toleration is over',
    ],
    [
      'should use a matching reason-specific policy instead of the fallback',
      'test/disruption/repair.test.ts: selects its policy before the fallback',
    ],
    [
      'should preserve condition age across a reason-only change',
      'test/disruption/repair.test.ts: may change without a new age of the condition',
    ],
    [
      'should suppress an eligible fallback while a matching reason-specific policy is waiting',
      'test/disruption/repair.test.ts: that a waiting policy names keeps the fallback back',
    ],
    [
      'should use the condition fallback for an unknown reason',
      'test/disruption/repair.test.ts: that no policy names is for the fallback',
    ],
    [
      'should not repair a node carrying the do-not-repair annotation',
      'test/disruption/repair.test.ts: keeps the node, and the event says so in every pass',
    ],
    [
      'should not reboot a node carrying the do-not-repair annotation',
      'test/disruption/repair.test.ts: keeps the node from a reboot',
    ],
    [
      'should report the do-not-repair veto ahead of an unbounded drain',
      'test/disruption/repair.test.ts: is named before a drain without a bound',
    ],
    [
      "should not report the do-not-repair veto while the node is still within its policy's toleration",
      'test/disruption/repair.test.ts: is not named before the toleration is over',
    ],
    [
      'should still repair a node carrying only the do-not-disrupt annotation',
      'test/disruption/repair.test.ts: is another one than do-not-disrupt',
    ],
    [
      'should still repair a node whose do-not-repair annotation is not "true"',
      'test/disruption/repair.test.ts: counts only with the value true',
    ],
    [
      'should not repair when the disruption budget is zero',
      'test/disruption/repair.test.ts: waits for a budget, and is repaired with the bound of its policy when it is open',
    ],
    [
      'should repair with the full policy decision once a blocking budget lifts',
      'test/disruption/repair.test.ts: waits for a budget, and is repaired with the bound of its policy when it is open',
    ],
    [
      'should stop repairing a NodePool when more than 20% of its nodes are unhealthy',
      'test/disruption/repair.test.ts: that is unhealthy stops repair, also by conditions that are tolerated still, and says so',
    ],
    [
      'should round the repair circuit-breaker threshold up for small NodePools',
      'test/disruption/repair.test.ts: is rounded up in small NodePools',
    ],
    [
      'should repair the higher-priority condition first',
      'test/disruption/repair.test.ts: that with the higher priority comes first',
    ],
    [
      'should break a tie by node name between candidates resolved at different times',
      'test/disruption/repair.test.ts: of equal score that whose name comes first comes first, whatever their order',
    ],
    [
      'should build every candidate of a pass as of one time',
      'test/disruption/repair.test.ts: of equal age the cost is the same, so the name decides',
    ],
    [
      'should not score a node using a reason-specific policy that does not match',
      'test/disruption/repair.test.ts: a policy that does not match the reason gives no priority',
    ],
    [
      'should not score a node using a matching policy whose toleration has not elapsed',
      'test/disruption/repair.test.ts: a policy whose toleration lasts gives no priority',
    ],
    [
      'should resolve the governing condition using only policies matching its reason',
      'test/disruption/repair.test.ts: is that of the condition that governs: only policies that match its reason count',
    ],
    [
      'should order a node by its most urgent condition, not just its highest-priority one',
      'test/disruption/repair.test.ts: that whose most urgent condition is more urgent comes first',
    ],
    [
      'should stamp a forceful (immediate) termination deadline before requesting deletion',
      'test/controllers/repair-deadline.test.ts: is the time of the deletion where the policy skips the drain, and not before',
    ],
    [
      'should preserve an existing earlier termination deadline',
      'test/controllers/repair-deadline.test.ts: stays an earlier one that is set already',
    ],
    [
      'should retry a failed termination-deadline patch without losing the deadline',
      'test/controllers/repair-deadline.test.ts: is written again when the write failed, before the deletion',
    ],
    [
      'should stamp min(policy TGP, NodeClaim TGP) before requesting deletion',
      'test/disruption/repair.test.ts: is the shorter one of policy and claim',
    ],
    [
      'should act on and meter the highest-priority eligible condition',
      'test/disruption/repair.test.ts: is that of the condition with the highest priority, which is named',
    ],
    [
      'should neither terminate nor stamp a deadline when the replacement never becomes healthy',
      'test/controllers/repair-deadline.test.ts: is not written, and nothing is deleted, while the replacement is not initialized',
    ],
    [
      'should not bypass a blocking pod without a bounded drain',
      'test/disruption/repair.test.ts: keeps the node without a bound for the drain, and the event says so',
    ],
    [
      'should size replacement capacity for a blocking pod when the drain is bounded',
      'test/disruption/repair.test.ts: gets its place on the replacement with a bound',
    ],
    [
      'should repair a static NodePool with a one-for-one replacement from the same pool',
      'test/disruption/repair-terminate-first.test.ts: is replaced one for one from the template of its NodePool',
    ],
    [
      'should honor a static NodePool node limit before reserving replacement capacity',
      'test/disruption/repair-terminate-first.test.ts: stays where limits.nodes leaves no room',
    ],
    [
      'should explicitly exclude standalone NodeClaims that have no safe replacement template',
      'test/disruption/repair.test.ts: without a NodePool is not repaired, and the event says so',
    ],
    [
      'should not repair a node whose condition does not match any policy',
      'test/disruption/repair.test.ts: is left alone if no policy names its condition',
    ],
    [
      'should not repair when the NodeRepair feature gate is disabled',
      'test/disruption/repair.test.ts: is left alone without the gate',
    ],
    [
      'should not repair when --legacy-node-repair is set',
      'test/controllers/repair.test.ts: is left alone while the gate is off, or when a controller of its own repairs',
    ],
    ['should repair an unhealthy node that never initialized', 'test/disruption/repair.test.ts: is deleted'],
    [
      'should not repair a node that never registered',
      'test/disruption/repair.test.ts: is left alone if it never registered, and the event says so',
    ],
    [
      'uninitialized nodes: should not repair before the toleration duration elapses',
      'test/disruption/repair.test.ts: is left alone until its toleration is over',
    ],
    ['should repair without disruption budget', 'test/disruption/repair.test.ts: needs no budget'],
    [
      'should not consume disruption budget for initialized nodes',
      'test/disruption/repair.test.ts: uses no budget of others',
    ],
    [
      'should measure the toleration from when the last reboot finished',
      'test/disruption/repair.test.ts: waits for its toleration from the end of a reboot',
    ],
    ['should not repair a rebooting node', 'test/disruption/repair.test.ts: is left alone while it reboots'],
    [
      'should repair a node nominated for pending pods',
      'test/disruption/repair.test.ts: is repaired although pending pods are expected on it',
    ],
    [
      'uninitialized nodes: should not repair a node carrying the do-not-repair annotation',
      'test/disruption/repair.test.ts: is kept by do-not-repair',
    ],
    [
      'uninitialized nodes: should stop repairing a NodePool when more than 20% of its nodes are unhealthy',
      'test/disruption/repair.test.ts: counts for the fifth of its NodePool',
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
      'test/disruption/drift.test.ts: of five, a budget of %s allows %d',
    ],
    [
      'should respect disruption budgets (Nodes Percentage) for static drift',
      'test/disruption/drift.test.ts: of five, a budget of %s allows %d',
    ],
    [
      'should respect budgets for multiple static nodepools',
      'test/disruption/drift.test.ts: of several pools go by the budget of each',
    ],
    [
      'should not drift nodes when we cannot acquire limits',
      'test/disruption/drift.test.ts: none at the limit',
    ],
    ['should drift nodes when we can acquire limits', 'test/disruption/drift.test.ts: all below it'],
    ['should drift partially when we can acquire some limits', 'test/disruption/drift.test.ts: some of them'],
    [
      'should keep drifting partially when we can acquire some limits for each reconcile',
      'test/disruption/drift.test.ts: go one after the other where the limit leaves room for one',
    ],
    [
      'should wait until nodes are deprovisioned when we are overscaled',
      'test/disruption/drift.test.ts: wait while there are more nodes than replicas, and go then',
    ],
    [
      'should handle drift for multiple static NodePools independently',
      'test/disruption/drift.test.ts: of several pools do not depend on each other',
    ],
    ['should handle zero replicas', 'test/disruption/drift.test.ts: stay where no replicas are wanted'],
    ['should handle missing node limits gracefully', 'test/disruption/drift.test.ts: all go without a limit'],
    [
      'should ignore nodes without the drifted status condition',
      'test/disruption/drift.test.ts: are those with the condition True and without the annotation',
    ],
    [
      'should ignore nodes with the drifted status condition set to false',
      'test/disruption/drift.test.ts: are those with the condition True and without the annotation',
    ],
    [
      'should ignore nodes with the karpenter.sh/do-not-disrupt annotation',
      'test/disruption/drift.test.ts: are those with the condition True and without the annotation',
    ],
  ],
  'suite_test.go': [
    [
      'should allow pods on deleting nodes to reschedule to uninitialized nodes',
      'test/disruption/drift.test.ts: is replaced where all other nodes are being deleted',
    ],
    [
      'should allow multiple replace operations to happen successively',
      'test/controllers/disruption.test.ts: waits for its turn: at no moment are more nodes disrupted than the budget allows',
    ],
    [
      'can replace node with a local PV (ignoring hostname affinity)',
      'test/disruption/drift.test.ts: with a pod on a local volume is replaced: the host of the volume does not count',
    ],
    [
      'should ensure that we do not duplicate capacity for disrupted nodes with provisioning',
      'test/controllers/disruption-commands.test.ts: a node that is being replaced gets one replacement: pods on it are not pending',
    ],
    [
      'should remove taints from NodeClaims that were left tainted from a previous disruption action',
      'test/controllers/disruption.test.ts: that no command set are removed',
    ],
    [
      'should add and remove taints from NodeClaims that fail to disrupt',
      'test/controllers/disruption-commands.test.ts: a replacement that vanishes takes the marks off the node, also the condition',
    ],
    [
      'should not consider nodes that are not managed as part of disruption count',
      'test/disruption/candidates.test.ts: of all, a node that is not managed does not count',
    ],
    [
      'should not consider nodes that are not initialized as part of disruption count',
      'test/disruption/candidates.test.ts: of all, a node that is not initialized does not count',
    ],
    [
      'should not consider nodes that have the terminating status condition as part of disruption count',
      'test/disruption/candidates.test.ts: of all, a node whose instance is terminating does not count',
    ],
    [
      'should not return a negative disruption value',
      'test/disruption/candidates.test.ts: of a tenth, never less than nothing is left',
    ],
    [
      'should consider nodes with a deletion timestamp set and MarkedForDeletion to the disruption count',
      'test/disruption/candidates.test.ts: of all, nodes that are deleted or marked for it are taken off',
    ],
    [
      'should consider not ready nodes to the disruption count',
      'test/disruption/candidates.test.ts: of all, nodes that are not ready are taken off',
    ],
    [
      'should not consider not ready nodes for the Unhealthy repair budget',
      'test/disruption/candidates.test.ts: of all, nodes that are not ready are not taken off for repair',
    ],
    [
      'should still consider marked-for-deletion nodes for the Unhealthy repair budget',
      'test/disruption/candidates.test.ts: of all, nodes that are deleted are taken off for repair, too',
    ],
    [
      'should consider rebooting nodes to the disruption count for all reasons, while draining and once issued',
      'test/disruption/candidates.test.ts: of ten, nodes that reboot are taken off for all reasons, before and after the reboot is issued',
    ],
    [
      'should have a standard disruptionCost for a pod with no priority or disruptionCost specified',
      'test/disruption/candidates.test.ts: is 1 without anything',
    ],
    [
      'should have a higher disruptionCost for a pod with a positive deletion disruptionCost',
      'test/disruption/candidates.test.ts: rises and falls with its deletion cost',
    ],
    [
      'should have a lower disruptionCost for a pod with a positive deletion disruptionCost',
      'test/disruption/candidates.test.ts: rises and falls with its deletion cost',
    ],
    [
      'should have higher costs for higher deletion costs',
      'test/disruption/candidates.test.ts: rises and falls with its deletion cost',
    ],
    [
      'should have a higher disruptionCost for a pod with a higher priority',
      'test/disruption/candidates.test.ts: rises and falls with its priority',
    ],
    [
      'should have a lower disruptionCost for a pod with a lower priority',
      'test/disruption/candidates.test.ts: rises and falls with its priority',
    ],
    [
      'should prefer disruption-cost over pod-deletion-cost',
      'test/disruption/candidates.test.ts: is that of disruption-cost before pod-deletion-cost, whatever the gate',
    ],
    [
      'should prefer disruption-cost over pod-deletion-cost when the gate is on',
      'test/disruption/candidates.test.ts: is that of disruption-cost before pod-deletion-cost, whatever the gate',
    ],
    [
      'should ignore pod-deletion-cost for consolidation scoring when the gate is on',
      'test/disruption/candidates.test.ts: leaves out pod-deletion-cost with the gate',
    ],
    [
      'should fall back to pod-deletion-cost for consolidation scoring when the gate is off',
      'test/disruption/candidates.test.ts: rises and falls with its deletion cost',
    ],
    [
      'should not consider candidates that have do-not-disrupt pods scheduled and no terminationGracePeriod',
      'test/disruption/candidates.test.ts: blocks its node, and the event names the pod',
    ],
    [
      'should not consider candidates that have do-not-disrupt mirror pods scheduled',
      'test/disruption/candidates.test.ts: blocks its node also if the kubelet runs it',
    ],
    [
      'should not consider candidates that have do-not-disrupt daemonset pods scheduled',
      'test/disruption/candidates.test.ts: blocks its node also if a DaemonSet runs it',
    ],
    [
      'should consider candidates that have do-not-disrupt pods scheduled with a terminationGracePeriod set for eventual disruption',
      'test/disruption/candidates.test.ts: does not block drift of a claim with a terminationGracePeriod, and blocks consolidation',
    ],
    [
      'should consider candidates that have PDB-blocked pods scheduled with a terminationGracePeriod set for eventual disruption',
      'test/disruption/candidates.test.ts: does not block drift of a claim with a terminationGracePeriod, and blocks consolidation',
    ],
    [
      'should not consider candidates that have do-not-disrupt pods scheduled with a terminationGracePeriod set for graceful disruption',
      'test/disruption/candidates.test.ts: does not block drift of a claim with a terminationGracePeriod, and blocks consolidation',
    ],
    [
      'should not consider candidates that have PDB-blocked pods scheduled with a terminationGracePeriod set for graceful disruption',
      'test/disruption/candidates.test.ts: does not block drift of a claim with a terminationGracePeriod, and blocks consolidation',
    ],
    [
      'should not consider candidates that have do-not-disrupt pods scheduled without a terminationGracePeriod set for eventual disruption',
      'test/disruption/candidates.test.ts: blocks drift of a claim without a terminationGracePeriod',
    ],
    [
      'should not consider candidates that have PDB-blocked pods scheduled without a terminationGracePeriod set for eventual disruption',
      'test/disruption/candidates.test.ts: blocks drift of a claim without a terminationGracePeriod',
    ],
    [
      'should consider candidates that have do-not-disrupt terminating pods',
      'test/disruption/candidates.test.ts: that is terminating does not block',
    ],
    [
      'should consider candidates that have do-not-disrupt terminal pods',
      'test/disruption/candidates.test.ts: that is over does not block',
    ],
    [
      'should not consider candidates that have do-not-disrupt on nodes',
      'test/disruption/candidates.test.ts: with the annotation',
    ],
    [
      'should not consider candidates that have multiple PDBs on the same pod',
      'test/disruption/candidates.test.ts: is not asked for a pod with two of them: it cannot be evicted at all',
    ],
    [
      'should not consider candidates that have fully blocking PDBs',
      'test/disruption/candidates.test.ts: blocks the node of its pod, and the event names it',
    ],
    [
      'should not consider candidates that have fully blocking PDBs on daemonset pods',
      'test/disruption/candidates.test.ts: blocks the node of a DaemonSet pod',
    ],
    [
      'should consider candidates that have fully blocking PDBs on mirror pods',
      'test/disruption/candidates.test.ts: does not block the node of a pod that the kubelet runs',
    ],
    [
      'should not consider candidates that have do-not-disrupt pods without a terminationGracePeriod set for graceful disruption',
      'test/disruption/candidates.test.ts: blocks its node, and the event names the pod',
    ],
    [
      'should not consider candidates that have fully blocking PDBs without a terminationGracePeriod set for graceful disruption',
      'test/disruption/candidates.test.ts: blocks the node of its pod, and the event names it',
    ],
    [
      'should consider candidates that have fully blocking PDBs on terminal pods',
      'test/disruption/candidates.test.ts: does not block the node of pods that are over',
    ],
    [
      'should consider candidates that have fully blocking PDBs on terminating pods',
      'test/disruption/candidates.test.ts: does not block the node of a pod that is terminating',
    ],
    [
      'should not consider candidates that has just a Node representation',
      'test/disruption/candidates.test.ts: without a NodeClaim',
    ],
    [
      'should not consider candidate that has just a NodeClaim representation',
      'test/disruption/candidates.test.ts: without a Node',
    ],
    [
      'should not consider candidates that are nominated',
      'test/disruption/candidates.test.ts: that pending pods are expected on',
    ],
    [
      'should not consider candidates that are deleting',
      'test/disruption/candidates.test.ts: that is being deleted',
    ],
    [
      'should not consider candidates that are MarkedForDeletion',
      'test/disruption/candidates.test.ts: that is being deleted',
    ],
    [
      "should not consider candidates that aren't yet initialized",
      'test/disruption/candidates.test.ts: that is neither registered nor initialized',
    ],
    [
      "should not consider candidates that registered but aren't yet initialized",
      'test/disruption/candidates.test.ts: that is registered and not initialized',
    ],
    [
      'should not consider candidates that are not owned by a NodePool (no karpenter.sh/nodepool label)',
      'test/disruption/candidates.test.ts: without the label of its NodePool',
    ],
    [
      'should not consider candidates that are have a non-existent NodePool',
      'test/disruption/candidates.test.ts: whose NodePool does not exist',
    ],
    [
      'should consider candidates that do not have the karpenter.sh/capacity-type label',
      'test/disruption/candidates.test.ts: without the label of its capacity type',
    ],
    [
      'should consider candidates that do not have the topology.kubernetes.io/zone label',
      'test/disruption/candidates.test.ts: without the label of its zone',
    ],
    [
      'should consider candidates that do not have the node.kubernetes.io/instance-type label',
      'test/disruption/candidates.test.ts: without the label of its instance type',
    ],
    [
      'should consider candidates that have an instance type that cannot be resolved',
      'test/disruption/candidates.test.ts: of an instance type that is not known',
    ],
    [
      'should not consider candidates that are actively being processed in the queue',
      'test/disruption/candidates.test.ts: of a command in progress',
    ],
    [
      'should fire metrics for single node empty disruption',
      'test/controllers/disruption-metrics.test.ts: empty nodes',
    ],
    [
      'should fire metrics for single node delete disruption',
      'test/controllers/disruption-metrics.test.ts: a drifted node whose pods fit elsewhere',
    ],
    [
      'should fire metrics for single node replace disruption',
      'test/controllers/disruption-metrics.test.ts: a drifted node that is replaced',
    ],
    [
      'should fire metrics for multi-node empty disruption',
      'test/controllers/disruption-metrics.test.ts: empty nodes',
    ],
    [
      'should fire metrics for multi-node delete disruption',
      'test/controllers/disruption-metrics.test.ts: several underutilized nodes that are deleted',
    ],
    [
      'should fire metrics for multi-node replace disruption',
      'test/controllers/disruption-metrics.test.ts: several underutilized nodes that are replaced',
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
      'treats the reservations as full when only an instance type outside the template has capacity',
      'test/disruption/repair-terminate-first.test.ts: is deleted first where only a type outside the template has room',
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
  'validation_test.go': [
    [
      'registers repair when the feature gate is enabled',
      'test/controllers/repair.test.ts: is replaced when its condition is no longer tolerated, and drained only when the new node is initialized',
    ],
    [
      'does not register repair when the feature gate is disabled',
      'test/disruption/repair.test.ts: is left alone without the gate',
    ],
    [
      'builds a matcher when the feature gate is enabled and policies are valid',
      'packages/chandler/src/cloud/repair-policy.test.ts: takes none, one fallback, and a fallback with others',
    ],
    [
      'fails when the complete policy set is invalid',
      'packages/chandler/src/cloud/repair-policy.test.ts: a regex that cannot be read',
    ],
  ],
};

/** The specs that no test shows, and why. */
export const OTHER_SPECS: Rows<string> = {
  'balanced_scoring_test.go': [
    ['should reject when command has zero candidates', 'a command without nodes is never made'],
  ],
  'balanced_test.go': [
    [
      'should approve at k=3 for the same move',
      'the threshold is fixed (k=2) in the API; other values cannot be set',
    ],
    [
      'should reject at k=1 for the same move',
      'the threshold is fixed (k=2) in the API; other values cannot be set',
    ],
  ],
  'consolidation_dra_test.go': [
    [
      "re-allocates a candidate pod's device onto a replacement (B, positive)",
      'ResourceClaims are not read: as in upstream by default (--ignore-dra-requests), pods with claims keep their node',
    ],
    [
      "does not target a candidate node's published device (A, positive)",
      'ResourceClaims are not read: as in upstream by default (--ignore-dra-requests), pods with claims keep their node',
    ],
    [
      "does not consolidate when the candidate's claim cannot be satisfied elsewhere (B, negative)",
      'ResourceClaims are not read: as in upstream by default (--ignore-dra-requests), pods with claims keep their node',
    ],
    [
      'does not free a device held by a live pod on a non-candidate node (A, negative)',
      'ResourceClaims are not read: as in upstream by default (--ignore-dra-requests), pods with claims keep their node',
    ],
    [
      're-allocates devices from multiple candidate nodes onto one replacement (B, multi-candidate)',
      'ResourceClaims are not read: as in upstream by default (--ignore-dra-requests), pods with claims keep their node',
    ],
    [
      "reclaims only the candidate's share of a shared device, leaving the live pod's share (B, partial)",
      'ResourceClaims are not read: as in upstream by default (--ignore-dra-requests), pods with claims keep their node',
    ],
  ],
  'repair_history_test.go': [
    [
      'bounds concurrent commits at the escalation threshold',
      'there is one thread: commits do not happen at once',
    ],
    [
      'logs reboot escalation with the command',
      'the command says that a reboot became a replacement (repair.escalated); its log line does not repeat it',
    ],
  ],
  'repair_terminatefirst_test.go': [
    [
      'should still pace terminate-first (one command, one candidate, per pass)',
      'all repairs that budgets allow are commands of one pass, each with one node; upstream gives one command in a pass',
    ],
  ],
  'repair_test.go': [
    [
      'should release a static replacement reservation when command admission loses a race',
      'places under limits.nodes are counted from the claims in every pass; nothing is reserved that could be kept',
    ],
    [
      'should propagate replacement simulation errors',
      'the plan lists nothing: it is made from one snapshot',
    ],
  ],
  'singlenodeconsolidation_test.go': [
    [
      'should prioritize nodepools that timed out in previous runs',
      'no pass is cut short after a time: every candidate is judged, in pieces',
    ],
    [
      'should reset timed out nodepools when all nodepools are evaluated',
      'no pass is cut short after a time: every candidate is judged, in pieces',
    ],
    [
      'should mark nodepools as timed out when timeout occurs',
      'no pass is cut short after a time: every candidate is judged, in pieces',
    ],
  ],
  'suite_test.go': [
    [
      'should stop multi-node consolidation after context deadline is reached',
      'no pass is cut short after a time: every candidate is judged, in pieces',
    ],
  ],
  'validation_test.go': [
    [
      'panics when repair is enabled on cluster state built without a matcher',
      'of the wiring of upstream; our policies are checked at the start (cloud/repair-policy.test.ts)',
    ],
    [
      'builds no matcher when the feature gate is disabled',
      'of the wiring of upstream; our policies are checked at the start (cloud/repair-policy.test.ts)',
    ],
    [
      'fails when repair is enabled without any policies',
      'of the wiring of upstream; our policies are checked at the start (cloud/repair-policy.test.ts)',
    ],
  ],
};
