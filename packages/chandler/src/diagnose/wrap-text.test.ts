/** Long answers on a terminal. */
import { expect, test } from 'vitest';
import { wrapped } from './wrap-text.ts';

test('lines wrap at the width, under the text that they continue', () => {
  const fix = '  fix      Raise spec.limits of the NodePool, or remove workload from it.';
  expect(wrapped(fix, 45)).toBe(
    ['  fix      Raise spec.limits of the NodePool,', '           or remove workload from it.'].join('\n'),
  );
  expect(wrapped('The pod has been Pending for ten minutes and has no node.', 40)).toBe(
    'The pod has been Pending for ten minutes\n  and has no node.',
  );
});

test('no word is lost or cut, whatever the width', () => {
  const text = `  seen     ${'a-word-that-is-longer-than-the-width-of-the-terminal '.repeat(3)}end\n\n  x`;
  for (const width of [40, 41, 60, 200]) {
    expect(wrapped(text, width).split(/\s+/)).toEqual(text.split(/\s+/));
  }
});

test('commands, short lines and texts for files stay as they are', () => {
  const command = `  confirm  kubectl describe pod -n shop ${'x'.repeat(60)} --show-events\n           kubectl get nodes ${'y'.repeat(60)} -o wide`;
  expect(wrapped(command, 60)).toBe(command);
  expect(wrapped('short', 60)).toBe('short');
  expect(wrapped('long '.repeat(50), undefined)).toBe('long '.repeat(50));
});

test('colours take no room', () => {
  const line = `  6 Scheduling  \u001b[31mbroken\u001b[0m  twenty characters ..`;
  expect(wrapped(line, 46)).toBe(line);
});
