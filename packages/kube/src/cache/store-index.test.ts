import { expect, test } from 'vitest';
import type { KubeObject } from '../object.ts';
import { StoreIndex } from './store-index.ts';

const aPod = (name: string): KubeObject => ({ metadata: { name } });

test('values of few and of many objects keep the order in which they were filed', () => {
  const index = new StoreIndex<KubeObject>(() => ['all']);
  const model = new Set<KubeObject>();
  const pods = Array.from({ length: 600 }, (_, at) => aPod(`p${at}`));
  const agree = () => expect(index.get('all')).toEqual([...model]);
  for (const pod of pods) {
    index.move(undefined, pod);
    // Filed twice, it is there once.
    index.move(undefined, pod);
    model.add(pod);
    if (model.size % 60 === 0) agree();
  }
  for (const [at, pod] of pods.entries()) {
    // Every third is updated, which puts it at the end; the others are deleted.
    const after = at % 3 === 0 ? aPod(`${pod.metadata.name}-2`) : undefined;
    index.move(pod, after);
    model.delete(pod);
    if (after !== undefined) model.add(after);
    if (at % 40 === 0) agree();
  }
  agree();
  for (const pod of [...model]) {
    index.move(pod, undefined);
    model.delete(pod);
    if (model.size % 40 === 0) agree();
  }
  expect(index.get('all')).toEqual([]);
});

test('a list that was given stays as it was, and is the same one until an object changes', () => {
  for (const size of [3, 400]) {
    const index = new StoreIndex<KubeObject>(({ metadata }) => [metadata.name!.slice(0, 1)]);
    for (let at = 0; at < size; at++) index.move(undefined, aPod(`a${at}`));
    const before = index.get('a');
    index.move(undefined, aPod('b'));
    expect(index.get('a')).toBe(before);
    index.move(before[0], undefined);
    expect(before).toHaveLength(size);
    expect(index.get('a')).toEqual(before.slice(1));
    expect(index.get('a')).toBe(index.get('a'));
    expect(index.get('c')).toEqual([]);
  }
});
