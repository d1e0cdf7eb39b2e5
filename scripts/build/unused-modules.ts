/**
 * Leaves out parts of packages that nothing in the product uses, where loading them is expensive: prom-client's client of a
 * Pushgateway loads Node's HTTP and TLS modules with every command.
 */
import type { Plugin } from 'esbuild';

/** The path as the importer writes it, and the package of the importer. */
const UNUSED: readonly { readonly path: string; readonly package: string }[] = [
  { path: './lib/pushgateway', package: 'prom-client' },
];

export const withoutUnusedModules: Plugin = {
  name: 'without-unused-modules',
  setup(build) {
    for (const { path, package: name } of UNUSED) {
      build.onResolve({ filter: new RegExp(`^${path.replaceAll('.', '\\.')}$`) }, ({ importer }) =>
        importer.replaceAll('\\', '/').includes(`node_modules/${name}/`)
          ? { path: `${name}/${path}`, namespace: NAMESPACE }
          : undefined,
      );
    }
    build.onLoad({ filter: /.*/, namespace: NAMESPACE }, () => ({ contents: 'module.exports = undefined;' }));
  },
};

// ---------------------------------------------------------------------------------------------------

const NAMESPACE = 'unused';
