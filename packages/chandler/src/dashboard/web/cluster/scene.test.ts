import { expect, test } from 'vitest';
import type { PodRow } from '../../wire.ts';
import { aNode, aPod, aStore } from '../model/store.fixture.ts';
import type { Palette } from './palette.ts';
import { Scene } from './scene.ts';

const PALETTE = { pods: {}, phases: {} } as unknown as Palette;

/** A canvas that keeps the texts that were drawn. */
function aCanvas() {
  const texts: string[] = [];
  const known = {
    measureText: (text: string) => ({ width: text.length }),
    fillText: (text: string) => texts.push(text),
  };
  const context = new Proxy(known as unknown as CanvasRenderingContext2D, {
    get: (target, name) => Reflect.get(target, name) ?? (() => undefined),
    set: () => true,
  });
  return { texts, context };
}

function aScene(nodes: readonly ReturnType<typeof aNode>[], pods: readonly PodRow[] = []) {
  const store = aStore(nodes, pods);
  const scene = new Scene(store);
  scene.setPalette(PALETTE);
  scene.resize(1000, 600);
  const { texts, context } = aCanvas();
  const draw = (nowMs: number) => {
    scene.update(nowMs);
    return scene.draw(context, nowMs);
  };
  const header = () => texts.findLast((text) => / nodes? · /.test(text));
  return { store, scene, draw, header, texts };
}

test('the sum of a group follows a change that came soon after the last reading, without a further change', () => {
  const { store, draw, header } = aScene([aNode('a'), aNode('b')]);
  draw(1000);
  expect(header()).toContain('$1.00/h');
  store.apply([['node', aNode('b', { pricePerHour: 2.5 })]], 8);
  const againMs = draw(1100);
  expect(againMs).toBeGreaterThan(0);
  // Nothing changes any more: the frame that was asked for draws the sum.
  expect(draw(1100 + againMs!)).toBeUndefined();
  expect(header()).toContain('$3.00/h');
});

test('while something moves the sums are read, too', () => {
  const { store, scene, draw, header } = aScene([aNode('a')]);
  draw(1000);
  scene.motion.isMoving = () => true;
  store.apply([['pod', aPod('web', 'a', 'r', 2000)]], 8);
  draw(1100);
  expect(draw(1700)).toBe(0);
  expect(header()).toContain('CPU 50% requested');
});

test('nothing changed: no frame is asked for', () => {
  const { draw } = aScene([aNode('a')]);
  expect(draw(1000)).toBeUndefined();
  expect(draw(5000)).toBeUndefined();
});

test('where pods may not be read a tile says so: it is not that of an empty node', () => {
  const { store, draw, texts } = aScene([aNode('a')]);
  draw(1000);
  expect(texts).not.toContain('pods not shown');
  store.apply([['missing', [{ resource: 'pods', reason: 'denied', text: '' }]]], 8);
  store.apply([['node', aNode('a', { phase: 'cordoned' })]], 9);
  draw(2000);
  expect(texts).toContain('pods not shown');
});

test('a tile that was drawn while pods could not be read is drawn again as soon as they can', () => {
  const { store, draw, texts } = aScene([aNode('a')], [aPod('web', 'a', 'r')]);
  store.apply([['missing', [{ resource: 'pods', reason: 'denied', text: '' }]]], 8);
  draw(1000);
  expect(texts).toContain('pods not shown');
  texts.length = 0;
  store.apply([['missing', []]], 9);
  draw(2000);
  expect(texts).toContain('a');
  expect(texts).not.toContain('pods not shown');
});

test('a tile keeps its pods while they are not up to date', () => {
  const { store, scene, draw, texts } = aScene([aNode('a')], [aPod('web', 'a', 'r')]);
  draw(1000);
  store.apply([['missing', [{ resource: 'pods', reason: 'failed', text: '' }]]], 8);
  scene.scroll(1);
  draw(2000);
  expect(texts).not.toContain('pods not shown');
});
