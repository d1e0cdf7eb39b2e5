/** What tests of other modules may use. */
export { BalancedScores, isApproved, type Score, scoreOf } from './balanced.ts';
export {
  aCluster,
  aDisruptedPool,
  aManagedNode,
  aPdb,
  type ClusterShape,
  NOW,
  type NodeShape,
  type PoolShape,
} from './disruption.fixture.ts';
export { PriceBook } from './price-book.ts';
export { MAX_UNHEALTHY_PERCENT } from './repair.ts';
