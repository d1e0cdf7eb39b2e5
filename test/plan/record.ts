/** `node test/plan/record.ts`: writes the golden files anew. Read the difference before you commit it. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EXAMPLES, GOLDEN, planExample } from './examples.ts';

await mkdir(GOLDEN, { recursive: true });
for (const name of Object.keys(EXAMPLES)) {
  const { out } = await planExample(name);
  await writeFile(join(GOLDEN, `${name}.txt`), out);
}
