/**
 * Options for AWS that Karpenter's provider reads from the environment only, or does not have: region, endpoints and identity by the
 * variables of the SDKs, an override for values that are detected in the cluster, and the rate limits of calls.
 */
import { ipProblem, kubernetesVersionProblem, optionGroup } from '../../../settings/index.ts';
import { DEFAULT_CALL_TIMEOUT_MS, DEFAULT_LONGEST_WAIT_MS } from '../wire/limits.ts';
import { regionProblem } from '../wire/region-names.ts';
import { callRatesProblem, cidrProblem } from './value-checks.ts';

const URL_OPTION = { type: 'url', default: '' } as const;
const TEXT_OPTION = { type: 'string', default: '' } as const;
const FILE_OPTION = { type: 'string', default: '', placeholder: 'FILE' } as const;

const PLACES = optionGroup(
  { group: 'AWS: region and endpoints', settingsPrefix: 'aws.' },
  {
    awsRegion: {
      flag: 'aws-region',
      env: ['AWS_REGION', 'AWS_DEFAULT_REGION'],
      ...TEXT_OPTION,
      check: regionProblem,
      doc: 'The region of the cluster; if empty, the region of the profile (--aws-profile), else the controller asks the metadata service of its instance',
    },
    awsEndpointUrl: {
      flag: 'aws-endpoint-url',
      env: 'AWS_ENDPOINT_URL',
      ...URL_OPTION,
      doc: 'The endpoint of all services, for tests; if empty, the public endpoints of the region',
    },
    awsEndpointUrlArcZonalShift: {
      flag: 'aws-endpoint-url-arc-zonal-shift',
      env: 'AWS_ENDPOINT_URL_ARC_ZONAL_SHIFT',
      ...URL_OPTION,
      doc: 'The endpoint of ARC zonal shift',
    },
    awsEndpointUrlEc2: {
      flag: 'aws-endpoint-url-ec2',
      env: 'AWS_ENDPOINT_URL_EC2',
      ...URL_OPTION,
      doc: 'The endpoint of EC2, such as a VPC endpoint without private DNS',
    },
    awsEndpointUrlEks: {
      flag: 'aws-endpoint-url-eks',
      env: 'AWS_ENDPOINT_URL_EKS',
      ...URL_OPTION,
      doc: 'The endpoint of EKS',
    },
    awsEndpointUrlIam: {
      flag: 'aws-endpoint-url-iam',
      env: 'AWS_ENDPOINT_URL_IAM',
      ...URL_OPTION,
      doc: 'The endpoint of IAM',
    },
    awsEndpointUrlPricing: {
      flag: 'aws-endpoint-url-pricing',
      env: 'AWS_ENDPOINT_URL_PRICING',
      ...URL_OPTION,
      doc: 'The endpoint of the Price List',
    },
    awsEndpointUrlSqs: {
      flag: 'aws-endpoint-url-sqs',
      env: 'AWS_ENDPOINT_URL_SQS',
      ...URL_OPTION,
      doc: 'The endpoint of SQS',
    },
    awsEndpointUrlSsm: {
      flag: 'aws-endpoint-url-ssm',
      env: 'AWS_ENDPOINT_URL_SSM',
      ...URL_OPTION,
      doc: 'The endpoint of Systems Manager',
    },
    awsEndpointUrlSts: {
      flag: 'aws-endpoint-url-sts',
      env: 'AWS_ENDPOINT_URL_STS',
      ...URL_OPTION,
      doc: 'The endpoint of STS',
    },
    awsUseFipsEndpoint: {
      flag: 'aws-use-fips-endpoint',
      env: 'AWS_USE_FIPS_ENDPOINT',
      type: 'boolean',
      default: false,
      doc: 'Use the FIPS endpoints of the region',
    },
    awsUseDualstackEndpoint: {
      flag: 'aws-use-dualstack-endpoint',
      env: 'AWS_USE_DUALSTACK_ENDPOINT',
      type: 'boolean',
      default: false,
      doc: 'Use the endpoints that have IPv6 addresses, too',
    },
    awsCaFile: {
      flag: 'aws-ca-file',
      env: 'AWS_CA_BUNDLE',
      ...FILE_OPTION,
      doc: 'Additional CA certificates for endpoints of AWS, for proxies and private endpoints',
    },
  },
);

