/** Loaded on first use: `chandler --help` must not load an SDK. */
export {
  AssumeRoleWithWebIdentityCommand,
  GetCallerIdentityCommand,
  STSClient as Client,
} from '@aws-sdk/client-sts';
