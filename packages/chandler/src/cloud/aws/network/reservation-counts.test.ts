import { expect, test } from 'vitest';
import { ReservationCounts } from './reservation-counts.ts';

test('launches and refusals count until EC2 describes the reservation again', () => {
  const counts = new ReservationCounts();
  expect(counts.freeInstances('cr-1')).toBe(0);
  counts.observe([{ id: 'cr-1', freeInstances: 2 }]);
  counts.launched('cr-1');
  expect(counts.freeInstances('cr-1')).toBe(1);
  counts.full('cr-1');
  counts.launched('cr-1');
  expect(counts.freeInstances('cr-1')).toBe(0);
  counts.observe([{ id: 'cr-1', freeInstances: 2 }]);
  expect(counts.freeInstances('cr-1')).toBe(2);
  counts.terminated('cr-1');
  counts.terminated('cr-2');
  expect([counts.freeInstances('cr-1'), counts.freeInstances('cr-2')]).toEqual([3, 0]);
});

test('the sequence grows only when an answer has changed', () => {
  const counts = new ReservationCounts();
  counts.observe([{ id: 'cr-1', freeInstances: 2 }]);
  const before = counts.sequence;
  counts.observe([{ id: 'cr-1', freeInstances: 2 }]);
  expect(counts.sequence).toBe(before);
  counts.launched('cr-1');
  expect(counts.sequence).toBeGreaterThan(before);
});
