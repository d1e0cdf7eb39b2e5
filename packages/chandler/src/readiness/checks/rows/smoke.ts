/** The check of the smoke test: whether pods get nodes in time, and the nodes are removed afterwards. */
import { durationText } from '../../model/duration.ts';
import type { Evidence, Judgement } from '../../model/finding.ts';
import type { SmokePhase, SmokeResult } from '../../smoke/smoke-result.ts';
import type { CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import { fail, pass, warn } from '../judgements.ts';

export const SMOKE_CHECKS: readonly CheckRow[] = [
  {
    id: 'S-61',
    title: 'Pods get nodes, and the nodes are removed after them',
    inputs: ['smoke'],
    criterion:
      'Passes if nodes join within 3 minutes, all pods of the smoke test run on them, and the nodes are removed afterwards. Warns if a phase takes longer than expected, if no node was needed, if the removal was not waited for, or if something is left; fails if a phase takes too long (joining: 5 minutes).',
    severity: 'high',
    phase: 5,
    fix: 'Read what chandler why says about a pod of the test, and the conditions of its NodeClaim.',
    docs: DOCS.troubleshooting,
    judge: ({ inputs: { smoke } }) => (smoke === undefined ? [] : [judgeSmoke(smoke)]),
  },
];

// ---------------------------------------------------------------------------------------------------------------

function judgeSmoke(smoke: SmokeResult): Judgement {
  const { phases, replicas, running, why, removal, nodes, left } = smoke;
  const evidence = phases.flatMap(phaseEvidence);
  const fix = why?.cause === undefined ? {} : { fix: why.cause.fix };
  const stuck = phases.find(({ state }) => state === 'stuck');
  if (stuck !== undefined) {
    const cause = why?.cause === undefined ? '' : ` ${why.subject}: ${why.cause.title}.`;
    return fail(
      `${running} of ${replicas} pods run. After ${durationText(stuck.tookMs ?? 0)} it was still not so that ${stuck.title}.${cause}`,
      evidence,
      fix,
    );
  }
  const late = phases.find(({ tookMs = 0, failMs }) => tookMs > failMs);
  if (late !== undefined) return fail(slow(late, late.failMs), evidence);
  if (nodes.length === 0)
    return warn('All pods run on nodes that were there already, so no node was launched.', evidence, {
      fix: 'Repeat the smoke test with more replicas: --smoke-replicas.',
    });
  const slowest = phases.find(({ tookMs = 0, warnMs }) => tookMs > warnMs);
  if (slowest !== undefined) return warn(slow(slowest, slowest.warnMs), evidence);
  if (removal.state === 'unfinished')
    return warn(
      `All pods ran. ${durationText(removal.tookMs ?? 0)} after they were deleted, their nodes were not removed; ${removal.note}.`,
      evidence,
    );
  if (left.length > 0)
    return warn(`All pods ran. Not everything of the test could be deleted: ${left.join('; ')}.`, evidence);
  if (removal.state === 'skipped')
    return warn(
      `${replicas} pods ran on ${nodes.length} new nodes. That the nodes are removed was not seen: ${removal.note}.`,
      evidence,
      { fix: 'Look at the nodes later, or repeat the smoke test with a NodePool that removes them sooner.' },
    );
  const gone = durationText(removal.tookMs ?? 0);
  return pass(
    `${replicas} pods ran on ${nodes.length} new nodes, which were removed after ${gone}.`,
    evidence,
  );
}

function slow({ title, tookMs = 0 }: SmokePhase, limitMs: number): string {
  return `It took ${durationText(tookMs)} until ${title}; expected are at most ${durationText(limitMs)}.`;
}

/** What each phase was read from. */
function phaseEvidence({ name, title, state, tookMs }: SmokePhase): readonly Evidence[] {
  if (state === 'notReached' || state === 'notNeeded') return [];
  const call =
    name === 'pending' || name === 'running' ? 'GET /api/v1/pods' : 'GET /apis/karpenter.sh/v1/nodeclaims';
  const took = tookMs === undefined ? {} : { value: durationText(tookMs) };
  return [{ source: 'live', what: `time until ${title}`, at: { call }, ...took }];
}
