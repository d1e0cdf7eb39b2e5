import { virtualWorld } from '@chandler/kube/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinNodes } from '../state/index.ts';
import { aClaim, aNode, TestModel } from './dashboard.fixture.ts';
import { NodeJoin } from './node-join.ts';

/** Machines 0 to 3; a claim may know its instance or not, a Node may be there or not. */
const STEPS = fc.array(
  fc.record({
    what: fc.constantFrom('node', 'claim', 'no-node', 'no-claim'),
    at: fc.integer({ min: 0, max: 3 }),
    launched: fc.boolean(),
  }),
  { maxLength: 30 },
);

test('joined one by one, nodes and claims are the same as joined all at once', () => {
  fc.assert(
    fc.property(STEPS, (steps) => {
      const made = new TestModel(virtualWorld());
      const { nodes, claims } = made;
      const join = new NodeJoin(nodes, claims);
      const rows = new Map<string, string>();
      const take = (names: readonly string[]) => {
        for (const name of names) {
          const joined = join.named(name);
          if (joined === undefined) rows.delete(name);
          else rows.set(name, textOf(joined));
        }
      };
      const touched = new Set<string>();
      const touch = (names: readonly string[]) => {
        for (const name of names) touched.add(name);
      };
      nodes.subscribe((change) => touch(join.nodeChanged(change)));
      claims.subscribe((change) => touch(join.claimChanged(change)));
      for (const { what, at, launched } of steps) {
        if (what === 'node') made.put(nodes, aNode(`n${at}`));
        else if (what === 'claim') made.put(claims, aClaim(`c${at}`, launched ? `n${at}` : undefined, []));
        else if (what === 'no-node' && nodes.get({ name: `n${at}` })) made.remove(nodes, `n${at}`);
        else if (what === 'no-claim' && claims.get({ name: `c${at}` })) made.remove(claims, `c${at}`);
        // As the model does: after the stores have changed.
        take([...touched]);
        touched.clear();
      }
      const all = joinNodes([...nodes.values()], [...claims.values()])
        .map(textOf)
        .sort();
      expect([...rows.values()].sort()).toEqual(all);
    }),
    { numRuns: 200 },
  );
});

function textOf({ name, node, claim }: ReturnType<typeof joinNodes>[number]): string {
  return `${name}: ${node?.metadata.name ?? '-'} ${claim?.metadata.name ?? '-'}`;
}
