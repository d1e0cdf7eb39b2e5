/** A bug while evidence is read ends the question with that error; it never becomes an answer with less evidence. */
import { PROGRAM_ERRORS, throwAtCall, virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { cataloguePlanner } from '../../packages/chandler/src/cli/testing.ts';
import { azureDiagnosis } from '../../packages/chandler/src/cloud/azure/index.ts';
import {
  dumpReader,
  encodeDump,
  explain,
  gather,
  openDump,
  parseSubject,
} from '../../packages/chandler/src/diagnose/index.ts';
import { type CorpusCase, corpus, dumpOf } from './corpus.ts';
import { NOW_MS } from './objects.ts';

const CLOUD = azureDiagnosis();

/** One case of every layer, and one of every kind of object in question. */
const CASES = [
  'L1.3-set-missing.yaml',
  'L4.4-key-disabled.yaml',
  'L5.4-bootstrap-refused.yaml',
  'L6.1-node-not-ready.yaml',
  'L6.3-too-large.yaml',
  'L7.1-image-pull.yaml',
  'L7.5-service-unreachable.yaml',
];

describe('a bug in a reader of `why`', () => {
  test.each(corpus().filter(({ file }) => CASES.includes(file)))('is thrown: $file', async (one) => {
    const calls = await callsOf(one, -1);
    expect(calls).toBeGreaterThan(3);
    for (let call = 0; call < calls; call++) {
      const bug = PROGRAM_ERRORS[call % PROGRAM_ERRORS.length]!;
      await expect(callsOf(one, call, bug)).rejects.toBe(bug);
    }
  });

  test('covers every case', () => {
    expect(corpus().filter(({ file }) => CASES.includes(file))).toHaveLength(CASES.length);
  });
});

async function callsOf(one: CorpusCase, call: number, error?: Error): Promise<number> {
  const world = virtualWorld({ startMs: NOW_MS });
  const reader = dumpReader(openDump(encodeDump(dumpOf(one), false)));
  const { it, calls } = throwAtCall({ get: reader.get, list: reader.list, log: reader.log }, call, error);
  const throwing = {
    from: reader.from,
    atMs: reader.atMs,
    kept: reader.kept,
    get: it.get,
    list: it.list,
    pages: reader.pages,
    log: it.log,
  };
  const subject = parseSubject([one.ask]);
  if (typeof subject === 'string') throw new Error(subject);
  const gathered = await gather(subject, {
    reader: throwing,
    cloud: CLOUD,
    planner: cataloguePlanner(world, throwing, CLOUD),
    expectsCustomerKey: one.byok ?? false,
  });
  if (gathered.state === 'gathered') explain(gathered.subject, gathered.evidence, CLOUD);
  return calls();
}
