/** The journey of each NodeClaim as a waterfall, compared with the median; failures with cause and fix. */
import type { ClaimRow, ClaimsAnswer } from '../../wire.ts';
import { useAnswer, useApp, useRoute, useServerNow } from '../app-context.ts';
import { hasWords, wordsOf } from '../model/choose-nodes.ts';
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
  const answer = useAnswer<ClaimsAnswer>('claims', 'nodes');
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
        <Stages claim={claim} nowMs={nowMs} />
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
      {claim.stages.map((stage, index) => {
        const left = at(stage.startMs);
        const width = Math.max(0.4, at(endOf(stage, nowMs)) - left);
        return (
          <span
            key={index}
            class={`bar bar-${stage.outcome === 'failed' ? 'failed' : stage.endMs === null ? 'open' : 'done'} bar-${index % 2}`}
            style={{ left: `${left}%`, width: `${width}%` }}
            title={`${stage.text}: ${seconds(endOf(stage, nowMs) - stage.startMs)}`}
          />
        );
      })}
      {usualMs === null ? null : (
        <span class="median" style={{ left: `${Math.min(100, (100 * usualMs) / scaleMs)}%` }} />
      )}
    </div>
  );
}

function Stages({ claim, nowMs }: { readonly claim: ClaimRow; readonly nowMs: number }) {
  return (
    <DataTable
      label={`Stages of ${claim.name}`}
      headings={['Stage', { number: 'After' }, { number: 'Took' }, 'Outcome', 'Detail']}
    >
      {claim.stages.map((stage, index) => (
        <tr key={index}>
          <th scope="row">{stage.text}</th>
          <td class="number">{seconds(stage.startMs - claim.createdMs)}</td>
          <td class="number">{seconds(endOf(stage, nowMs) - stage.startMs)}</td>
          <td>{stage.outcome}</td>
          <td class="wide">{stage.detail || '–'}</td>
        </tr>
      ))}
    </DataTable>
  );
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
