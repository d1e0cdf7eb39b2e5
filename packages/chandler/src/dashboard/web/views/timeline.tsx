/** What happened and what it cost over the last hours: lanes that can be zoomed, and the same as a list. */
import { useMemo, useRef } from 'preact/hooks';
import { inOrder } from '../../happened-key.ts';
import type { Happened, PricePoint, TimelineAnswer } from '../../wire.ts';
import { useAnswer, useApp, usePlayback, useRoute, useServerNow, useStore } from '../app-context.ts';
import { hasWords, wordsOf } from '../model/choose-nodes.ts';
import type { Table } from '../model/csv.ts';
import { count, fullTime, pricePerHour, shortTime } from '../model/format.ts';
import { fitted, LANES, moved, pricesIn, type TimeRange, wholeOf, zoomed } from '../model/time-range.ts';
import { DataTable } from '../parts/data-table.tsx';
import { ExportButtons } from '../parts/export-buttons.tsx';
import { Subject } from '../parts/link.tsx';
import { Pages, pageOf } from '../parts/pages.tsx';
import { Answered, Empty } from '../parts/states.tsx';
import { Time, TimedText } from '../parts/time.tsx';
import { TimelineChart } from './timeline-chart.tsx';

export function Timeline() {
  const { from, to } = useRoute();
  // Without a range: the last hours. Asked for once; what happens afterwards comes with the stream, unless there is a gap in it.
  const query = new URLSearchParams({ from: String(Math.round(from)), to: String(Math.round(to)) });
  const answer = useAnswer<TimelineAnswer>(from > 0 ? `timeline?${query}` : 'timeline', 'gaps');
  const last = useRef<TimelineAnswer | null>(null);
  if (answer.value !== null) last.current = answer.value;
  // While a new range is read the old answer stays, so that zooming does not blink.
  const shown = { ...answer, value: answer.value ?? (answer.error === null ? last.current : null) };
  return <Answered answer={shown}>{(value) => <Range answer={value} />}</Answered>;
}

function Range({ answer }: { readonly answer: TimelineAnswer }) {
  const { navigation } = useApp();
  const { from, to, q, only, page } = useRoute();
  const store = useStore('happened');
  const nowMs = useServerNow(5000);
  const { replay } = usePlayback();
  const all = useMemo(
    () => inOrder([...answer.happened, ...store.happened]),
    [answer, store.revisions.happened],
  );
  const prices = useMemo(() => withLater(answer.prices, store.prices), [answer, store.revisions.happened]);
  const times = [...all, ...prices].map(({ atMs }) => atMs);
  const usual = replay === null ? fitted(times, nowMs) : wholeOf(answer);
  const range: TimeRange = from > 0 ? { fromMs: from, toMs: to } : usual;
  const shownPrices = pricesIn(prices, range);
  const words = wordsOf(q);
  const happened = all.filter(
    ({ atMs, what, subject, reason, text }) =>
      atMs >= range.fromMs &&
      atMs <= range.toMs &&
      (only === '' || what === only) &&
      hasWords(words, subject, reason, text),
  );
  const show = (next: TimeRange) => navigation.change({ from: next.fromMs, to: next.toMs });
  const middle = (range.fromMs + range.toMs) / 2;
  const newest = happened.toReversed();
  const { rows, pages } = pageOf(newest, page);
  return (
    <>
      <div class="toolbar">
        <fieldset class="buttons">
          <legend class="hidden">Range of time</legend>
          <button type="button" onClick={() => show(moved(range, -0.5))}>
            ← Earlier
          </button>
          <button type="button" onClick={() => show(zoomed(range, 0.5, middle))}>
            Zoom in
          </button>
          <button type="button" onClick={() => show(zoomed(range, 2, middle))}>
            Zoom out
          </button>
          <button type="button" onClick={() => show(moved(range, 0.5))}>
            Later →
          </button>
          {from === 0 ? null : (
            <button type="button" onClick={() => navigation.change({ from: 0, to: 0 })}>
              {replay === null ? 'Last 6 hours' : 'Whole recording'}
            </button>
          )}
        </fieldset>
        <label>
          What{' '}
          <select value={only} onChange={(event) => navigation.change({ only: event.currentTarget.value })}>
            <option value="">all</option>
            {LANES.map((lane) => (
              <option key={lane} value={lane}>
                {lane}
              </option>
            ))}
          </select>
        </label>
        <span class="soft">
          {fullTime(range.fromMs)} – {fullTime(range.toMs)}
        </span>
        <ExportButtons name="timeline" table={() => tableOf(happened)} />
      </div>
      <TimelineChart
        range={range}
        happened={happened}
        prices={shownPrices}
        onRange={show}
        onLane={(lane) => navigation.change({ only: only === lane ? '' : lane })}
      />
      <Prices prices={shownPrices} range={range} />
      {answer.cutBeforeMs === undefined ? null : (
        <p class="notice" role="status">
          More happened before {fullTime(answer.cutBeforeMs)} than is shown here. Choose an earlier or shorter
          time to see it.
        </p>
      )}
      {happened.length === 0 ? (
        <Empty title="Nothing happened in this time">
          {q === '' && only === ''
            ? 'Choose an earlier or longer time.'
            : 'Change the search or the filter, or choose another time.'}
        </Empty>
      ) : (
        <List rows={rows} nowMs={nowMs} />
      )}
      <p class="soft">{count(happened.length, 'event')}</p>
      {pages > 1 ? <Pages page={page} pages={pages} of={happened.length} /> : null}
    </>
  );
}

