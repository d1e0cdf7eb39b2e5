/**
 * `npm run test:why`: asks about every case of the corpus and prints the score. Names or beginnings of case files may be
 * given; `--print` shows the answers.
 */
import { explanationText } from '../../src/diagnose/index.ts';
import { type CaseResult, type CorpusCase, corpus, runObjects } from './corpus.ts';

const words = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const printing = process.argv.includes('--print');
const objectsOnly = process.argv.includes('--objects');
const chosen = corpus().filter(
  ({ file, playground }) =>
    (words.length === 0 || words.some((word) => file.startsWith(word))) &&
    !(objectsOnly && playground !== undefined),
);

const scores = { right: 0, wrong: 0, missed: 0 };
for (const one of chosen) {
  const result = await runCase(one);
  scores[result.outcome]++;
  if (result.outcome !== 'right')
    console.log(`${result.outcome.padEnd(6)}  ${one.file}: ${result.complaint}`);
  if (printing && result.explanation !== undefined)
    console.log(`--- ${one.file}: ${one.title}\n${explanationText(result.explanation, { verbose: true })}`);
}
const { right, wrong, missed } = scores;
const share = chosen.length === 0 ? 0 : Math.floor((100 * right) / chosen.length);
console.log(`${chosen.length} cases: ${right} right, ${wrong} wrong, ${missed} missed (${share} %)`);
process.exitCode = wrong + missed > 0 || chosen.length === 0 ? 1 : 0;

async function runCase(one: CorpusCase): Promise<CaseResult> {
  try {
    if (one.playground === undefined) return await runObjects(one);
    const { runPlayground } = await import('./playground-case.ts');
    return await runPlayground(one, one.playground);
  } catch (error) {
    return { outcome: 'missed', explanation: undefined, complaint: String((error as Error).stack ?? error) };
  }
}
