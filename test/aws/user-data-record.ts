/** `node test/aws/user-data-record.ts`: writes the golden files again. Read the difference before you commit it. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CASES, GOLDEN, renderCase, sourcesText } from './user-data-cases.ts';

await rm(GOLDEN, { recursive: true, force: true });
await mkdir(GOLDEN, { recursive: true });
for (const [name, overrides] of Object.entries(CASES)) {
  const rendered = renderCase(overrides);
  await writeFile(join(GOLDEN, `${name}.txt`), rendered.text);
  await writeFile(join(GOLDEN, `${name}.sources.tsv`), sourcesText(rendered));
}
