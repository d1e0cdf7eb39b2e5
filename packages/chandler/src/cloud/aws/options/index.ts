/** AWS's options, without anything that reads them: help and completion load these and no SDK. */
import type { CloudOptions } from '../../index.ts';
import { AWS_OPTIONS, AWS_RULES, type AwsControllerValues } from './options.ts';

export const awsOptions: CloudOptions = {
  title: 'AWS',
  table: AWS_OPTIONS,
  rules: AWS_RULES,
  ownGroups: [
    'AWS: region and endpoints',
    'AWS: identity',
    'AWS: values that are detected when not set',
    'AWS: behaviour',
    'AWS: calls',
  ],
  caFile: (values) => ({
    path: (values as unknown as AwsControllerValues).awsCaFile.value,
    flag: AWS_OPTIONS.awsCaFile.flag,
  }),
};

export { AWS_CONTROLLER_OPTIONS, AWS_OPTIONS, AWS_RULES, type AwsControllerValues } from './options.ts';
export { parseCallRate } from './value-checks.ts';
