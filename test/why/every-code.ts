/**
 * Every exit code of node provisioning once end to end: a machine ends with it, in one of the two modes by turns, and the
 * claim, the events and `why` must name it. Names come from a list that is kept apart from the table under test.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { CorpusCase } from './corpus.ts';

/** An image of the time of the list. */
const IMAGE = 'AKSUbuntu 202608.05.0';

/** What machines of the playground print with these codes shows more than the code does. */
const REALLY: Readonly<Record<number, string>> = { 102: 'cse.really.package-lock' };

export function everyCode(): readonly CorpusCase[] {
  const names = parse(readFileSync(join(import.meta.dirname, 'cse/linux-names.yaml'), 'utf8')) as Record<
    string,
    string
  >;
  return Object.entries(names).map(([code, constant], index) => {
    const mode = index % 2 === 0 ? 'aksscriptless' : 'bootstrappingclient';
    const says = `CSE exited with code ${code} (${constant}): `;
    return {
      file: `code-${code}`,
      title: `code ${code} is ${constant}, in the mode ${mode}`,
      ask: 'nodeclaim/{claim}',
      playground: {
        image: IMAGE,
        env: { PROVISION_MODE: mode },
        faults: [`cse=${code}`],
        until: 'nodeclaim CSEProvisioned=False CSEFailed',
      },
      expect: {
        cause: REALLY[Number(code)] ?? `cse.${code}`,
        layer: 'bootstrap',
        verdict: 'broken',
        text: [constant],
        condition: `NodeClaim CSEProvisioned=False CSEFailed: ${says}`,
        event: `Warning CSEFailed NodeClaim: ${says}`,
      },
    } satisfies CorpusCase;
  });
}
