/**
 * The examples in the READMEs of the packages are the files of this folder, letter by letter, and print what their
 * comments say. `tsc` checks the files.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';

afterEach(() => vi.restoreAllMocks());

describe.each(['kube', 'apiserver', 'cloudsim'])('the README of packages/%s', (name) => {
  const example = join(import.meta.dirname, `${name}.example.ts`);
  const text = readFileSync(example, 'utf8');
  const expected = [...text.matchAll(/^console\.log\(.*\); \/\/ (.*)$/gm)].map(([, output]) => output);

  test('contains the example', () => {
    const readme = readFileSync(join(import.meta.dirname, `../../packages/${name}/README.md`), 'utf8');
    expect([...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block]) => block)).toEqual([text]);
  });

  test('has an example that prints what it says', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    await import(example);
    expect(expected).not.toEqual([]);
    expect(log.mock.calls.map(printed)).toEqual(expected);
  });
});

/** As `console.log` writes it. */
function printed(values: readonly unknown[]): string {
  return values.map((value) => (typeof value === 'string' ? value : inspect(value))).join(' ');
}
