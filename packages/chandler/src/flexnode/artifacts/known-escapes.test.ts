import { expect, test } from 'vitest';
import { reading } from '../config/read.fixture.ts';
import { knownEscapes } from './known-escapes.ts';

test.each([
  ['runc', '1.1.11', ['CVE-2025-31133', 'CVE-2024-21626']],
  ['runc', '1.1.12', ['CVE-2025-31133']],
  ['runc', '1.2.7', ['CVE-2025-31133']],
  ['runc', '1.2.8', []],
  ['runc', '1.3.2', ['CVE-2025-31133']],
  ['runc', '1.3.3', []],
  ['runc', '1.4.0-rc.1', ['CVE-2025-31133']],
  ['runc', '1.4.3', []],
  ['runc', '1.5.0', []],
  ['containerd', '1.6.36', ['CVE-2026-53488']],
  ['containerd', '1.7.20', ['CVE-2026-53488']],
  ['containerd', '1.7.33', []],
  ['containerd', '2.1.8', ['CVE-2026-53488']],
  ['containerd', '2.3.4', []],
  ['containerd', '2.4.2', []],
] as const)('%s %s has the escapes %j', (program, version, ids) => {
  expect(knownEscapes(program, version).map((found) => found.ids[0])).toEqual(ids);
});

test('the default versions have no known escape', () => {
  const result = reading();
  expect(result.ok && knownEscapes('runc', result.config.runc.version)).toEqual([]);
  expect(result.ok && knownEscapes('containerd', result.config.containerd.version)).toEqual([]);
});
