/** The tiles on their canvas: frames, scrolling, the pointer, the keyboard, and the picture as a file. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PodRow } from '../../wire.ts';
import { useApp, useRoute } from '../app-context.ts';
import { after, monotonicMs } from '../browser.ts';
import { formatRoute, toObject } from '../model/route.ts';
import { save } from '../parts/export-buttons.tsx';
import { Empty } from '../parts/states.tsx';
import { onTheme } from '../theme.ts';
import { blocksOf } from './blocks.ts';
import { contains, type Layout, neighbour, type Tile, tileAt } from './layout.ts';
import { insideOf } from './paint.ts';
import { readPalette } from './palette.ts';
import { pictureOf } from './picture.ts';
import { Scene } from './scene.ts';
import { nodeText, TileTip } from './tile-tip.tsx';

interface Hover {
  readonly x: number;
  readonly y: number;
  readonly name: string;
  readonly pod: PodRow | undefined;
  /** Near the lower end of what is in sight: the box is above the pointer. */
  readonly isLow: boolean;
}

export function ClusterCanvas() {
  const { store, navigation, playback } = useApp();
  const { q, only, group, size } = useRoute();
  // A recording has no pages of objects.
  const isRecorded = playback.replay !== null;
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const scene = useRef<Scene>(undefined);
  scene.current ??= new Scene(store);
  const [layout, setLayout] = useState<Layout>(scene.current.layout);
  const [hover, setHover] = useState<Hover | null>(null);
  const wanted = useFrames(scene.current, scroller, canvas, setLayout);

  useEffect(() => {
    scene.current!.setOptions({ q, only, group, size });
    wanted();
  }, [q, only, group, size, wanted]);

  const pointed = (event: MouseEvent): Hover | null => {
    const box = scroller.current!.getBoundingClientRect();
    const x = event.clientX - box.left - PADDING;
    const y = event.clientY - box.top - PADDING + scroller.current!.scrollTop;
    const tile = tileAt(scene.current!.layout, x, y);
    if (tile === undefined) return null;
    const isLow = event.clientY > box.top + box.height / 2;
    return { x: x + PADDING, y: y + PADDING, name: tile.name, pod: podAt(scene.current!, tile, x, y), isLow };
  };
  const open = (event: MouseEvent) => {
    const at = pointed(event);
    if (at === null || isRecorded) return;
    const node = store.nodes.get(at.name);
    const claim = node?.node === null ? `NodeClaim/${at.name}` : `Node/${at.name}`;
    navigation.go(toObject(at.pod === undefined ? claim : `Pod/${at.pod[0]}/${at.pod[1]}`));
  };

  return (
    <section class="tiles" aria-label="Nodes">
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the tiles are reached by keyboard through the links of TileLinks. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: as above. */}
      <div
        class="scroller"
        ref={scroller}
        onClick={open}
        onMouseMove={(event) => setHover(pointed(event))}
        onMouseLeave={() => setHover(null)}
      >
        <div class="sheet" style={{ height: `${layout.height + PADDING}px` }}>
          <canvas ref={canvas} class={isRecorded ? 'recorded' : undefined} />
          <TileLinks layout={layout} scroller={scroller} />
        </div>
        {hover === null ? null : <TileTip {...hover} width={layout.width} />}
      </div>
      {layout.tiles.length === 0 && layout.width > 1 ? (
        <Empty title="No node matches">Change the search or the filter.</Empty>
      ) : null}
      <div class="tiles-foot">
        <button
          type="button"
          onClick={() =>
            pictureOf(scene.current!, document.documentElement, (file) => save('cluster.png', file))
          }
        >
          PNG<span class="hidden"> of the tiles</span>
        </button>
        {layout.measures.detail === 'bar' ? (
          <span class="soft">Pods are drawn as one bar for each state at this size.</span>
        ) : null}
        {store.hasPods ? null : <span class="soft">Pods are not shown: an empty tile is no empty node.</span>}
      </div>
    </section>
  );
}

/** As the style sheet has it. */
const PADDING = 16;

