/** A smoke test in a report for people: the phases with their times and limits, the nodes, and what `why` says. */
import { durationText } from '../model/duration.ts';
import type { SmokePhase, SmokeRemoval, SmokeResult } from '../smoke/smoke-result.ts';

export function smokeLines({
  run,
  namespace,
  replicas,
  cpu,
  memory,
  ...smoke
}: SmokeResult): readonly string[] {
  const { running, phases, nodes, removal, why, left } = smoke;
  const widest = Math.max(...phases.map(({ title }) => title.length));
  const row = (...cells: readonly [string, string, string, string]) =>
    `  ${cells[0].padEnd(widest)}  ${cells[1].padEnd(11)}  ${cells[2].padEnd(6)}  ${cells[3]}`.trimEnd();
  return [
    `run ${run} in namespace ${namespace}: ${running} of ${replicas} pods (${cpu} CPU, ${memory}) ran on ${nodes.length} new nodes`,
    row('until', 'took', 'warn', 'fail'),
    ...phases.map((phase) =>
      row(phase.title, tookText(phase), durationText(phase.warnMs), durationText(phase.failMs)),
    ),
    row('nodes are removed', removalText(removal), '', ''),
    ...nodes.map(
      ({ nodeClaim, node, instanceType, zone, capacityType }) =>
        `  NodeClaim ${nodeClaim}: node ${node}, ${instanceType}, ${zone}, ${capacityType}`,
    ),
    ...left.map((each) => `  not deleted: ${each}`),
    ...[why, removal.why].flatMap((each) =>
      each === undefined
        ? []
        : [
            '',
            ...each.text
              .trimEnd()
              .split('\n')
              .map((line) => `  ${line}`.trimEnd()),
          ],
    ),
  ];
}

// ---------------------------------------------------------------------------------------------------------------

const STATES: Readonly<Record<SmokePhase['state'], string>> = {
  done: 'done',
  stuck: 'stuck',
  notReached: 'not reached',
  notNeeded: 'not needed',
};

function tookText({ state, tookMs }: SmokePhase): string {
  if (tookMs === undefined) return STATES[state];
  return state === 'stuck' ? `> ${durationText(tookMs)}` : durationText(tookMs);
}

function removalText({ state, tookMs, note }: SmokeRemoval): string {
  if (state === 'skipped') return `not waited for: ${note}`;
  const took = durationText(tookMs ?? 0);
  return state === 'done' ? took : `> ${took}; ${note}`;
}
