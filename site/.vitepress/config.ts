/**
 * The documentation as a site: the files of `docs/` and of the root, as they are, with a search that needs no network. A link
 * to a page that does not exist fails the build. Links to sources have no page and become plain text.
 */
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path/posix';
import { defineConfig } from 'vitepress';

const PAGES = join(import.meta.dirname, '../pages');
/** On the same page, or of another site. */
const KEPT = /^(?:[a-z]+:|#)/;

export default defineConfig({
  title: 'Chandler',
  description:
    'Provisions Kubernetes nodes, removes them when they are not needed, and explains why a node is not Ready',
  // Copies, so that they are inside of this package.
  srcDir: 'pages',
  outDir: '../dist/site',
  cacheDir: '../dist/site-cache',
  vite: { build: { chunkSizeWarningLimit: 4_000 } },
  lastUpdated: false,
  markdown: {
    // Angle brackets in texts are placeholders.
    html: false,
    config(markdown) {
      // Double braces are text, not expressions.
      const { text, code_inline: code } = markdown.renderer.rules;
      if (text === undefined || code === undefined) throw new Error('markdown-it has no rule for texts');
      const escaped =
        (rule: typeof text) =>
        (...given: Parameters<typeof text>) =>
          rule(...given).replaceAll('{{', '&#123;&#123;');
      Object.assign(markdown.renderer.rules, { text: escaped(text), code_inline: escaped(code) });
      markdown.core.ruler.push('links to sources', ({ tokens, env }) => {
        const page: string = env.relativePath ?? '';
        const open: boolean[] = [];
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          if (token.type === 'link_open') {
            const href = pageOf(page, token.attrGet('href') ?? '');
            if (href === undefined) {
              token.tag = 'span';
              token.attrs = null;
            } else token.attrSet('href', href);
            open.push(href !== undefined);
          } else if (token.type === 'link_close' && open.pop() === false) token.tag = 'span';
        }
      });
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: sidebarOf(readFileSync(join(PAGES, 'index.md'), 'utf8')),
  },
});

// ---------------------------------------------------------------------------------------------------

/** The link on the site; undefined: what it leads to has no page. `from`: the path of the page that has the link. */
function pageOf(from: string, href: string): string | undefined {
  if (KEPT.test(href)) return href;
  const path = normalize(join(dirname(from), href.replace(/[#?].*$/, '')));
  if (path === 'README.md') return href.replace('README.md', 'index.md');
  return /^(?:docs\/)?[^/]+\.md$/.test(path) ? href : undefined;
}

/** The README's table of what one wants to do, with the pages for it. */
function sidebarOf(
  readme: string,
): { text: string; collapsed: boolean; items: { text: string; link: string }[] }[] {
  const rows = readme.matchAll(/^\| ([^|`[]+) \| (.*\]\(.+\.md.*) \|$/gm);
  return [...rows].map(([, text = '', cell = '']) => ({
    text: `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`,
    collapsed: false,
    items: [...cell.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, name = '', link = '']) => ({
      text: name.replace(/^(?:docs\/)?(.+)\.md$/, '$1'),
      link: `/${link}`,
    })),
  }));
}
