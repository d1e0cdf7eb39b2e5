/** Random clusters, and rules that hold for every plan. The rules are computed here anew, from objects and quantities alone. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KubernetesLabel } from '../api/index.ts';
import type { Pod } from '../scheduling/index.ts';
import { budgetVerdict } from './budgets.ts';
import type { Command } from './command.ts';
import { NOW, TYPES } from './disruption.fixture.ts';
import { type DisruptionPlan, DisruptionPlanner, planDisruption } from './disruption-plan.ts';
import type { DisruptionInput } from './model.ts';
import { isReschedulable } from './pod-blocks.ts';
import { clusters, cpuOf } from './random-clusters.fixture.ts';

function milliOf(pod: Pod): number {
  return Number(String(pod.spec.containers[0]!.resources!.requests!['cpu']).replace('m', ''));
}

function forEveryPlan(check: (input: DisruptionInput, plan: DisruptionPlan) => void): void {
  fc.assert(
    fc.property(clusters, ({ input, options }) => check(input, planDisruption(input, options, NOW))),
    { numRuns: 120 },
  );
}

function podsByName({ nodes, scheduling }: DisruptionInput): ReadonlyMap<string, Pod> {
  const all = [...nodes.flatMap(({ pods }) => pods), ...scheduling.pods];
  return new Map(all.map((pod) => [`shop/${pod.metadata.name}`, pod]));
}

const simulated = ({ method }: Command) => method !== 'emptiness' && method !== 'static-drift';

describe('every plan', () => {
  test('removes a node at most once, and none that blocked pods are on, that is being deleted or that gets pods', () => {
    forEveryPlan(({ nodes, podDisruptionBudgets }, { commands }) => {
      const removed = commands.flatMap(({ candidates }) => candidates.map(({ name }) => name));
      expect(new Set(removed).size).toBe(removed.length);
      const receiving = commands.flatMap(({ destinations }) => destinations.map(({ node }) => node));
      expect(receiving.filter((name) => removed.includes(name))).toEqual([]);
      const allowed = podDisruptionBudgets[0]!.status!.disruptionsAllowed!;
      for (const { name, deleting, pods } of nodes.filter((node) => removed.includes(node.name))) {
        expect([name, deleting]).toEqual([name, false]);
        const held = pods.filter(({ metadata }) => metadata.labels?.['app'] === 'held');
        expect(allowed === 0 ? held : []).toEqual([]);
      }
    });
  });

  test('places every pod of a removed node exactly once', () => {
    forEveryPlan(({ nodes }, { commands }) => {
      for (const command of commands.filter(simulated)) {
        const moved = command.candidates.flatMap(({ name }) =>
          nodes.find((node) => node.name === name)!.pods.filter(isReschedulable),
        );
        const placed = [...command.destinations, ...command.replacements].flatMap(({ pods }) => pods);
        const ours = placed.filter((name) => !name.startsWith('shop/waits-'));
        expect(ours.sort()).toEqual(moved.map(({ metadata }) => `shop/${metadata.name}`).sort());
      }
    });
  });

  test('overfills no node, with all its commands together, and respects zones', () => {
    forEveryPlan((input, { commands }) => {
      const pods = podsByName(input);
      for (const { name, pods: own, labels, node } of input.nodes) {
        const arriving = commands.flatMap(({ destinations }) =>
          destinations.filter((to) => to.node === name).flatMap((to) => to.pods.map((pod) => pods.get(pod)!)),
        );
        const used = [...own, ...arriving].reduce((sum, pod) => sum + milliOf(pod), 0);
        expect(used).toBeLessThanOrEqual(Number(node!.status!.allocatable!['cpu']) * 1000);
        for (const { spec } of arriving)
          expect([undefined, labels[KubernetesLabel.zone]]).toContain(
            spec.nodeSelector?.[KubernetesLabel.zone],
          );
      }
      for (const { instanceTypes, pods: names } of commands.flatMap(({ replacements }) => replacements)) {
        const needed = names.reduce((sum, name) => sum + milliOf(pods.get(name)!), 0);
        for (const name of instanceTypes)
          expect(cpuOf(TYPES.find((type) => type.name === name)!)).toBeGreaterThanOrEqual(needed);
      }
    });
  });

  test('lowers the price strictly when it consolidates, whichever of the allowed types is launched', () => {
    forEveryPlan((_, { commands }) => {
      for (const { replacements, priceBefore, savingPerHour } of commands.filter(
        ({ reason, decision }) => reason === 'Underutilized' && decision === 'replace',
      )) {
        const dearest = replacements.map(({ instanceTypes, requirements }) => {
          const spot = requirements.some(
            ({ key, values }) => key === 'karpenter.sh/capacity-type' && values?.join() === 'spot',
          );
          const prices = TYPES.filter(({ name }) => instanceTypes.includes(name)).map(
            ({ offerings }) => offerings[0]!.price * (spot ? 0.4 : 1),
          );
          return Math.max(...prices);
        });
        expect(dearest.reduce((sum, price) => sum + price, 0)).toBeLessThan(priceBefore);
        expect(savingPerHour).toBeGreaterThan(0);
      }
    });
  });

  test('keeps every budget with every command', () => {
    forEveryPlan(({ pools, nodes }, { commands }) => {
      for (const { nodePool } of pools) {
        const own = nodes.filter((node) => node.nodePool === nodePool.metadata.name);
        let taken = 0;
        for (const { reason, candidates } of commands) {
          const count = candidates.filter((node) => node.nodePool === nodePool.metadata.name).length;
          taken += count;
          const { allowed = Number.POSITIVE_INFINITY, disrupting } = budgetVerdict(
            nodePool,
            own,
            reason,
            NOW,
          );
          if (count > 0) expect(disrupting + taken).toBeLessThanOrEqual(allowed);
        }
      }
    });
  });

  test('says for every node which command removes it, or what keeps it', () => {
    forEveryPlan((input, { nodes, commands }) => {
      expect(nodes.map(({ name }) => name)).toEqual(input.nodes.map(({ name }) => name).sort());
      for (const { command, keeps } of nodes) {
        if (command === undefined) expect(keeps.length).toBeGreaterThan(0);
        else expect(commands.map(({ key }) => key)).toContain(command);
        for (const { text } of keeps) expect(text).not.toMatch(/undefined|NaN/);
      }
    });
  });

  test('is the same for the same input', () => {
    fc.assert(
      fc.property(clusters, ({ input, options }) => {
        expect(planDisruption(input, options, NOW)).toEqual(planDisruption(input, options, NOW));
      }),
      { numRuns: 20 },
    );
  });
});

describe('a plan in pieces', () => {
  test('is the plan in one piece, whatever runs between the pieces', () => {
    fc.assert(
      fc.property(clusters, clusters, (one, other) => {
        const runs = [one, other].map(({ input, options }) =>
          new DisruptionPlanner().steps(input, options, NOW),
        );
        const plans: (DisruptionPlan | undefined)[] = [undefined, undefined];
        while (plans.includes(undefined))
          for (const [index, run] of runs.entries()) {
            if (plans[index] !== undefined) continue;
            const step = run.next();
            if (step.done === true) plans[index] = step.value;
          }
        expect(plans).toEqual([one, other].map(({ input, options }) => planDisruption(input, options, NOW)));
      }),
      { numRuns: 60 },
    );
  });

  test('is interrupted at every simulation', () => {
    const [{ input, options }] = fc.sample(
      clusters.filter((cluster) => planDisruption(cluster.input, cluster.options, NOW).commands.length > 2),
      { numRuns: 1, seed: 1 },
    ) as [{ input: DisruptionInput; options: object }];
    const pieces = [...new DisruptionPlanner().steps(input, options, NOW)].length;
    expect(pieces).toBeGreaterThan(planDisruption(input, options, NOW).commands.length);
  });
});
