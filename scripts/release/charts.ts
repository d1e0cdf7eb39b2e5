/** Every chart of charts/ as an archive that Helm installs: the same for the same files, and made without Helm. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parseDocument } from 'yaml';
import type { BuildFacts } from '../build/build-facts.ts';
import { entriesOf } from '../image/root-files.ts';
import { writeTar } from '../image/tar.ts';

export interface PackedChart {
  /** `chandler-crd-0.2.0.tgz`. */
  readonly file: string;
  readonly content: Buffer;
}

/**
 * The commit goes into the annotations of a chart, which a registry shows.
 * @throws {Error} if a chart has another version, or another name than its folder.
 */
export function packCharts(
  folder: string,
  { version, commit }: Pick<BuildFacts, 'version' | 'commit'>,
): readonly PackedChart[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((each) => each.isDirectory())
    .map(({ name }) => packChart(join(folder, name), name, version, commit));
}

// ---------------------------------------------------------------------------------------------------

/** Also the name of the annotation in a registry, to which Helm copies it. */
const REVISION = 'org.opencontainers.image.revision';

function packChart(folder: string, name: string, version: string, commit: string): PackedChart {
  const document = parseDocument(readFileSync(join(folder, 'Chart.yaml'), 'utf8'));
  const chart = document.toJS() as Readonly<Record<string, unknown>>;
  for (const [key, wanted] of Object.entries({ name, version, appVersion: version }))
    if (chart[key] !== wanted)
      throw new Error(`charts/${name}/Chart.yaml: ${key} is ${chart[key]}, and must be ${wanted}`);
  document.setIn(['annotations', REVISION], commit);
  const content = Buffer.from(document.toString({ lineWidth: 0 }));
  const isIgnored = ignored(folder);
  const entries = entriesOf(folder, name)
    .filter((entry) => entry.name === name || !isIgnored(entry.name.slice(name.length + 1)))
    .map((entry) =>
      entry.kind === 'file' && entry.name === `${name}/Chart.yaml` ? { ...entry, content } : entry,
    );
  return { file: `${name}-${version}.tgz`, content: gzipSync(writeTar(entries, 0), { level: 9 }) };
}

/** Of `.helmignore`: names and patterns with `*`, matched against the path and against each name in it, as Helm does. */
function ignored(folder: string): (path: string) => boolean {
  const file = join(folder, '.helmignore');
  if (!existsSync(file)) return () => false;
  const patterns = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.replace(/^\//, '').replace(/\/$/, ''));
  const unknown = patterns.find((pattern) => /^!|\*\*|[[\]?]/.test(pattern));
  if (unknown !== undefined)
    throw new Error(`${file}: ${unknown} is a pattern that the release does not understand`);
  const expressions = patterns.map(
    (pattern) => new RegExp(`^${pattern.replace(/[.+^${}()|\\]/g, '\\$&').replaceAll('*', '[^/]*')}$`),
  );
  return (path) => {
    const names = path.split('/');
    const paths = names.map((_, at) => names.slice(0, at + 1).join('/'));
    return expressions.some((expression) => [...names, ...paths].some((each) => expression.test(each)));
  };
}
