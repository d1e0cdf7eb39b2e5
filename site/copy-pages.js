/** Copies the documentation to `pages/`: the README becomes the first page. */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const pages = join(import.meta.dirname, 'pages');

rmSync(pages, { recursive: true, force: true });
mkdirSync(pages);
for (const name of readdirSync(root).filter((each) => each.endsWith('.md'))) {
  const text = readFileSync(join(root, name), 'utf8');
  writeFileSync(join(pages, name === 'README.md' ? 'index.md' : name), text);
}
cpSync(join(root, 'docs'), join(pages, 'docs'), { recursive: true });
