/**
 * The product of message forms, exit codes and image dates, against answers written by hand (`cse/*.yaml`). Nothing
 * that is expected here comes from the code under test.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { describeCseFailure, parseCseFailure } from '../../packages/chandler/src/bootstrap/index.ts';
import { LINUX_CODES } from '../../packages/chandler/src/bootstrap/testing.ts';

interface Form {
  readonly name: string;
  readonly text: string;
  readonly expect: {
    readonly form: string;
    readonly os: 'linux' | 'windows';
    readonly truncated: boolean;
    readonly outer?: number;
    readonly seconds?: number;
    readonly says?: string;
  };
}

type Name = string | readonly string[];
type Code = Readonly<Record<'before' | 'shared' | 'justAfter' | 'later' | 'windows', Name>> & {
  readonly again: boolean;
};

const { forms } = read('forms.yaml') as { readonly forms: readonly Form[] };
const { dates, codes } = read('codes.yaml') as {
  readonly dates: Readonly<Record<'before' | 'shared' | 'justAfter' | 'later', string>>;
  readonly codes: Readonly<Record<string, Code>>;
};

test('the corpus has 12 forms, 20 codes and 4 dates', () => {
  expect([forms.length, Object.keys(codes).length, Object.keys(dates).length]).toEqual([12, 20, 4]);
});

test('every current exit code of the table is in linux-names.yaml, under the same name', () => {
  const current = LINUX_CODES.filter(([, , , until]) => until === '');
  const names = read('linux-names.yaml') as Readonly<Record<string, string>>;
  expect(Object.fromEntries(current.map(([code, constant]) => [code, constant]))).toEqual(names);
});

describe.each(forms)('$name', ({ text, expect: wanted }) => {
  test.each(Object.keys(codes).map(Number))('[002-AC2] code %i is read from it', (code) => {
    const failure = parseCseFailure(text.replaceAll('<code>', String(code)));
    expect(failure).toMatchObject({
      exitCode: code,
      form: wanted.form,
      os: wanted.os,
      truncated: wanted.truncated,
    });
    if (wanted.outer !== undefined) expect(failure?.outerCode).toBe(wanted.outer);
    expect(failure?.execDurationSeconds).toBe(wanted.seconds);
    if (wanted.says !== undefined)
      expect([failure?.output, failure?.error, failure?.stderr].join('\n')).toContain(wanted.says);
  });

  describe.each(Object.entries(dates))('on an image %s the renumbering', (date, version) => {
    const imageId = `/CommunityGalleries/AKSUbuntu-1/images/2204gen2containerd/versions/${version}`;

    test.each(Object.entries(codes))('[002-AC3] code %s has the name it had then', (code, row) => {
      const failure = parseCseFailure(text.replaceAll('<code>', code))!;
      const description = describeCseFailure(failure, { imageId });
      const name = wanted.os === 'windows' ? row.windows : row[date as keyof typeof dates];
      expect(namesOf(description)).toEqual(name);
      if (wanted.os === 'linux' && name !== 'unknown') expect(description.deterministic).toBe(row.again);
    });
  });
});

function read(name: string): unknown {
  return parse(readFileSync(join(import.meta.dirname, 'cse', name), 'utf8'));
}

function namesOf(description: ReturnType<typeof describeCseFailure>): Name {
  const { ambiguous, constant, group } = description;
  if (ambiguous !== undefined) return ambiguous.map((name) => name.constant);
  return constant ?? (group === 'unknown' ? 'unknown' : 'none');
}
