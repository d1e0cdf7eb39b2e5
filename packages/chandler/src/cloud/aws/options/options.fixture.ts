/** A controller's environment in which everything required is set, for tests. */
import { type Environment, resolveOptions } from '../../../settings/index.ts';
import type { LayerInputs } from '../../../settings/testing.ts';
import { AWS_CONTROLLER_OPTIONS, AWS_RULES } from './options.ts';

export const GOOD_ENV: Environment = { CLUSTER_NAME: 'my-cluster', AWS_REGION: 'us-west-2' };

export function resolveAws(inputs: Partial<LayerInputs> = {}) {
  return resolveOptions(
    AWS_CONTROLLER_OPTIONS,
    {
      args: inputs.args ?? [],
      env: inputs.env ?? GOOD_ENV,
      configMap: inputs.configMap,
      readFile: inputs.readFile ?? noFile,
    },
    AWS_RULES,
  );
}

function noFile(path: string): string {
  throw Object.assign(new Error(`no file ${path}`), { code: 'ENOENT' });
}
