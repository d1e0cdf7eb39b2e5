/**
 * The generated tables of docs/reliability.md: every bug found and every deliberate bug. `node
 * test/faults/tables.ts` writes them; a test compares them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { type CloudBug, DEFAULT_CLOUD } from './clouds.ts';
import { deliberateBugs } from './deliberate-bugs.ts';
import { REGRESSIONS } from './regressions.table.ts';

export const PAGE: URL = new URL('../../docs/reliability.md', import.meta.url);

/** The page with current tables. */
export async function withTables(page: string): Promise<string> {
  const bugs = bugTable(await deliberateBugs());
  return Object.entries({ regressions: regressionTable(), 'deliberate-bugs': bugs }).reduce(
    (text, [name, table]) => {
      const [begin, end] = [`<!-- ${name}: generated -->\n`, `<!-- end of ${name} -->`];
      const [from, to] = [text.indexOf(begin), text.indexOf(end)];
      if (from < 0 || to < from) throw new Error(`the page has no markers for the table ${name}`);
      return `${text.slice(0, from + begin.length)}${table}\n${text.slice(to)}`;
    },
    page,
  );
}

if (import.meta.main) writeFileSync(PAGE, await withTables(readFileSync(PAGE, 'utf8')));

// ---------------------------------------------------------------------------------------------------

function regressionTable(): string {
  return rows(
    ['what was wrong', 'where', 'cloud', 'found by seed', 'checker', 'since'],
    REGRESSIONS.map(({ what, module, cloud = DEFAULT_CLOUD, seed, foundBy, since }) => [
      what,
      `\`${module}\``,
      cloud,
      seed === undefined ? 'none' : `${seed}`,
      foundBy,
      since,
    ]),
  );
}

function bugTable(bugs: readonly CloudBug[]): string {
  return rows(
    ['bug', 'cloud', 'found by'],
    bugs.map(({ name, cloud, foundBy }) => [name, cloud, foundBy]),
  );
}

function rows(head: readonly string[], body: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
