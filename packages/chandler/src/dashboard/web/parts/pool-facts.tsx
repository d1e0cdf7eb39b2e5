/** Of a NodePool, at once from what the page has already: state, limits, budgets, nodes and price. */
import { useStore } from '../app-context.ts';
import { poolPrice } from '../model/cluster-price.ts';
import { countNodes } from '../model/count-nodes.ts';
import { count } from '../model/format.ts';
import { toView } from '../model/route.ts';
import { BudgetRule } from './budget-rule.tsx';
import { Fact } from './fact.tsx';
import { Link, Subject } from './link.tsx';

export function PoolFacts({ subject }: { readonly subject: string }) {
  const store = useStore('nodes', 'settings');
  const [kind, name] = [subject.split('/', 1)[0]!, subject.slice(subject.indexOf('/') + 1)];
  const pool = kind === 'NodePool' ? store.pools.get(name) : undefined;
  if (pool === undefined) return null;
  const nodes = [...store.nodes.values()].filter((node) => node.pool === name);
  const { nodes: registered, others } = countNodes(nodes);
  const limits = Object.entries(pool.limits);
  return (
    <dl class="facts">
      <Fact name="State">{pool.readyText}</Fact>
      <Fact name="Node class">
        <Subject subject={pool.nodeClass} />
      </Fact>
      <Fact name="Nodes">
        <Link to={toView('cluster', name)}>{count(registered, 'node')}</Link>
        {others.map((text) => ` · ${text}`)}
      </Fact>
      <Fact name="Price">{poolPrice(nodes)}</Fact>
      <Fact name="Weight">{pool.weight ?? '–'}</Fact>
      <Fact name="Limits">
        {limits.map(([resource, limit]) => `${resource} ${limit}`).join(', ') || 'none'}
      </Fact>
      <Fact name="Consolidation">
        {pool.consolidation}, after {pool.consolidateAfter}
      </Fact>
      <Fact name="Budgets">
        {pool.budgets.map((budget, at) => (
          <span class="line" key={at}>
            <BudgetRule budget={budget} />
          </span>
        ))}
      </Fact>
    </dl>
  );
}
