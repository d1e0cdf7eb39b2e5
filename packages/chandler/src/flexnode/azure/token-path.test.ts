import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '@chandler/kube';
import { expect, test } from 'vitest';
import { serve } from '../../../../../test/flexnode/standins/serve.ts';
import { loopbackGet } from './loopback-get.ts';

test('the token helper loads nothing but Node.js itself: kubelet waits for it', () => {
  const seen = new Set<string>();
  const packages = new Set<string>();
  const pending = [join(import.meta.dirname, 'exec-credential.ts')];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const text = readFileSync(path, 'utf8');
    for (const [, name = ''] of text.matchAll(/^(?:import|export)\s(?!type\b)[^;]*?from '([^']+)'/gms)) {
      if (name.startsWith('.')) pending.push(join(dirname(path), name));
      else packages.add(name);
    }
    expect(text).not.toMatch(/\bimport\('/);
  }
  expect([...packages].every((name) => name.startsWith('node:'))).toBe(true);
  expect(seen.size).toBeGreaterThan(4);
  expect([...seen].some((path) => path.includes('/src/arm/'))).toBe(false);
});

test('[004-SEC-9] a server that never answers is given up', async () => {
  const server = await serve({ handler: () => new Promise(() => undefined) });
  const impatient = { after: (_: number, task: () => void) => systemClock.after(20, task) };
  try {
    await expect(loopbackGet(impatient)(new URL(server.url), {})).rejects.toThrow('no response within 5 s');
  } finally {
    await server.close();
  }
});

test('a caller who gives up is heard', async () => {
  const server = await serve({ handler: () => new Promise(() => undefined) });
  const stop = new AbortController();
  try {
    const asked = loopbackGet(systemClock)(new URL(server.url), {}, stop.signal);
    stop.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
  } finally {
    await server.close();
  }
});
