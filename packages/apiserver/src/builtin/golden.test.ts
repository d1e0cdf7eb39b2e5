import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type GoldenCase, replay } from './golden/replay.ts';

const FOLDER = new URL('./golden/cases/', import.meta.url);

describe.each(readdirSync(FOLDER).sort())('what a real server answers: %s', (file) => {
  const cases = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as GoldenCase[];

  test.each(cases.map((golden) => [golden.name, golden] as const))('%s', (_name, golden) => {
    expect(replay(golden)).toEqual(golden.expect);
  });
});
