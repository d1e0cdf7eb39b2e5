/** The score of the corpus as docs/why.md shows it: written by a whole run, and checked in between for its counts. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Score {
  readonly name: string;
  readonly cases: number;
  readonly right: number;
  readonly wrong: number;
  readonly missed: number;
}

export const WHY_PAGE = join(import.meta.dirname, '../../docs/why.md');

const BEGIN = '<!-- score: npm run test:why -->';
const END = '<!-- end of score -->';

export function scoreLine({ name, cases, right, wrong, missed }: Score): string {
  return `${name}: ${cases} cases, ${right} right, ${wrong} wrong, ${missed} missed`;
}

export function scoreTable(scores: readonly Score[]): string {
  const rows = scores.map(
    ({ name, cases, right, wrong, missed }) => `| ${name} | ${cases} | ${right} | ${wrong} | ${missed} |`,
  );
  return ['| cases | asked | right | wrong | missed |', '| --- | --- | --- | --- | --- |', ...rows].join(
    '\n',
  );
}

/** True when the page was another. */
export function writeScore(scores: readonly Score[]): boolean {
  const page = readFileSync(WHY_PAGE, 'utf8');
  const written = withScore(page, scores);
  if (written !== page) writeFileSync(WHY_PAGE, written);
  return written !== page;
}

export function withScore(page: string, scores: readonly Score[]): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error('docs/why.md has no place for the score');
  return `${before}${BEGIN}\n\n${scoreTable(scores)}\n\n${END}${after}`;
}
