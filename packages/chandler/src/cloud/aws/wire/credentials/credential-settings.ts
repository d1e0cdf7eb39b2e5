/** What the environment says about credentials, by the variables of the SDKs. Empty: not set. */
export interface CredentialSettings {
  /** AWS_PROFILE. */
  readonly profile: string;
  /** AWS_SHARED_CREDENTIALS_FILE, AWS_CONFIG_FILE. */
  readonly credentialsFile: string;
  readonly configFile: string;
  /** AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN. */
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
  /** AWS_WEB_IDENTITY_TOKEN_FILE, AWS_ROLE_ARN, AWS_ROLE_SESSION_NAME: IAM roles for service accounts. */
  readonly webIdentityTokenFile: string;
  readonly roleArn: string;
  readonly roleSessionName: string;
  /** AWS_CONTAINER_CREDENTIALS_FULL_URI, AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: EKS Pod Identity. */
  readonly containerUri: string;
  readonly containerTokenFile: string;
  /** AWS_EC2_METADATA_DISABLED. */
  readonly metadataDisabled: boolean;
}

export const NO_CREDENTIAL_SETTINGS: CredentialSettings = {
  profile: '',
  credentialsFile: '',
  configFile: '',
  accessKeyId: '',
  secretAccessKey: '',
  sessionToken: '',
  webIdentityTokenFile: '',
  roleArn: '',
  roleSessionName: '',
  containerUri: '',
  containerTokenFile: '',
  metadataDisabled: false,
};
