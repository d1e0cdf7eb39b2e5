/** Connects `why` to AWS with the credentials of the environment, or with a login of the AWS command line where it is required. */
import { resolveOptions } from '../../../settings/index.ts';
import type { ConnectRequest } from '../../index.ts';
import { AWS_CONTROLLER_OPTIONS } from '../options/options.ts';
import type { AwsReader } from './aws-evidence.ts';

/** Variables that hold credentials for AWS, or say where they are. */
const CREDENTIALS = [
  'AWS_ACCESS_KEY_ID',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_PROFILE',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
];

/** Undefined without credentials, unless it is required. @throws {StartError} */
export async function connectReader(
  request: ConnectRequest,
): Promise<{ readonly reader: AwsReader; close(): Promise<void> } | undefined> {
  const { world, env, readFile, version, required, openWire } = request;
  if (!required && CREDENTIALS.every((name) => (env[name] ?? '') === '')) return undefined;
  // SDK clients take a moment to load; an answer without AWS need not wait for them.
  const { awsAccess } = await import('../parts/access.ts');
  const { awsReader } = await import('./aws-reader.ts');
  // Only the options about access to AWS matter here; other options of the controller may be missing.
  const { values } = resolveOptions(AWS_CONTROLLER_OPTIONS, {
    args: [],
    env,
    readFile: (path) => readFile(path).trim(),
  });
  const wire = openWire({ path: values.awsCaFile.value, flag: AWS_CONTROLLER_OPTIONS.awsCaFile.flag });
  const { calls } = awsAccess({ world, values, fetch: wire.fetch, readFile, version });
  return { reader: awsReader(calls), close: () => wire.close() };
}
