/**
 * Connects `why` to AWS, in the region of the cluster, with the credentials that the SDKs would use. Without credentials or
 * region there is no reader, and a sentence that says what is missing.
 */
import type { LookupFailure } from '../../../causes/index.ts';
import { resolveOptions, type Sourced } from '../../../settings/index.ts';
import type { ConnectRequest } from '../../index.ts';
import { toAwsError } from '../errors/index.ts';
import { AWS_CONTROLLER_OPTIONS } from '../options/options.ts';
import type { AwsCalls } from '../wire/calls.ts';
import { regionProblem } from '../wire/region-names.ts';
import { regionLookups } from '../wire/unknown-region.ts';
import type { AwsReader } from './aws-evidence.ts';

export interface CallsConnection {
  /** Undefined: `missing` says why. */
  readonly access?: { readonly calls: AwsCalls; readonly region: string };
  readonly missing?: LookupFailure;
  close(): Promise<void>;
}

export interface ReaderConnection {
  readonly reader?: AwsReader;
  /** Why there is no reader. */
  readonly missing?: LookupFailure;
  close(): Promise<void>;
}

/** @throws {StartError} */
export async function connectReader(request: ConnectRequest): Promise<ReaderConnection> {
  if (!request.required && !hasCredentials(request))
    return { missing: notConfigured(`${ADVICE}; ${INSTANCE_ADVICE}`), close: async () => {} };
  const { access, missing, close } = await connectCalls(request, '', NOT_SHOWN);
  if (access === undefined) return { ...(missing === undefined ? {} : { missing }), close };
  const { awsReader } = await import('./aws-reader.ts');
  return { reader: awsReader(access.calls, access.region), close };
}

/**
 * @param request with `region`, that is used.
 * @param profile of the files of the AWS command line.
 * @param before where the caller looked for the region in vain.
 * @throws {StartError}
 */
export async function connectCalls(
  request: ConnectRequest,
  profile = '',
  before = '',
): Promise<CallsConnection> {
  const { world, env, readFile, version, openWire } = request;
  // SDK clients take a moment to load; an answer without AWS need not wait for them.
  const { awsAccess } = await import('../parts/access.ts');
  // Only the options about access to AWS matter here; other options of the controller may be missing.
  const { values } = resolveOptions(AWS_CONTROLLER_OPTIONS, {
    args: [],
    env,
    readFile: (path) => readFile(path).trim(),
  });
  const wire = openWire({ path: values.awsCaFile.value, flag: AWS_CONTROLLER_OPTIONS.awsCaFile.flag });
  const close = () => wire.close();
  const awsRegion = regionOf(request, values.awsRegion);
  const { region, credentials, calls } = awsAccess({
    world,
    values: { ...values, awsRegion, ...chosenProfile(profile) },
    fetch: wire.fetch,
    readFile,
    version,
    credentialAdvice: ADVICE,
  });
  // Asked once: otherwise every call would ask again, and wait for it.
  const { signal } = new AbortController();
  const found = await answered(region.get(signal));
  if ('failure' in found) {
    const message = `the region is not known, set AWS_REGION: ${before}${regionLookups(found.failure)}`;
    return { missing: { why: 'notAsked', message }, close };
  }
  const given = await answered(credentials.get(signal));
  if ('failure' in given) return { missing: notConfigured(given.failure), close };
  return { access: { calls, region: found.answer.value }, close };
}

// ---------------------------------------------------------------------------------------------------------------

/** Variables that hold credentials for AWS, or say where they are. */
const CREDENTIALS = [
  'AWS_ACCESS_KEY_ID',
  'AWS_CONFIG_FILE',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
  'AWS_PROFILE',
  'AWS_SHARED_CREDENTIALS_FILE',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
];

const ADVICE =
  'set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or sign in with the AWS command line';
const INSTANCE_ADVICE = '--aws on also uses the role of an EC2 instance';

const NOT_SHOWN = 'neither objects of the cluster nor the options of its controller show it, ';

/** A profile that somebody names beats keys in the environment. */
function chosenProfile(profile: string) {
  if (profile === '') return {};
  const given = (value: string) => ({ value, source: 'flag', path: '--profile' }) as const;
  return {
    awsProfile: given(profile),
    awsAccessKeyId: given(''),
    awsSecretAccessKey: given(''),
    awsSessionToken: given(''),
  };
}

function notConfigured(message: string): LookupFailure {
  return { why: 'notConfigured', message };
}

/** @throws an error of the program. */
async function answered<T>(
  promise: Promise<T>,
): Promise<{ readonly answer: T } | { readonly failure: string }> {
  try {
    return { answer: await promise };
  } catch (error) {
    return { failure: toAwsError(error).message };
  }
}

/** In a variable, or in the files of the AWS command line. */
function hasCredentials({ env, readFile }: ConnectRequest): boolean {
  if (CREDENTIALS.some((name) => (env[name] ?? '') !== '')) return true;
  const home = env['HOME'] ?? env['USERPROFILE'] ?? '';
  return home !== '' && ['credentials', 'config'].some((file) => exists(readFile, `${home}/.aws/${file}`));
}

function exists(readFile: (path: string) => string, path: string): boolean {
  try {
    return readFile(path).trim() !== '';
  } catch {
    return false;
  }
}

/** That of the cluster: in another region, AWS would say that an instance does not exist. */
function regionOf({ region = '' }: ConnectRequest, option: Sourced<string>): Sourced<string> {
  if (regionProblem(region) !== undefined) return option;
  return {
    value: region,
    source: 'cluster',
    path: 'objects of the cluster and the options of its controller',
  };
}
