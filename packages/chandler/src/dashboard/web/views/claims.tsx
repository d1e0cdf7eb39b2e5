/** The journey of each NodeClaim as a waterfall, compared with the median; failures with cause and fix. */
import type { ClaimRow, ClaimsAnswer } from '../../wire.ts';
import { useAnswer, useApp, useRoute, useServerNow } from '../app-context.ts';
import { hasWords, wordsOf } from '../model/choose-nodes.ts';
import { axisTicks, barsOf, STEP_TEXTS, STEPS, usualEndMs } from '../model/claim-steps.ts';
import { endOf, medianMs, OUTCOMES, spanMs } from '../model/claim-times.ts';
import type { Table } from '../model/csv.ts';
import { count, duration, seconds } from '../model/format.ts';
import { DataTable } from '../parts/data-table.tsx';
import { FindingView } from '../parts/explanation.tsx';
import { ExportButtons } from '../parts/export-buttons.tsx';
import { Subject } from '../parts/link.tsx';
import { Pages, pageOf } from '../parts/pages.tsx';
import { Answered, Empty } from '../parts/states.tsx';

export function Claims() {
  const answer = useAnswer<ClaimsAnswer>('claims', 'nodes', 'claims');
  return <Answered answer={answer}>{(value) => <ClaimList answer={value} />}</Answered>;
}

