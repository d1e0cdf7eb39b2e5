/** Consoles of VMs are coloured: the same log in colours has the same cause. */
import { expect, test } from 'vitest';

import { type CorpusCase, corpus, runObjects } from './corpus.ts';

const CASES = corpus().filter(
  ({ azure = [], playground }) =>
    playground === undefined &&
    azure.some(({ kind, text }) => kind === 'serialLog' && text !== '' && !String(text).includes('\u001b')),
);

test('the same log in colours has the same cause', async () => {
  expect(CASES.length).toBeGreaterThan(40);
  const wrong: string[] = [];
  for (const one of CASES) {
    const { explanation } = await runObjects(coloured(one));
    const cause = explanation?.cause?.id;
    if (cause !== one.expect.cause) wrong.push(`${one.file}: ${cause}`);
  }
  expect(wrong).toEqual([]);
});

// ---------------------------------------------------------------------------------------------------

/** As systemd does, around words. */
function coloured(one: CorpusCase): CorpusCase {
  const azure = one.azure!.map((record) => {
    const { kind, text } = record;
    if (kind !== 'serialLog' || typeof text !== 'string') return record;
    return { ...record, text: text.replace(/[A-Za-z]{2,}/g, '\u001b[0;1;39m$&\u001b[0m') };
  });
  return { ...one, azure };
}