/** The price line in words. */
function Prices({ prices, range }: { readonly prices: readonly PricePoint[]; readonly range: TimeRange }) {
  const [first, last] = [prices[0], prices.at(-1)];
  if (first === undefined || last === undefined) return null;
  if (prices.length === 1)
    return (
      <p class="soft">
        Price: {pricePerHour(first.pricePerHour)}
        {first.atMs > range.fromMs ? (
          <>
            {' '}
            since <Time ms={first.atMs} />
          </>
        ) : (
          ', unchanged in this time'
        )}
        .
      </p>
    );
  const costs = prices.map((point) => point.pricePerHour);
  return (
    <p class="soft">
      Price: {pricePerHour(first.pricePerHour)} at <Time ms={first.atMs} />, {pricePerHour(last.pricePerHour)}{' '}
      at <Time ms={last.atMs} />; lowest {pricePerHour(Math.min(...costs))}, highest{' '}
      {pricePerHour(Math.max(...costs))}.
    </p>
  );
}

function List({ rows, nowMs }: { readonly rows: readonly Happened[]; readonly nowMs: number }) {
  return (
    <DataTable label="Events" headings={['Time', 'What', 'Object', 'Reason', 'Text']}>
      {rows.map((each, at) => (
        <tr key={`${each.atMs} ${at}`} class={each.warning ? 'row-warning' : undefined}>
          <td>
            <RecordedTime atMs={each.atMs} nowMs={nowMs} />
          </td>
          <td>
            <span class={`lane lane-${each.what}`}>{each.what}</span>
            {each.warning && each.what !== 'failure' ? <span class="soft"> warning</span> : null}
          </td>
          <td>
            <Subject subject={each.subject} />
          </td>
          <td>{each.reason}</td>
          <td class="wide">
            <TimedText text={each.text} />
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

/** In a recording a button: it leads to that time. */
function RecordedTime({ atMs, nowMs }: { readonly atMs: number; readonly nowMs: number }) {
  const playback = usePlayback();
  const time = <time dateTime={new Date(atMs).toISOString()}>{shortTime(atMs, nowMs)}</time>;
  if (playback.replay === null) return time;
  return (
    <button type="button" onClick={() => playback.seek(atMs)}>
      <span class="hidden">Go to </span>
      {time}
    </button>
  );
}

/** The prices of the answer and those that came with the stream after it. */
function withLater(prices: readonly PricePoint[], sent: readonly PricePoint[]): readonly PricePoint[] {
  const lastMs = prices.at(-1)?.atMs ?? 0;
  return [...prices, ...sent.filter(({ atMs }) => atMs > lastMs)];
}

function tableOf(happened: readonly Happened[]): Table {
  return {
    columns: ['at', 'what', 'object', 'reason', 'text', 'warning'],
    rows: happened.map(({ atMs, what, subject, reason, text, warning }) => [
      new Date(atMs).toISOString(),
      what,
      subject,
      reason,
      text,
      warning,
    ]),
  };
}