function ClaimList({ answer }: { readonly answer: ClaimsAnswer }) {
  const { navigation } = useApp();
  const { q, only, page } = useRoute();
  const nowMs = useServerNow();
  const words = wordsOf(q);
  const claims = answer.claims.filter(
    ({ name, pool, type, node, outcome }) =>
      (only === '' || outcome === only) && hasWords(words, name, pool, type, node),
  );
  if (answer.claims.length === 0)
    return (
      <Empty title="There are no NodeClaims">
        NodeClaims of the last day and the last 50 that failed appear here.
      </Empty>
    );
  const { rows, pages } = pageOf(claims, page);
  // One scale for all rows: bars can be compared. A claim that has been failing for hours must not flatten the others.
  const scaleMs = Math.max(
    5000,
    ...rows.map((claim) => spanMs(claim, nowMs)).filter((ms) => ms < 15 * 60_000),
  );
  return (
    <>
      <div class="toolbar">
        <label>
          Outcome{' '}
          <select value={only} onChange={(event) => navigation.change({ only: event.currentTarget.value })}>
            <option value="">all</option>
            {Object.entries(OUTCOMES).map(([outcome, text]) => (
              <option key={outcome} value={outcome}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <span>{count(claims.length, 'NodeClaim')}</span>
        <ExportButtons name="claims" table={() => tableOf(claims, nowMs)} />
      </div>
      {claims.length === 0 ? (
        <Empty title="No NodeClaim matches">Change the search or the filter.</Empty>
      ) : null}
      {claims.length === 0 ? null : <StepLegend />}
      <ul class="plain claims">
        {rows.map((claim) => (
          <Claim
            key={`${claim.name} ${claim.createdMs}`}
            claim={claim}
            answer={answer}
            nowMs={nowMs}
            scaleMs={scaleMs}
          />
        ))}
      </ul>
      <Pages page={page} pages={pages} of={claims.length} />
    </>
  );
}

function Claim({
  claim,
  answer,
  nowMs,
  scaleMs,
}: {
  readonly claim: ClaimRow;
  readonly answer: ClaimsAnswer;
  readonly nowMs: number;
  readonly scaleMs: number;
}) {
  const tookMs = spanMs(claim, nowMs);
  const usualMs = medianMs(answer, claim);
  return (
    <li class={`card claim claim-${claim.outcome}`}>
      <div class="claim-head">
        <Subject subject={`NodeClaim/${claim.name}`}>{claim.name}</Subject>
        <span class={`outcome outcome-${claim.outcome}`}>{OUTCOMES[claim.outcome]}</span>
        <span class="soft">{[claim.pool, claim.type].filter(Boolean).join(' · ')}</span>
        <span class="claim-time">
          {seconds(tookMs)}
          {usualMs === null ? null : <span class="soft"> median {seconds(usualMs)}</span>}
        </span>
        <span class="soft">{duration(nowMs - claim.createdMs)} ago</span>
      </div>
      <Waterfall claim={claim} nowMs={nowMs} scaleMs={scaleMs} medianMs={usualMs} />
      {claim.cause === null ? null : <FindingView finding={claim.cause} />}
      <details>
        <summary>Stages of {claim.name}</summary>
        <Stages claim={claim} answer={answer} nowMs={nowMs} />
      </details>
    </li>
  );
}

function Waterfall({
  claim,
  nowMs,
  scaleMs,
  medianMs: usualMs,
}: {
  readonly claim: ClaimRow;
  readonly nowMs: number;
  readonly scaleMs: number;
  readonly medianMs: number | null;
}) {
  const at = (ms: number) => Math.min(100, Math.max(0, (100 * (ms - claim.createdMs)) / scaleMs));
  return (
    <div class="waterfall" aria-hidden="true">
      <div class="bars">
        {barsOf(claim, nowMs).map(({ step, startMs, endMs, state }) => {
          const left = at(startMs);
          const width = Math.max(0.4, at(endMs) - left);
          return (
            <span
              key={step}
              class={`bar step-${step} bar-${state}`}
              style={{ left: `${left}%`, width: `${width}%` }}
              title={`${STEP_TEXTS[step]}: ${seconds(endMs - startMs)}`}
            >
              {width > 8 ? `${STEP_TEXTS[step]} ${seconds(endMs - startMs)}` : ''}
            </span>
          );
        })}
        {usualMs === null ? null : (
          <span class="median" style={{ left: `${Math.min(100, (100 * usualMs) / scaleMs)}%` }} />
        )}
      </div>
      <div class="ticks">
        {axisTicks(scaleMs, 6).map((ms) => (
          <span key={ms} style={{ left: `${(100 * ms) / scaleMs}%` }}>
            {ms === 0 ? '0' : duration(ms)}
          </span>
        ))}
      </div>
    </div>
  );
}

function StepLegend() {
  return (
    <ul class="legend" aria-label="Colours of steps">
      {STEPS.map((step) => (
        <li key={step}>
          <span class={`swatch step-${step}`} aria-hidden="true" />
          {STEP_TEXTS[step]}
        </li>
      ))}
      <li>
        <span class="swatch bar-open" aria-hidden="true" />
        in progress
      </li>
      <li>
        <span class="swatch swatch-failed" aria-hidden="true" />
        failed
      </li>
      <li>
        <span class="median-mark" aria-hidden="true" />
        median
      </li>
    </ul>
  );
}

function Stages({
  claim,
  answer,
  nowMs,
}: {
  readonly claim: ClaimRow;
  readonly answer: ClaimsAnswer;
  readonly nowMs: number;
}) {
  return (
    <DataTable
      label={`Stages of ${claim.name}`}
      headings={[
        'Stage',
        { number: 'Began after' },
        { number: 'Took' },
        { number: 'Ended after' },
        { number: 'Median' },
        'Outcome',
        'Detail',
      ]}
    >
      {claim.stages.map((stage, index) => (
        <tr key={index}>
          <th scope="row">{stage.text}</th>
          <td class="number">{seconds(stage.startMs - claim.createdMs)}</td>
          <td class="number">{seconds(endOf(stage, nowMs) - stage.startMs)}</td>
          <td class="number">{stage.endMs === null ? '–' : seconds(stage.endMs - claim.createdMs)}</td>
          <td class="number">{usualText(answer, claim, stage.stage)}</td>
          <td>{stage.outcome}</td>
          <td class="wide">{stage.detail || '–'}</td>
        </tr>
      ))}
    </DataTable>
  );
}

/** When others have ended the stage. */
function usualText(answer: ClaimsAnswer, claim: ClaimRow, stage: string): string {
  const usualMs = usualEndMs(answer, claim, stage);
  return usualMs === null ? '–' : seconds(usualMs);
}

function tableOf(claims: readonly ClaimRow[], nowMs: number): Table {
  return {
    columns: ['name', 'nodePool', 'type', 'node', 'outcome', 'created', 'seconds', 'cause', 'fix'],
    rows: claims.map((claim) => [
      claim.name,
      claim.pool,
      claim.type,
      claim.node,
      OUTCOMES[claim.outcome],
      new Date(claim.createdMs).toISOString(),
      spanMs(claim, nowMs) / 1000,
      String(claim.cause?.['title'] ?? ''),
      String(claim.cause?.['fix'] ?? ''),
    ]),
  };
}
