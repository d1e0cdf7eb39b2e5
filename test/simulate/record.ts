/** `node test/simulate/record.ts`: writes the golden files anew. Read the difference before you commit it. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EXAMPLES, FORMS, GOLDEN, simulateExample } from './examples.ts';

await mkdir(GOLDEN, { recursive: true });
for (const name of EXAMPLES) {
  for (const [form, extension] of Object.entries(FORMS)) {
    const { out } = await simulateExample(name, form);
    await writeFile(join(GOLDEN, `${name}.${extension}`), out);
  }
}
