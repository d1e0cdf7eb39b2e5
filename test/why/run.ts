/**
 * `npm run test:why`: asks about every case of the corpus and about every exit code, and prints the score; a whole run
 * writes it into docs/why.md. Names or beginnings of case files may be given; `--print` shows the answers, `--objects`
 * leaves out what runs a cluster. A whole run also asks about 10,000 combinations of cases, noise and faults; `--seed`
 * chooses others.
 */
import { parseArgs } from 'node:util';
import { explanationText } from '../../packages/chandler/src/diagnose/index.ts';
import { type CaseResult, type CorpusCase, corpus, runObjects } from './corpus.ts';
import { everyCode } from './every-code.ts';
import { type Score, scoreLine, writeScore } from './score.ts';

const { values: flags, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    print: { type: 'boolean', default: false },
    objects: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
  },
});
const { print: printing, objects: objectsOnly } = flags;
const isWhole = words.length === 0 && !objectsOnly;

const groups = [
  { name: 'from objects', cases: chosen(corpus().filter(({ playground }) => playground === undefined)) },
  { name: 'run end to end', cases: chosen(corpus().filter(({ playground }) => playground !== undefined)) },
  { name: 'every exit code, end to end', cases: chosen(everyCode()) },
];

const scores: Score[] = [];
for (const { name, cases } of groups) {
  const score = { name, cases: cases.length, right: 0, wrong: 0, missed: 0 };
  for (const one of cases) {
    const result = await runCase(one);
    score[result.outcome]++;
    tell(one, result);
  }
  if (cases.length > 0) console.log(scoreLine(score));
  scores.push(score);
}
const asked = scores.reduce((sum, { cases }) => sum + cases, 0);
const right = scores.reduce((sum, score) => sum + score.right, 0);
console.log(`${asked} cases, ${right} right (${asked === 0 ? 0 : Math.floor((100 * right) / asked)} %)`);
if (isWhole && writeScore(scores)) console.log('docs/why.md: the score has changed and was written');
const wrongCombinations = isWhole ? await combinations() : 0;
process.exitCode = right < asked || wrongCombinations > 0 || asked === 0 ? 1 : 0;

/** Ten thousand seeds; each that is wrong is printed. */
async function combinations(): Promise<number> {
  const { askCombinations } = await import('./metamorphic.ts');
  const first = Number(flags.seed) || 1;
  const count = 10_000;
  const wrong = await askCombinations(first, count);
  console.log(
    `combinations with noise, and pairs of faults: seeds ${first} to ${first + count - 1}, ${count - wrong} right, ${wrong} wrong`,
  );
  return wrong;
}

function chosen(cases: readonly CorpusCase[]): readonly CorpusCase[] {
  return cases.filter(
    ({ file, playground }) =>
      (words.length === 0 || words.some((word) => file.startsWith(word))) &&
      !(objectsOnly && playground !== undefined),
  );
}

function tell(one: CorpusCase, { outcome, complaint, explanation }: CaseResult): void {
  if (outcome !== 'right') console.log(`${outcome.padEnd(6)}  ${one.file}: ${complaint}`);
  if (printing && explanation !== undefined)
    console.log(`--- ${one.file}: ${one.title}\n${explanationText(explanation, { verbose: true })}`);
}

async function runCase(one: CorpusCase): Promise<CaseResult> {
  try {
    if (one.playground === undefined) return await runObjects(one);
    const { runPlayground } = await import('./playground-case.ts');
    return await runPlayground(one, one.playground);
  } catch (error) {
    return { outcome: 'missed', explanation: undefined, complaint: String((error as Error).stack ?? error) };
  }
}
