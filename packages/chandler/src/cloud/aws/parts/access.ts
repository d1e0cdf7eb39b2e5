/**
 * From options to a way into AWS: which region, who we are there, at which endpoints and how fast we may call. Nothing is asked of AWS
 * yet.
 */
import type { Fetch, World } from '@chandler/kube';
import { DeniedCalls } from '../../index.ts';
import type { AwsError } from '../errors/index.ts';
import { type AwsControllerValues, parseCallRate } from '../options/index.ts';
import {
  type AwsCalls,
  type AwsCredentialSource,
  type AwsService,
  type CredentialSettings,
  createAwsCalls,
  createCredentials,
  InstanceMetadata,
  RegionSource,
} from '../wire/index.ts';

export interface AwsAccess {
  readonly region: RegionSource;
  readonly credentials: AwsCredentialSource;
  readonly calls: AwsCalls;
  /** Of these calls, those that AWS denies. */
  readonly denied: DeniedCalls<AwsError>;
}

export interface AwsAccessOptions {
  readonly world: World;
  readonly values: AwsControllerValues;
  /** To AWS: with a private authority where one is needed, and with a fence. */
  readonly fetch: Fetch;
  readonly readFile: (path: string) => string;
  readonly version: string;
  /** What to do where no credentials are found. Default: for the service account of the controller. */
  readonly credentialAdvice?: string;
}

export function awsAccess(options: AwsAccessOptions): AwsAccess {
  const { world, values, fetch, readFile, version, credentialAdvice } = options;
  const metadata = new InstanceMetadata({
    world,
    fetch,
    endpoint: textOf(values.awsEc2MetadataServiceEndpoint.value),
  });
  const settings = credentialSettings(values);
  const region = new RegionSource({
    region: values.awsRegion,
    profile: settings,
    metadata: values.awsEc2MetadataDisabled.value ? undefined : metadata,
  });
  // Every step of it has a deadline.
  const regionName = async () => (await region.get(new AbortController().signal)).value;
  const endpoint = endpointsOf(values);
  const shared = {
    world,
    fetch,
    region: regionName,
    version,
    useFips: values.awsUseFipsEndpoint.value,
    useDualstack: values.awsUseDualstackEndpoint.value,
  };
  const credentials = createCredentials({
    ...shared,
    settings,
    readFile,
    metadata,
    stsEndpoint: endpoint.sts,
    ...(credentialAdvice === undefined ? {} : { advice: credentialAdvice }),
  });
  const denied = new DeniedCalls<AwsError>(world.clock);
  const calls = createAwsCalls({
    ...shared,
    denied,
    credentials,
    endpoint,
    timeoutMs: values.awsCallTimeout.value,
    longestWaitMs: values.awsLongestWait.value,
    rates: { percent: values.awsRatePercent.value, overrides: ratesOf(values) },
  });
  return { region, credentials, calls, denied };
}

// ---------------------------------------------------------------------------------------------------------------

function textOf(value: string): string | undefined {
  return value === '' ? undefined : value;
}

function endpointsOf(values: AwsControllerValues): Partial<Record<AwsService, string>> {
  // The controller does not call the others: they have the common URL.
  const own: Readonly<Record<Exclude<AwsService, 'events' | 'kms' | 'servicequotas'>, string>> = {
    'arc-zonal-shift': values.awsEndpointUrlArcZonalShift.value,
    ec2: values.awsEndpointUrlEc2.value,
    eks: values.awsEndpointUrlEks.value,
    iam: values.awsEndpointUrlIam.value,
    pricing: values.awsEndpointUrlPricing.value,
    sqs: values.awsEndpointUrlSqs.value,
    ssm: values.awsEndpointUrlSsm.value,
    sts: values.awsEndpointUrlSts.value,
  };
  const common = values.awsEndpointUrl.value;
  const named = [...Object.entries({ events: '', kms: '', servicequotas: '', ...own })].map(
    ([service, url]) => [service, url === '' ? common : url],
  );
  return Object.fromEntries(named.filter(([, url]) => url !== ''));
}

function credentialSettings(values: AwsControllerValues): CredentialSettings {
  return {
    profile: values.awsProfile.value,
    credentialsFile: values.awsSharedCredentialsFile.value,
    configFile: values.awsConfigFile.value,
    accessKeyId: values.awsAccessKeyId.value,
    secretAccessKey: values.awsSecretAccessKey.value,
    sessionToken: values.awsSessionToken.value,
    webIdentityTokenFile: values.awsWebIdentityTokenFile.value,
    roleArn: values.awsRoleArn.value,
    roleSessionName: values.awsRoleSessionName.value,
    containerUri: values.awsContainerCredentialsFullUri.value,
    containerTokenFile: values.awsContainerAuthorizationTokenFile.value,
    metadataDisabled: values.awsEc2MetadataDisabled.value,
  };
}

function ratesOf({ awsCallRates }: AwsControllerValues) {
  const rates = Object.entries(awsCallRates.value).map(([name, text]) => {
    const rate = parseCallRate(text);
    if (rate === undefined) throw new Error(`aws-call-rates: ${name}=${text} was not checked`);
    return [name, rate] as const;
  });
  return Object.fromEntries(rates);
}