const IDENTITY = optionGroup(
  { group: 'AWS: identity', settingsPrefix: 'aws.' },
  {
    awsProfile: {
      flag: 'aws-profile',
      env: 'AWS_PROFILE',
      ...TEXT_OPTION,
      doc: 'A profile of the files of the AWS command line',
    },
    awsSharedCredentialsFile: {
      flag: 'aws-shared-credentials-file',
      env: 'AWS_SHARED_CREDENTIALS_FILE',
      ...FILE_OPTION,
      doc: 'The file with credentials of profiles; if empty, ~/.aws/credentials',
    },
    awsConfigFile: {
      flag: 'aws-config-file',
      env: 'AWS_CONFIG_FILE',
      ...FILE_OPTION,
      doc: 'The file with settings of profiles; if empty, ~/.aws/config',
    },
    awsAccessKeyId: {
      flag: 'aws-access-key-id',
      env: 'AWS_ACCESS_KEY_ID',
      ...TEXT_OPTION,
      doc: 'The ID of an access key, if the controller has no role',
    },
    awsSecretAccessKey: {
      flag: 'aws-secret-access-key',
      env: 'AWS_SECRET_ACCESS_KEY',
      ...TEXT_OPTION,
      secret: true,
      doc: 'The secret of the access key',
    },
    awsSessionToken: {
      flag: 'aws-session-token',
      env: 'AWS_SESSION_TOKEN',
      ...TEXT_OPTION,
      secret: true,
      doc: 'The session token of a temporary access key; the controller cannot renew it',
    },
    awsRoleArn: {
      flag: 'aws-role-arn',
      env: 'AWS_ROLE_ARN',
      ...TEXT_OPTION,
      check: (text: string) =>
        /^arn:aws[-a-z]*:iam::\d{12}:role\/\S+$/.test(text)
          ? undefined
          : 'the ARN of a role, such as arn:aws:iam::111122223333:role/name',
      doc: 'The role of the web identity; EKS sets it in pods whose service account has the annotation eks.amazonaws.com/role-arn (IRSA)',
    },
    awsWebIdentityTokenFile: {
      flag: 'aws-web-identity-token-file',
      env: 'AWS_WEB_IDENTITY_TOKEN_FILE',
      ...FILE_OPTION,
      doc: 'The token of the web identity; EKS sets it beside the role (IRSA)',
    },
    awsRoleSessionName: {
      flag: 'aws-role-session-name',
      env: 'AWS_ROLE_SESSION_NAME',
      ...TEXT_OPTION,
      check: (text: string) =>
        /^[\w+=,.@-]{2,64}$/.test(text) ? undefined : '2 to 64 letters, digits and +=,.@-_',
      doc: 'The session of the web identity, as CloudTrail shows it',
    },
    awsContainerCredentialsFullUri: {
      flag: 'aws-container-credentials-full-uri',
      env: 'AWS_CONTAINER_CREDENTIALS_FULL_URI',
      ...URL_OPTION,
      doc: 'Where the credentials of the pod are read; EKS Pod Identity sets it',
    },
    awsContainerAuthorizationTokenFile: {
      flag: 'aws-container-authorization-token-file',
      env: 'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE',
      ...FILE_OPTION,
      doc: 'The token for that; EKS Pod Identity sets it',
    },
    awsEc2MetadataDisabled: {
      flag: 'aws-ec2-metadata-disabled',
      env: 'AWS_EC2_METADATA_DISABLED',
      type: 'boolean',
      default: false,
      doc: 'Do not ask the metadata service of the instance, neither for credentials nor for the region',
    },
    awsEc2MetadataServiceEndpoint: {
      flag: 'aws-ec2-metadata-service-endpoint',
      env: 'AWS_EC2_METADATA_SERVICE_ENDPOINT',
      ...URL_OPTION,
      doc: 'The metadata service of the instance; if empty, http://169.254.169.254',
    },
  },
);