/** Draws when something changed, once a frame. The answer asks for a frame. */
function useFrames(
  scene: Scene,
  scroller: { readonly current: HTMLDivElement | null },
  canvas: { readonly current: HTMLCanvasElement | null },
  setLayout: (layout: Layout) => void,
): () => void {
  const { store } = useApp();
  const frame = useRef(0);
  const wanted = useRef(() => {
    frame.current ||= requestAnimationFrame(() => drawn.current());
  });
  const drawn = useRef<() => void>(() => undefined);
  /** Ends the wait for a frame that is due later. */
  const later = useRef<() => void>(undefined);
  drawn.current = () => {
    frame.current = 0;
    const context = canvas.current?.getContext('2d');
    if (!context || !scroller.current) return;
    const nowMs = monotonicMs();
    scene.scroll(Math.max(0, scroller.current.scrollTop - PADDING));
    if (scene.update(nowMs)) setLayout(scene.layout);
    later.current?.();
    const againMs = scene.draw(context, nowMs);
    if (againMs === 0) wanted.current();
    else later.current = againMs === undefined ? undefined : after(againMs, () => wanted.current());
  };
  // Undone at once when the view goes: the canvas is not there any more.
  useLayoutEffect(() => {
    const place = scroller.current!;
    const sheet = canvas.current!;
    const size = () => {
      const [width, height] = [Math.max(1, place.clientWidth - 2 * PADDING), place.clientHeight];
      scene.resize(width, height);
      const scale = window.devicePixelRatio || 1;
      if (sheet.width !== Math.round(width * scale) || sheet.height !== Math.round(height * scale)) {
        sheet.width = Math.round(width * scale);
        sheet.height = Math.round(height * scale);
        sheet.style.width = `${width}px`;
        sheet.style.height = `${height}px`;
        sheet.getContext('2d')!.setTransform(scale, 0, 0, scale, 0, 0);
      }
      wanted.current();
    };
    const colours = () => {
      scene.setPalette(readPalette(document.documentElement));
      wanted.current();
    };
    colours();
    size();
    const observer = new ResizeObserver(size);
    observer.observe(place);
    const scrolled = () => wanted.current();
    place.addEventListener('scroll', scrolled, { passive: true });
    let epoch = store.epoch;
    const unlisten = store.listen(() => {
      if (epoch !== store.epoch) scene.reset();
      epoch = store.epoch;
      wanted.current();
    });
    const untheme = onTheme(colours);
    return () => {
      cancelAnimationFrame(frame.current);
      frame.current = 0;
      later.current?.();
      observer.disconnect();
      place.removeEventListener('scroll', scrolled);
      unlisten();
      untheme();
    };
  }, [scene, store]);
  return wanted.current;
}

function podAt(scene: Scene, tile: Tile, x: number, y: number): PodRow | undefined {
  const node = scene.store.nodes.get(tile.name);
  const { detail } = scene.layout.measures;
  if (node === undefined || detail === 'bar') return undefined;
  const blocks = blocksOf(node, scene.store.loadOf(tile.name), insideOf(tile, detail));
  return blocks.find((block) => contains(block, x, y))?.pod;
}

/**
 * The tiles for keyboard and screen reader: a list of links, of which the one that has the focus and its neighbours exist. Arrow keys
 * move the focus as the tiles lie.
 */
function TileLinks({
  layout,
  scroller,
}: {
  readonly layout: Layout;
  readonly scroller: { readonly current: HTMLDivElement | null };
}) {
  const { store, navigation, playback } = useApp();
  const isRecorded = playback.replay !== null;
  const [active, setActive] = useState('');
  const list = useRef<HTMLUListElement>(null);
  const moved = useRef(false);
  const at = layout.indexOf.get(active) ?? 0;
  const shown = [at - 1, at, at + 1].filter((index) => layout.tiles[index] !== undefined);
  useLayoutEffect(() => {
    if (!moved.current) return;
    moved.current = false;
    const tile = layout.tiles[at];
    if (tile === undefined) return;
    list.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });
    const place = scroller.current!;
    const top = tile.y + PADDING;
    if (top < place.scrollTop) place.scrollTop = top - 48;
    else if (top + tile.height > place.scrollTop + place.clientHeight)
      place.scrollTop = top + tile.height - place.clientHeight + 16;
  });
  const pressed = (event: KeyboardEvent) => {
    if (!/^(Arrow|Home|End)/.test(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    moved.current = true;
    setActive(layout.tiles[neighbour(layout, at, event.key)]?.name ?? '');
  };
  return (
    <ul class="tile-links" ref={list}>
      {shown.map((index) => {
        const tile = layout.tiles[index]!;
        const node = store.nodes.get(tile.name);
        const to = toObject(node?.node === null ? `NodeClaim/${tile.name}` : `Node/${tile.name}`);
        const { x, y, width, height } = tile;
        return (
          <li key={tile.name} aria-setsize={layout.tiles.length} aria-posinset={index + 1}>
            <a
              href={formatRoute(to)}
              aria-disabled={isRecorded}
              tabIndex={index === at ? 0 : -1}
              style={{ left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` }}
              onKeyDown={pressed}
              onFocus={() => setActive(tile.name)}
              onClick={(event) => {
                event.preventDefault();
                event.stopPropagation();
                if (!isRecorded) navigation.go(to);
              }}
            >
              <span class="hidden">
                {node === undefined ? tile.name : nodeText(node, store.loadOf(tile.name), store.hasPods)}
              </span>
            </a>
          </li>
        );
      })}
    </ul>
  );
}
