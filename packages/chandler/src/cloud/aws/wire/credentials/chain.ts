/**
 * Which source of credentials is used: the first that is set up, in the order of upstream's SDK. A source that is set up and fails is
 * not skipped: somebody wanted that identity.
 */
import { type AwsError, NO_ANSWER, NO_CREDENTIALS, toAwsError } from '../../errors/index.ts';
import type { CredentialSettings } from './credential-settings.ts';
import {
  type CredentialProvider,
  type FetchedCredentials,
  fromContainer,
  fromMetadata,
  fromProfile,
  fromVariables,
  fromWebIdentity,
  noCredentials,
  type ProviderOptions,
} from './providers.ts';

interface SourceRow {
  /** In errors and logs. */
  readonly name: string;
  readonly isSet: (settings: CredentialSettings) => boolean;
  /** Said where it is not set. */
  readonly notSet: string;
  readonly provider: CredentialProvider;
  /** What to do when it fails. */
  readonly cure: string;
  /** Having nothing is no failure: the next source is tried. The text is what having nothing may be due to. */
  readonly optional?: string;
}

export async function fetchCredentials(
  options: ProviderOptions,
  signal: AbortSignal,
): Promise<{ readonly source: string; readonly credentials: FetchedCredentials }> {
  const tried: string[] = [];
  for (const row of SOURCES) {
    if (!row.isSet(options.settings)) {
      tried.push(row.notSet);
      continue;
    }
    try {
      return { source: row.name, credentials: await row.provider(options, signal) };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const aws = toAwsError(error);
      if (row.optional === undefined || !hasNothing(aws)) throw failed(row, aws);
      tried.push(`${row.name}: ${aws.message}${row.optional}`);
    }
  }
  const advice = options.advice ?? ADVICE;
  throw noCredentials(`no credentials of AWS were found: ${advice}. Tried: ${tried.join('; ')}`);
}

// ---------------------------------------------------------------------------------------------------------------

const ADVICE =
  "give the controller's service account an IAM role: create an EKS Pod Identity association, or set its annotation eks.amazonaws.com/role-arn (IRSA), and restart the pods";

const TRUST =
  "check that the role exists, that its trust policy names the cluster's OIDC provider, namespace and service account, and that the annotation eks.amazonaws.com/role-arn is right";

const SOURCES: readonly SourceRow[] = [
  {
    name: 'the profile of AWS_PROFILE',
    isSet: ({ profile }) => profile !== '',
    notSet: 'AWS_PROFILE is not set',
    provider: fromProfile,
    cure: 'check AWS_PROFILE and the files ~/.aws/config and ~/.aws/credentials',
  },
  {
    name: 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    isSet: ({ accessKeyId, secretAccessKey }) => accessKeyId !== '' || secretAccessKey !== '',
    notSet: 'AWS_ACCESS_KEY_ID is not set',
    provider: fromVariables,
    cure: 'correct the variables',
  },
  {
    name: 'the web identity of the pod (IRSA)',
    isSet: ({ webIdentityTokenFile, roleArn }) => webIdentityTokenFile !== '' || roleArn !== '',
    notSet: 'AWS_WEB_IDENTITY_TOKEN_FILE is not set (IRSA)',
    provider: fromWebIdentity,
    cure: TRUST,
  },
  {
    name: 'the default profile',
    isSet: () => true,
    notSet: '',
    provider: fromProfile,
    cure: 'check the files ~/.aws/config and ~/.aws/credentials',
    optional: '',
  },
  {
    name: 'the container (EKS Pod Identity)',
    isSet: ({ containerUri }) => containerUri !== '',
    notSet: 'AWS_CONTAINER_CREDENTIALS_FULL_URI is not set (EKS Pod Identity)',
    provider: fromContainer,
    cure: 'check the Pod Identity association of the service account, and that the add-on eks-pod-identity-agent runs on the node',
  },
  {
    name: 'the role of the instance',
    isSet: ({ metadataDisabled }) => !metadataDisabled,
    notSet: 'AWS_EC2_METADATA_DISABLED is true',
    provider: fromMetadata,
    cure: 'attach an instance profile to the instance',
    optional: ' (a pod reaches it only with a hop limit of 2, or with the network of its host)',
  },
];

/** No such profile, and no service that answers. */
function hasNothing({ code, status }: AwsError): boolean {
  return code === NO_ANSWER || (status === undefined && code === NO_CREDENTIALS);
}

function failed({ name, cure }: SourceRow, aws: AwsError): AwsError {
  return noCredentials(`no credentials from ${name}: ${aws.text}; ${cure}`);
}
