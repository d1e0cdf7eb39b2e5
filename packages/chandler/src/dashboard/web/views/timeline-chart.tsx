/** The lanes of the timeline and the price above them. The list below it has the same content for screen readers. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Happened, TimelineAnswer } from '../../wire.ts';
import { clockTime, fullTime, pricePerHour } from '../model/format.ts';
import { bucketsOf, LANES, type Lane, type TimeRange, ticksIn, zoomed } from '../model/time-range.ts';

const PRICE_HEIGHT = 72;
const LANE_HEIGHT = 24;
const LABEL_WIDTH = 88;
const BUCKET_WIDTH = 8;
/** Of a label with some space. */
const TICK_WIDTH = 60;
const MIN_TICKS = 3;

export function TimelineChart({
  range,
  happened,
  prices,
  onRange,
  onLane,
}: {
  readonly range: TimeRange;
  readonly happened: readonly Happened[];
  /** Of the range, the one that it begins with included. */
  readonly prices: TimelineAnswer['prices'];
  readonly onRange: (range: TimeRange) => void;
  readonly onLane: (lane: Lane) => void;
}) {
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const inner = Math.max(40, width - LABEL_WIDTH - 24);
  const height = PRICE_HEIGHT + LANES.length * LANE_HEIGHT + 24;
  const x = (ms: number) => LABEL_WIDTH + (inner * (ms - range.fromMs)) / (range.toMs - range.fromMs);
  const current = useRef({ range, onRange });
  current.current = { range, onRange };
  useEffect(() => {
    const chart = place.current!;
    const turned = (event: WheelEvent) => {
      // Without Ctrl the wheel scrolls the page, as everywhere.
      if (!event.ctrlKey) return;
      event.preventDefault();
      const { range: now, onRange: show } = current.current;
      const box = chart.getBoundingClientRect();
      const part = Math.min(
        1,
        Math.max(0, (event.clientX - box.left - LABEL_WIDTH) / (box.width - LABEL_WIDTH)),
      );
      show(zoomed(now, event.deltaY < 0 ? 0.8 : 1.25, now.fromMs + part * (now.toMs - now.fromMs)));
    };
    chart.addEventListener('wheel', turned, { passive: false });
    return () => chart.removeEventListener('wheel', turned);
  }, []);
  const buckets = bucketsOf(happened, range, Math.max(10, Math.floor(inner / BUCKET_WIDTH)));
  const ticks = ticksIn(range, Math.max(MIN_TICKS, Math.floor(inner / TICK_WIDTH)));
  const hasSeconds = ticks.some((ms) => ms % 60_000 !== 0);
  const most = Math.max(1, ...buckets.map((bucket) => bucket.count));
  return (
    <div class="chart" ref={place} aria-hidden="true">
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
        <title>Timeline</title>
        {ticks.map((ms) => (
          <g key={ms}>
            <line class="grid" x1={x(ms)} x2={x(ms)} y1={0} y2={height - 20} />
            <text class="axis" x={x(ms)} y={height - 6} text-anchor="middle">
              {hasSeconds ? fullTime(ms).slice(-8) : clockTime(ms)}
            </text>
          </g>
        ))}
        <PriceLine prices={prices} range={range} x={x} />
        {LANES.map((lane, at) => (
          <g key={lane} transform={`translate(0 ${PRICE_HEIGHT + at * LANE_HEIGHT})`}>
            <line class="grid" x1={LABEL_WIDTH} x2={width} y1={LANE_HEIGHT} y2={LANE_HEIGHT} />
            {/* biome-ignore lint/a11y/noStaticElementInteractions: the list below has the same content. */}
            <text class="axis lane-name" x={0} y={16} onClick={() => onLane(lane)}>
              {lane}
            </text>
          </g>
        ))}
        {buckets.map((bucket) => {
          const size = 6 + 14 * Math.sqrt(bucket.count / most);
          const top = PRICE_HEIGHT + LANES.indexOf(bucket.lane) * LANE_HEIGHT + (LANE_HEIGHT - size) / 2;
          return (
            // biome-ignore lint/a11y/noStaticElementInteractions: the list below has the same content.
            <rect
              key={`${bucket.lane} ${bucket.fromMs}`}
              class={`lane-mark lane-mark-${bucket.lane}`}
              x={x(bucket.fromMs)}
              y={top}
              width={BUCKET_WIDTH - 1}
              height={size}
              rx={2}
              onClick={() => onRange(zoomed({ fromMs: bucket.fromMs, toMs: bucket.toMs }, 6, bucket.fromMs))}
            >
              <title>{`${bucket.lane}: ${bucket.count} at ${clockTime(bucket.fromMs)}`}</title>
            </rect>
          );
        })}
      </svg>
    </div>
  );
}

function PriceLine({
  prices,
  range,
  x,
}: {
  readonly prices: TimelineAnswer['prices'];
  readonly range: TimeRange;
  readonly x: (ms: number) => number;
}) {
  if (prices.length === 0) return null;
  const top = Math.max(...prices.map(({ pricePerHour: each }) => each));
  const y = (value: number) => PRICE_HEIGHT - 12 - ((PRICE_HEIGHT - 28) * value) / (top || 1);
  // A price holds until the next one: steps, not slopes.
  const steps = prices.map(({ atMs, pricePerHour: each }, at) =>
    at === 0 ? `M${x(atMs)} ${y(each)}` : `H${x(atMs)}V${y(each)}`,
  );
  const end = `H${x(range.toMs)}`;
  return (
    <>
      <path class="price-area" d={`${steps.join('')}${end}V${PRICE_HEIGHT - 12}H${x(prices[0]!.atMs)}Z`} />
      <path class="price-line" d={`${steps.join('')}${end}`} />
      <text class="axis" x={0} y={16}>
        price
      </text>
      <text class="axis" x={0} y={32}>
        {pricePerHour(prices.at(-1)!.pricePerHour)}
      </text>
    </>
  );
}

function useWidth(place: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(800);
  useLayoutEffect(() => {
    const chart = place.current!;
    const observer = new ResizeObserver(() => setWidth(chart.clientWidth));
    observer.observe(chart);
    return () => observer.disconnect();
  }, [place]);
  return width;
}
