/**
 * `npm run image`: the image of `chandler` for amd64 and arm64, without Docker. Writes dist/image/: an OCI image layout, an
 * archive of each architecture to import, the bills of materials and the digests. Builds dist/ first; `--no-build` takes it as
 * it is. `--name` is the name that the archives carry, `--architecture` limits it to one.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildFacts } from './build/build-facts.ts';
import { DIST, ROOT } from './build/paths.ts';
import { debianProblem, type ImageArchitecture } from './image/debian.ts';
import { ARCHITECTURES, buildImage, DEFAULT_NAME } from './image/image.ts';

const { values } = parseArgs({
  options: {
    'no-build': { type: 'boolean', default: false },
    name: { type: 'string', default: DEFAULT_NAME },
    architecture: { type: 'string' },
  },
});
const wanted = ARCHITECTURES.filter((each) => (values.architecture ?? each) === each);
if (wanted.length === 0) {
  console.error(`image: ${values.architecture} is no architecture of the image; there are: ${ARCHITECTURES}`);
  process.exit(2);
}
const problem = debianProblem();
if (problem !== undefined) {
  console.error(`image: the image cannot be built here: ${problem}`);
  process.exit(1);
}
if (!values['no-build'])
  execFileSync(process.execPath, ['scripts/build.ts', '--package-only'], { cwd: ROOT, stdio: 'inherit' });
try {
  const { digest, platforms } = buildImage({
    root: ROOT,
    dist: DIST,
    folder: join(DIST, 'image'),
    name: values.name,
    architectures: wanted satisfies readonly ImageArchitecture[],
    facts: buildFacts(ROOT),
  });
  for (const { architecture, digest: own, packedBytes } of platforms)
    console.log(`linux/${architecture}: ${own}, ${(packedBytes / 1_000_000).toFixed(1)} MB compressed`);
  console.log(`dist/image/layout: ${digest}`);
} catch (error) {
  console.error(`image: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