const OVERRIDES = optionGroup(
  { group: 'AWS: values that are detected when not set', settingsPrefix: 'aws.' },
  {
    kubernetesVersion: {
      flag: 'kubernetes-version',
      env: 'KUBERNETES_VERSION',
      ...TEXT_OPTION,
      runtime: true,
      check: (text: string) =>
        /^v?\d+\.\d+$/.test(text)
          ? undefined
          : kubernetesVersionProblem(text) && 'a Kubernetes version such as 1.34',
      doc: 'The Kubernetes version of nodes, which chooses their AMIs; empty means the version of the cluster',
    },
    serviceCidr: {
      flag: 'service-cidr',
      env: 'SERVICE_CIDR',
      ...TEXT_OPTION,
      runtime: true,
      check: cidrProblem,
      placeholder: 'CIDR',
      doc: 'The range of Services, which nodes with AL2023 need to start; empty means what EKS says',
    },
    dnsServiceIp: {
      flag: 'dns-service-ip',
      env: 'DNS_SERVICE_IP',
      ...TEXT_OPTION,
      runtime: true,
      check: ipProblem,
      placeholder: 'IP',
      doc: 'The IP address of the cluster DNS; if empty, the controller reads it from the Service kube-dns',
    },
  },
);

const BEHAVIOUR = optionGroup(
  { group: 'AWS: behaviour', settingsPrefix: 'aws.' },
  {
    rebalanceRecommendations: {
      flag: 'rebalance-recommendations',
      env: 'REBALANCE_RECOMMENDATIONS',
      type: 'string',
      choices: ['event', 'replace'],
      default: 'event',
      runtime: true,
      doc: 'What to do when EC2 recommends to rebalance a spot instance: only record an event, as Karpenter does, or replace the node before it is interrupted',
    },
    cniPrefixDelegation: {
      flag: 'cni-prefix-delegation',
      env: 'CNI_PREFIX_DELEGATION',
      type: 'string',
      choices: ['ignore', 'detect'],
      default: 'ignore',
      runtime: true,
      doc: 'Whether pods per node are computed with the addresses that prefix delegation adds: ignore, as Karpenter does, or detect, which reads the DaemonSet aws-node',
    },
  },
);

const CALLS = optionGroup(
  { group: 'AWS: calls', settingsPrefix: 'aws.' },
  {
    awsRatePercent: {
      flag: 'aws-rate-percent',
      env: 'AWS_RATE_PERCENT',
      type: 'number',
      minimum: 1,
      maximum: 100,
      default: 100,
      doc: 'How much of the rate limits of the account the controller may use, in percent',
    },
    awsCallRates: {
      flag: 'aws-call-rates',
      env: 'AWS_CALL_RATES',
      type: 'map',
      default: {} as Readonly<Record<string, string>>,
      check: callRatesProblem,
      doc: 'Rates per second and bursts by bucket or action, such as ec2:CreateFleet=10/100, for accounts whose limits AWS raised',
    },
    awsLongestWait: {
      flag: 'aws-longest-wait',
      env: 'AWS_LONGEST_WAIT',
      type: 'duration',
      minimum: 0,
      default: DEFAULT_LONGEST_WAIT_MS,
      doc: 'The maximum time that a call waits for the rate limiter; a call that would wait longer fails and is retried later',
    },
    awsCallTimeout: {
      flag: 'aws-call-timeout',
      env: 'AWS_CALL_TIMEOUT',
      type: 'duration',
      // Long polls of the queue take 20 s.
      minimum: 25_000,
      default: DEFAULT_CALL_TIMEOUT_MS,
      doc: 'The timeout of one call',
    },
  },
);

export const AWS_OWN_OPTIONS = { ...PLACES, ...IDENTITY, ...OVERRIDES, ...BEHAVIOUR, ...CALLS };
