/** No command prints control characters of others: messages of containers, events, conditions, files and arguments. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { virtualWorld } from '@chandler/kube/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDisplay, run, VERBS } from '../../packages/chandler/src/cli/testing.ts';
import { encodeDump } from '../../packages/chandler/src/diagnose/index.ts';
import { everyNth } from '../part.ts';
import { corpus, dumpOf } from './corpus.ts';

/** OSC 52, CSI with seven and eight bits, a colour that hides, a carriage return, bidirectional controls. */
const HOSTILE =
  ' \u001b]52;c;cm0gLXJmIC8=\u0007\u001b[2J\u009b3J\u009d0;t\u009c\u001b[8m\u001b[31mx\rfine\u0008\u202egnp\u2066';

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
/** Labels that `why` paints itself, headings of `simulate`, and lines of `check`. */
const LABELS = 'healthy|in progress|broken|unexplained|ok|unknown|not reached';
const OWN_COLORS = new RegExp(
  `\u001b\\[(?:3[123]|90)m(?:(?:${LABELS})\u001b\\[0m|[^\u0000-\u001f]*\u001b\\[39m)|\u001b\\[1m[^\u001b]*\u001b\\[22m`,
  'g',
);

/** Hundreds of answers, on a busy machine. */
const WHOLE_CORPUS_MS = 600_000;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chandler-escapes-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function chandler(args: readonly string[], color = true) {
  let out = '';
  let err = '';
  const code = await run(VERBS, {
    args,
    env: {},
    terminal: { out: (text) => (out += text), err: (text) => (err += text), color },
    interrupted: AbortSignal.abort(new Error('interrupted')),
    world: async () => virtualWorld(),
  });
  return { code, out, err, printed: `${out}${err}` };
}

function expectClean(printed: string): void {
  expect(printed.replace(OWN_COLORS, '')).not.toMatch(CONTROL);
}

/** Every text that a cluster could have, made hostile; names stay as they are. */
function poisoned(value: unknown, key = ''): unknown {
  if (typeof value === 'string')
    return /^(?:message|reason|text|log|image|detail)$/.test(key) ? `${value}${HOSTILE}` : value;
  if (Array.isArray(value)) return value.map((each) => poisoned(each, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, poisoned(each, key === 'logs' ? 'log' : name)]),
  );
}

describe('chandler why', () => {
  const cases = corpus().filter(({ playground }) => playground === undefined);

  test(
    'prints no control character of a container, an event or a condition, in any case of the corpus',
    async () => {
      let shown = 0;
      const asked = everyNth('cases with hostile texts', cases, 30);
      for (const one of asked) {
        const dump = file(
          'hostile.json',
          encodeDump(poisoned(dumpOf(one)) as ReturnType<typeof dumpOf>, false),
        );
        for (const more of [['--verbose'], ['-o', 'json']]) {
          const { printed } = await chandler(['why', one.ask, '--dump', dump, ...more]);
          expectClean(printed);
          if (printed.includes('\\u001b]52;c;')) shown += 1;
        }
      }
      // The hostile texts are part of the answers.
      expect(shown).toBeGreaterThan(asked.length / 2);
    },
    WHOLE_CORPUS_MS,
  );

  test('prints the same text in JSON', async () => {
    const one = cases.find(({ file: name }) => name === 'L7.2-crash.yaml')!;
    const dump = file('same.json', encodeDump(poisoned(dumpOf(one)) as ReturnType<typeof dumpOf>, false));
    const { out } = await chandler(['why', one.ask, '--dump', dump, '-o', 'json']);
    expect(JSON.stringify(JSON.parse(out))).toContain('\u009b3J');
  });
});

describe('chandler simulate', () => {
  const pod = (more: string) => `apiVersion: v1
kind: Pod
metadata: { name: ${JSON.stringify(`web${HOSTILE}`)}, ${more}namespace: shop }
spec:
  containers: [{ name: main, image: x, resources: { requests: { cpu: "1" } } }]
`;

  test.each(['table', 'json', 'yaml', 'html'])('-o %s', async (form) => {
    const manifest = file('accepted.yaml', pod('uid: x, '));
    const { code, printed } = await chandler(['simulate', '-f', manifest, '-o', form]);
    expect(code).toBe(0);
    expectClean(printed);
  });

  test('an error about the file', async () => {
    const { code, printed } = await chandler(['simulate', '-f', file('rejected.yaml', pod(''))]);
    expect(code).toBe(1);
    expectClean(printed);
  });
});

describe('every command', () => {
  const bad = `x${HOSTILE}`;

  test.each(VERBS.map(({ name }) => name))('%s: arguments and files', async (name) => {
    const text = file(
      'bad.yaml',
      `apiVersion: v1\nkind: ${JSON.stringify(bad)}\nmetadata: ${JSON.stringify(bad)}\n`,
    );
    for (const args of [
      [bad],
      [text],
      [`--${bad}`],
      ['--output', bad],
      ['-f', text],
      ['-f', join(folder, bad)],
      ['--dump', text],
      ['--settings-file', text],
      ['config', 'check', '--config', text],
      ['--scenario', bad],
    ]) {
      // A server is not started: the call is interrupted, or its options are invalid.
      if (name === 'playground' && args[0] === '-f') continue;
      const { printed } = await chandler([name, ...args]).catch((error: unknown) => ({
        printed: error instanceof Error && !CONTROL.test(error.message) ? '' : '\u0000',
      }));
      expectClean(printed);
    }
  });

  test('an unknown one', async () => {
    expectClean((await chandler([bad])).printed);
  });
});

test('the display of a flex node run shows control characters instead of obeying them', () => {
  let written = '';
  const display = createDisplay({ write: (text) => (written += text), columns: () => 80 });
  display.show({ type: 'progress', step: 'x', message: `pulled${HOSTILE}` } as never);
  display.show({ type: 'leftover', leftover: { what: bad(), why: bad(), finish: [bad()] } } as never);
  display.close();
  expectClean(written.replaceAll('\r\u001b[K', ''));
  expect(written).toContain('\\u001b]52;c;');
});

function bad(): string {
  return `x${HOSTILE}`;
}
