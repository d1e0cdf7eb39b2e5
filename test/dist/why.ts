/** Twenty questions of the corpus, each from a dump in a file: the answer is the one that the corpus names. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeDump } from '../../packages/chandler/src/diagnose/index.ts';
import { type CorpusCase, corpus, dumpOf } from '../why/corpus.ts';
import type { Program } from './program.ts';
import type { Stage } from './suite.ts';

const QUESTIONS = 20;

export async function checkWhy({ suite, chandler, folder }: Stage): Promise<void> {
  const dumps = join(folder, 'dumps');
  mkdirSync(dumps);
  for (const one of questions()) {
    const { cause = 'nothing' } = one.expect;
    await suite.check(`${one.file}: ${cause}`, () => askOne(chandler, dumps, one));
  }
}

// ---------------------------------------------------------------------------------------------------

/** Spread over the whole corpus, which is sorted by layer and cause; those that need a run of the playground are left out. */
function questions(): readonly CorpusCase[] {
  const cases = corpus().filter(({ playground }) => playground === undefined);
  return Array.from({ length: QUESTIONS }, (_, at) => cases[Math.floor((at * cases.length) / QUESTIONS)]!);
}

interface Answer {
  readonly verdict: string;
  readonly cause?: { readonly id: string; readonly layer: string };
}

async function askOne(chandler: Program, dumps: string, one: CorpusCase): Promise<void> {
  const file = join(dumps, one.file.replace('.yaml', '.json.gz'));
  writeFileSync(file, encodeDump(dumpOf(one), true));
  const args = ['why', one.ask, '--dump', file, ...(one.byok ? ['--byok'] : [])];
  const { out } = await chandler.run([...args, '-o', 'json']);
  const { verdict, cause } = JSON.parse(out) as Answer;
  const wanted = one.expect;
  assert.equal(cause?.id, wanted.cause, 'the cause');
  if (wanted.layer !== undefined) assert.equal(cause?.layer, wanted.layer, 'the layer');
  if (wanted.verdict !== undefined) assert.equal(verdict, wanted.verdict, 'the verdict');
  if (wanted.text === undefined) return;
  const { out: text } = await chandler.run([...args, '--verbose']);
  for (const words of wanted.text) assert.ok(text.includes(words), `the answer does not say "${words}"`);
}
